import type { Steps, SummaryItem, SummarySection } from "@threadfold/core";
import { isAnnouncement } from "../text/sentence.ts";
import { isProtected } from "./section-share.ts";
import type { SummaryDraft } from "./summary-draft.ts";

const TOKENS_OF_A_LONG_ITEM = 40;
/** The order in which sections give way when the exact count is above the limit after all. */
const GIVING_WAY: readonly SummarySection[] = [
  "identifiers",
  "facts",
  "decisions",
  "toolOutcomes",
  "errors",
  "files",
  "openItems",
  "constraints",
];

/** A limit that has no room for the task itself leaves it out in the end. */
const LAST_TO_GO = ["set-current-plan", "set-current-task", "set-original-task"] as const;

/**
 * Takes the oldest items of earlier folds out of a section until they take at most `most` tokens; none when nothing is
 * wanted (`stays` is null). What only says what comes next goes first, and of several from one message all but one.
 * Gives what the section takes then.
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
  if (stays === null) return used;
  for (const item of detailFirst(previous)) {
    if (used <= most) break;
    if (stays(item)) continue;
    draft.evict(section, item, costs.get(item) as number);
    used -= costs.get(item) as number;
  }
  return used;
}

/** Items in the order in which they go: what more is told of one message, then everything by age. */
function detailFirst(items: readonly SummaryItem[]): readonly SummaryItem[] {
  const told = new Set<string | undefined>();
  const isDetail = (item: SummaryItem): boolean => {
    const [source] = item.sources;
    const known = source !== undefined && told.has(source);
    told.add(source);
    return known || ("text" in item && isAnnouncement(item.text as string));
  };
  const details = new Set(items.filter(isDetail));
  return [...details, ...items.filter((item) => !details.has(item))];
}

/**
 * Sums of parts differ a little from the count of the whole; what is too much is taken back, the least first. Names of
 * earlier folds go before anything that was found now.
 */
export function* shrinkToFit(draft: SummaryDraft, kept: ReadonlySet<string>, maxTokens: number): Steps<void> {
  const excess = (): number => draft.exactTokens() - maxTokens;
  for (const section of GIVING_WAY) {
    for (let over = excess(); over > 0 && takeBackSome(draft, section, over); over = excess()) yield;
    if (section === "identifiers") yield* evictToFit(draft, section, kept, excess);
  }
  for (const section of GIVING_WAY) yield* evictToFit(draft, section, kept, excess);
  if (excess() > 0) draft.cutNarrative();
  for (const op of LAST_TO_GO) {
    if (excess() <= 0) return;
    draft.dropFixed(op);
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

/** How many items to take at once: a little less than would be enough, so that each round comes nearer and few are needed. */
const stepFor = (excess: number): number => Math.max(1, Math.floor(excess / TOKENS_OF_A_LONG_ITEM));

function takeBackSome(draft: SummaryDraft, section: SummarySection, excess: number): boolean {
  let taken = 0;
  while (taken < stepFor(excess) && draft.takeBack(section)) taken++;
  return taken > 0;
}
