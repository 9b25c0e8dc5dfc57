import { isUnsettled, type OpenItem, type SummarySection, type ToolOutcome } from "@threadfold/core";

/** A section that competes for the room of a summary. What is where competes in its own way, by what lines name. */
export type RoomSection = Exclude<SummarySection, "identifiers" | "artifacts">;

/**
 * How much of the room each section may claim, beside the others: rules and requests first, then what was found and done,
 * then what is where. Sections take room in this order.
 */
const WEIGHTS: Readonly<Record<RoomSection, number>> = {
  constraints: 0.1,
  openItems: 0.2,
  files: 0.2,
  errors: 0.03,
  toolOutcomes: 0.15,
  decisions: 0.02,
  facts: 0.34,
};
const PLACES_WEIGHT = 0.05;

/** The sections in the order in which they take room. */
export const ROOM_SECTIONS = Object.freeze(Object.keys(WEIGHTS) as RoomSection[]);

/** What each section may take, in tokens. */
export interface Allotments {
  readonly sections: Readonly<Record<RoomSection, number>>;
  /** What is left for what is where, at least. */
  readonly places: number;
}

/**
 * Shares out the room: no section gets more than it has to say, and what one leaves goes to the others by their weights.
 *
 * @param demands what all that was found for a section would take, in tokens.
 */
export function allotments(room: number, demands: Readonly<Record<RoomSection, number>>): Allotments {
  const sections = { ...demands };
  let open = new Set(ROOM_SECTIONS);
  for (;;) {
    let weight = PLACES_WEIGHT;
    let left = room;
    for (const section of ROOM_SECTIONS)
      if (open.has(section)) weight += WEIGHTS[section];
      else left -= sections[section];
    const wanting = [...open].filter((section) => demands[section] > (left * WEIGHTS[section]) / weight);
    if (wanting.length === open.size) {
      for (const section of open) sections[section] = (left * WEIGHTS[section]) / weight;
      return { sections, places: (left * PLACES_WEIGHT) / weight };
    }
    open = new Set(wanting);
  }
}

/** Rules and unsettled work may grow beyond their share, up to twice of it. */
export const PROTECTED_GROWTH = 2;

/** True for an item of an earlier fold that only an event in the thread, or code for want of room, may take out. */
export function isProtected(section: SummarySection, item: object): boolean {
  switch (section) {
    case "constraints":
    case "artifacts":
      return true;
    case "openItems":
      return isUnsettled(item as OpenItem);
    case "toolOutcomes":
      return (item as ToolOutcome).declared === true;
    default:
      return false;
  }
}
