import { canonicalJson } from "../json/canonical-json.ts";
import { renderSummary } from "./render-summary.ts";
import { shortenedNarrative } from "./shortened-narrative.ts";
import {
  isUnsettled,
  type OpenItem,
  type StructuredSummary,
  type SummaryItem,
  type SummarySection,
  type ToolOutcome,
} from "./structured-summary.ts";
import type { ResolvedItem } from "./summary-change.ts";

/** The sections that give way when a summary is too long, first to go first. Constraints are not among them. */
const EXPENDABLE: readonly SummarySection[] = [
  "identifiers",
  "toolOutcomes",
  "facts",
  "files",
  "errors",
  "decisions",
  "openItems",
  "artifacts",
];

/** A narrative is shortened behind this section and before those that follow it. */
const LAST_BEFORE_NARRATIVE: SummarySection = "facts";

/** Work of which nobody knows yet how it ended stays, whatever the room. */
const isExpendable = (section: SummarySection, item: SummaryItem): boolean =>
  section === "openItems" ? !isUnsettled(item as OpenItem) : !isDeclared(section, item);

/** Key fields that a tool or its policy declared go when all else is gone. */
const isDeclared = (section: SummarySection, item: SummaryItem): boolean =>
  section === "toolOutcomes" && (item as ToolOutcome).declared === true;

/** What goes, in this order: sections of what is expendable, then what was declared. */
const STEPS: readonly { readonly section: SummarySection; readonly goes: typeof isExpendable }[] = [
  ...EXPENDABLE.map((section) => ({ section, goes: isExpendable })),
  { section: "toolOutcomes", goes: isDeclared },
];

/** A summary within a limit. */
export interface TrimmedSummary {
  readonly summary: StructuredSummary;
  /** Tokens of its text. */
  readonly tokens: number;
  /** What had to go. */
  readonly resolved: readonly ResolvedItem[];
}

/**
 * Shortens a summary until its text takes at most `maxTokens`, oldest items of the least telling section first. What
 * goes is returned, so that no item disappears without a record. A narrative loses its beginning, and says so. References to
 * artifacts and then declared key fields go last. Constraints, open work and the original task stay, even when they alone
 * exceed the limit.
 */
export function trimSummary(
  summary: StructuredSummary,
  maxTokens: number,
  countTokens: (text: string) => number,
): TrimmedSummary {
  const resolved: ResolvedItem[] = [];
  let current = summary;
  let tokens = countTokens(renderSummary(current));
  for (const { section, goes } of STEPS) {
    const all: readonly SummaryItem[] = current[section];
    let expendable = all.filter((item) => goes(section, item));
    while (tokens > maxTokens && expendable.length > 0) {
      const removed = new Set(expendable.slice(0, countOldest(expendable, tokens - maxTokens, countTokens)));
      expendable = expendable.slice(removed.size);
      const items: readonly SummaryItem[] = current[section];
      current = { ...current, [section]: items.filter((item) => !removed.has(item)) };
      tokens = countTokens(renderSummary(current));
      for (const item of removed) resolved.push({ section, item, reason: "the summary reached its token limit" });
    }
    if (section !== LAST_BEFORE_NARRATIVE || tokens <= maxTokens) continue;
    current = shortenedNarrative(current, maxTokens, countTokens);
    tokens = countTokens(renderSummary(current));
  }
  return { summary: current, tokens, resolved };
}

/** About how many items from the front take so many tokens; at least one. */
function countOldest(items: readonly SummaryItem[], tokens: number, countTokens: (text: string) => number): number {
  let count = 0;
  for (let freed = 0; count < items.length && freed < tokens; count++) {
    const { id: _id, sources: _sources, ...content } = items[count] as SummaryItem;
    freed += Math.max(1, countTokens(canonicalJson(content)));
  }
  return count;
}
