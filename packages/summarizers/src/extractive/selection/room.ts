import type { Steps, StructuredSummary, SummaryItem, SummarySection } from "@threadfold/core";
import { tellingOf } from "../text/sentence.ts";
import { isProtected, type SummaryDraft } from "./summary-draft.ts";

/** A section that competes for the room of a summary. Identifiers compete separately, by the names in their lines. */
export type RoomSection = Exclude<SummarySection, "identifiers" | "artifacts">;

/**
 * The weight of each section in sharing out the room. Sections take room in this order: rules and requests first, then
 * what was found and done. Identifiers come last.
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

/** The tokens that each section may take. */
export interface Allotments {
  readonly sections: Readonly<Record<RoomSection, number>>;
  /** The least number of tokens left for identifiers. */
  readonly places: number;
}

/**
 * Shares out the room: no section gets more than it needs, and what one leaves goes to the others by their weights.
 *
 * @param demands tokens that each section would take with everything found for it.
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

/** How many times their share rules and unsettled work may take. */
export const PROTECTED_GROWTH = 2;

/**
 * Takes the oldest items of earlier folds out of a section until they take at most `most` tokens; takes out none when
 * no room is wanted (`stays` is null). Items that only announce something go first, and all but one of several from the
 * same message. Returns the tokens that the section then takes.
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

/**
 * Items in the order in which they go: first all but the most informative item of each message, then the rest by age.
 */
function detailFirst(items: readonly SummaryItem[]): readonly SummaryItem[] {
  // A report of a sub-agent says first what matters.
  const telling = new Map(
    items.map((item) => [item, "text" in item && item.by === undefined ? tellingOf(item.text as string) : 1]),
  );
  const best = new Map<string | undefined, SummaryItem>();
  for (const item of items) {
    const known = best.get(item.sources[0]);
    if (known === undefined || (telling.get(item) as number) > (telling.get(known) as number))
      best.set(item.sources[0], item);
  }
  const isDetail = (item: SummaryItem): boolean =>
    telling.get(item) === 0 || (item.sources.length > 0 && best.get(item.sources[0]) !== item);
  const apart = Map.groupBy(items.filter(isDetail), ({ sources: [source] }) => source);
  const details = new Set([...apart.values()].flatMap((own) => (own[0]?.by === undefined ? own : own.toReversed())));
  return [...details, ...items.filter((item) => !details.has(item))];
}

/**
 * The order in which sections are cut when the exact count exceeds the limit after all: everything that was seen and
 * done before any work, and all work before any rule.
 */
const GIVING_WAY: readonly (readonly SummarySection[])[] = [
  ["identifiers", "facts", "decisions", "toolOutcomes", "errors", "files"],
  ["openItems"],
  ["constraints"],
];

/** Dropped last, in this order, if the limit has no room even for the task. */
const LAST_TO_GO = ["set-current-plan", "set-current-task", "set-original-task"] as const;

/**
 * Takes items back, least valuable first, until the exact count is within the limit, because the sum of the parts
 * differs a little from the count of the whole. Identifiers of earlier folds go before anything else found in this
 * span, and items that are sure of their place go after those of earlier folds.
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
 * Restores one item when everything had to go because the last item was too long by itself: the newest item of an
 * earlier fold that fits alone, from the section that is cut last.
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

/** Takes items of earlier folds out of a section until the whole fits or none is left. Items in `kept` go last. */
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

/**
 * How many items to take at once: slightly fewer than needed, so that a few rounds are enough and none takes too many.
 */
const stepFor = (excess: number): number => Math.max(1, Math.floor(excess / TOKENS_OF_A_LONG_ITEM));

/** Takes back items that were added to a section until the whole fits or none is left. */
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
