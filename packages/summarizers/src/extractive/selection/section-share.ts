import { isUnsettled, type OpenItem, type SummarySection } from "@threadfold/core";

/** How a section competes for the room of a summary. */
export interface SectionShare {
  readonly section: Exclude<SummarySection, "identifiers" | "artifacts">;
  /** Share of the room that is left beside the task. */
  readonly share: number;
}

/**
 * Sections in the order in which they take room. What they leave goes to the index of identifiers, which is worth most
 * per token: it never gets less than the two fifths that the shares leave it.
 */
export const SECTION_SHARES: readonly SectionShare[] = Object.freeze([
  { section: "constraints", share: 0.12 },
  { section: "openItems", share: 0.13 },
  { section: "files", share: 0.12 },
  { section: "errors", share: 0.06 },
  { section: "toolOutcomes", share: 0.06 },
  { section: "decisions", share: 0.05 },
  { section: "facts", share: 0.04 },
]);

/** Rules and unsettled work may grow beyond their share, up to twice of it. */
export const PROTECTED_GROWTH = 2;

/** True for an item of an earlier fold that only an event in the thread may take out. */
export function isProtected(section: SummarySection, item: object): boolean {
  return (
    section === "constraints" || section === "artifacts" || (section === "openItems" && isUnsettled(item as OpenItem))
  );
}
