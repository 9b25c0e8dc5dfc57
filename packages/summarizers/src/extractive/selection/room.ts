import type { Steps, StructuredSummary, SummaryItem, SummarySection } from "@threadfold/core";
import { tellingOf } from "../text/sentence.ts";
import { isProtected, type SummaryDraft } from "./summary-draft.ts";

/** A section that competes for the room of a summary. What is where competes in its own way, by what lines name. */
export type RoomSection = Exclude<SummarySection, "identifiers" | "artifacts">;

/**
 * How much of the room each section may claim next to the others: rules and requests first, then what was found and
 * done, then what is where. Sections take room in this order.
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

/**
 * Takes the oldest items of earlier folds out of a section until they take at most `most` tokens; none when nothing is
 * wanted (`stays` is null). What only says what comes next goes first, and of several from one message all but one.
 * Returns what the section takes afterwards.
 */
export function makeRoom(
  draft: SummaryDraft,
  section: SummarySection,
  previous: readonly SummaryItem[],
  most: number,
  stays: ((item: SummaryItem) => boolean) | null,
): number {
  const costs = new Map(previous.map((item) => [item, draft.costOf(section, item)]));
  let used = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  if (stays === null || used <= most) return used;
  for (const item of detailFirst(previous)) {
    if (used <= most) break;
    if (stays(item)) continue;
    draft.evict(section, item, costs.get(item) as number);
    used -= costs.get(item) as number;
  }
  return used;
}

/** Items in the order in which they go: what more is told of one message than its most telling item, then everything by age. */
function detailFirst(items: readonly SummaryItem[]): readonly SummaryItem[] {
  const telling = new Map(items.map((item) => [item, "text" in item ? tellingOf(item.text as string) : 1]));
  const best = new Map<string | undefined, SummaryItem>();
  for (const item of items) {
    const known = best.get(item.sources[0]);
    if (known === undefined || (telling.get(item) as number) > (telling.get(known) as number))
      best.set(item.sources[0], item);
  }
  const isDetail = (item: SummaryItem): boolean =>
    telling.get(item) === 0 || (item.sources.length > 0 && best.get(item.sources[0]) !== item);
  const details = new Set(items.filter(isDetail));
  return [...details, ...items.filter((item) => !details.has(item))];
}

/**
 * The order in which sections give way when the exact count is above the limit after all: all that was seen and done
 * before any work, and all work before any rule.
 */
const GIVING_WAY: readonly (readonly SummarySection[])[] = [
  ["identifiers", "facts", "decisions", "toolOutcomes", "errors", "files"],
  ["openItems"],
  ["constraints"],
];

/** A limit that has no room for the task itself leaves it out in the end. */
const LAST_TO_GO = ["set-current-plan", "set-current-task", "set-original-task"] as const;

/**
 * Sums of parts differ a little from the count of the whole; what is too much is taken back, the least first. Names of
 * earlier folds go before anything that was found now, and what is sure of its place goes after what stood there before.
 */
export function* shrinkToFit(draft: SummaryDraft, kept: ReadonlySet<string>, maxTokens: number): Steps<void> {
  const excess = (): number => draft.exactTokens() - maxTokens;
  for (const sections of GIVING_WAY) {
    for (const section of sections) {
      yield* takeBackToFit(draft, section, "unsure", excess);
      if (section === "identifiers") yield* evictToFit(draft, section, kept, excess);
    }
    for (const section of sections) yield* evictToFit(draft, section, kept, excess);
    for (const section of sections) yield* takeBackToFit(draft, section, "any", excess);
  }
  if (excess() > 0) draft.cutNarrative();
  for (const op of LAST_TO_GO) {
    if (excess() <= 0) return;
    draft.dropFixed(op);
  }
}

/**
 * Where all had to give way, since the last to go was too long by itself: the newest item of an earlier fold that has room
 * alone comes back, of the section that gives way last.
 */
export function* restoreOne(draft: SummaryDraft, previous: StructuredSummary, maxTokens: number): Steps<void> {
  for (const section of GIVING_WAY.flat().reverse())
    for (const item of (previous[section] as readonly SummaryItem[]).toReversed()) {
      yield;
      draft.restore(item);
      if (draft.exactTokens() <= maxTokens) return;
      draft.evict(section, item, 0);
    }
}

/** Takes items of earlier folds out of a section until the whole fits, or none is left. What is kept goes last. */
function* evictToFit(
  draft: SummaryDraft,
  section: SummarySection,
  kept: ReadonlySet<string>,
  excess: () => number,
): Steps<void> {
  const items = [...draft.previousItems(section)]
    .filter((item) => !isProtected(section, item))
    .sort((a, b) => Number(kept.has(a.id)) - Number(kept.has(b.id)));
  for (let next = 0, over = excess(); over > 0 && next < items.length; over = excess()) {
    yield;
    for (const end = next + stepFor(over); next < end && next < items.length; next++)
      draft.evict(section, items[next] as SummaryItem, 0);
  }
}

const TOKENS_OF_A_LONG_ITEM = 40;

/** How many items to take at once: a little less than would be enough, so that each round comes nearer and few are needed. */
const stepFor = (excess: number): number => Math.max(1, Math.floor(excess / TOKENS_OF_A_LONG_ITEM));

/** Takes back items that were added to a section until the whole fits, or none is left. */
function* takeBackToFit(
  draft: SummaryDraft,
  section: SummarySection,
  which: "unsure" | "any",
  excess: () => number,
): Steps<void> {
  for (let over = excess(); over > 0; over = excess()) {
    let taken = 0;
    while (taken < stepFor(over) && draft.takeBack(section, which)) taken++;
    if (taken === 0) return;
    yield;
  }
}
