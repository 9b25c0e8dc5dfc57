import {
  type OpenItem,
  type SummarizeRequest,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  spanEnd,
} from "@threadfold/core";
import type { Harvest } from "../span-collector.ts";
import type { Candidate } from "./candidate.ts";
import { fillWithIdentifiers } from "./identifier-room.ts";
import { itemText } from "./item-text.ts";
import { boundedWork, type OpenWork } from "./open-work.ts";
import { SaidAlready } from "./said-already.ts";
import { isProtected, PROTECTED_GROWTH, SECTION_SHARES, type SectionShare } from "./section-share.ts";
import { candidateText, SummaryDraft } from "./summary-draft.ts";

/** After so many candidates in a row that did not fit, smaller ones are not looked for. */
const MAX_MISSES = 12;
const INSTRUCTED_WORTH = 2;
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
 * Chooses from what was found what goes into the summary, so that its rendered text stays within the limit: constraints
 * and open work first, then files, errors, outcomes, decisions and facts up to their shares, and identifiers in all the
 * room that is left.
 */
export function selectChanges(harvests: readonly Harvest[], request: SummarizeRequest): readonly SummaryChange[] {
  const candidates = ranked(
    harvests.flatMap(({ candidates = [] }) => candidates),
    request.instructions,
  );
  const draft = new SummaryDraft(
    request,
    harvests.flatMap(({ changes = [] }) => changes),
  );
  const said = new SaidAlready();
  said.say(draft.originalTask);
  // Identifiers of earlier folds take what is left: until they compete for it, their room is everybody's.
  const limit = request.maxTokens + draft.identifierTokens;
  const room = Math.max(0, limit - draft.tokens + previousTokens(draft));
  const work = openWork(draft, candidates, request, room);
  const left: Candidate[] = [];
  for (const share of SECTION_SHARES) {
    const wanted =
      share.section === "openItems" ? work.candidates : candidates.filter(({ section }) => section === share.section);
    left.push(...fillSection(draft, share, wanted, work.kept, said, room, limit));
  }
  fillWithIdentifiers(
    draft,
    candidates.filter((candidate) => candidate.section === "identifiers"),
    request,
  );
  for (const candidate of left) {
    if (draft.tokens >= request.maxTokens) break;
    const cost = draft.costOf(candidate.section, candidate.item);
    if (draft.tokens + cost <= request.maxTokens) draft.add(candidate, cost);
  }
  shrinkToFit(draft, work.kept, request.maxTokens);
  return draft.changes();
}

/** Most worthy first. What the user asked to look out for is worth more. */
function ranked(candidates: readonly Candidate[], instructions: string | undefined): readonly Candidate[] {
  const words = (instructions ?? "").toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./-]{2,}[\p{L}\p{N}_]/gu) ?? [];
  const worth = (candidate: Candidate): number => {
    if (words.length === 0) return candidate.worth;
    const text = candidateText(candidate).toLowerCase();
    return words.some((word) => text.includes(word)) ? candidate.worth * INSTRUCTED_WORTH : candidate.worth;
  };
  return candidates
    .map((candidate, sequence) => ({ ...candidate, worth: worth(candidate), sequence }))
    .sort((a, b) => b.worth - a.worth);
}

function previousTokens(draft: SummaryDraft): number {
  let tokens = 0;
  for (const { section } of SECTION_SHARES)
    for (const item of draft.previousItems(section)) tokens += draft.costOf(section, item);
  return tokens;
}

function openWork(
  draft: SummaryDraft,
  candidates: readonly Candidate[],
  { messages, span }: SummarizeRequest,
  room: number,
): OpenWork {
  const share = SECTION_SHARES.find(({ section }) => section === "openItems") as SectionShare;
  const bounded = boundedWork(
    candidates.filter((candidate) => candidate.section === "openItems"),
    draft.previousItems("openItems") as readonly OpenItem[],
    { firstTurn: span.firstTurn, lastTurn: messages.at(-1)?.turn ?? span.lastTurn, end: spanEnd(span) },
    share.share * room * PROTECTED_GROWTH,
    (item) => draft.costOf("openItems", item),
  );
  const byWorth = [...bounded.candidates].sort(
    (a, b) => Number(b.sure ?? false) - Number(a.sure ?? false) || b.worth - a.worth,
  );
  return { ...bounded, candidates: byWorth };
}

/** Fills one section up to its share and gives back what had no room. */
function fillSection(
  draft: SummaryDraft,
  { section, share }: SectionShare,
  candidates: readonly Candidate[],
  kept: ReadonlySet<string>,
  said: SaidAlready,
  room: number,
  maxTokens: number,
): readonly Candidate[] {
  const previous = draft.previousItems(section);
  const known = KNOWN_BY[section](
    said,
    previous.map((item) => itemText(section, item as never)),
  );
  const fresh = candidates.filter(
    (candidate) => candidate.supersedes !== undefined || !known.has(candidateText(candidate)),
  );
  const cap = share * room;
  const replaced = new Set(fresh.map(({ supersedes }) => supersedes));
  const stays = (item: SummaryItem): boolean =>
    kept.has(item.id) || replaced.has(item.id) || isProtected(section, item);
  let used = makeRoom(draft, section, previous, cap, fresh.length > 0 ? stays : null);
  const limit =
    section === "constraints" || section === "openItems"
      ? Math.max(cap, Math.min(used + cap, cap * PROTECTED_GROWTH))
      : cap;
  const left: Candidate[] = [];
  for (const candidate of fresh) {
    // What takes the place of an item is always taken.
    if (candidate.supersedes === undefined && (left.length > MAX_MISSES || known.has(candidateText(candidate))))
      continue;
    const cost = draft.costOf(section, candidate.item);
    const isTooMuch = (candidate.sure !== true && used + cost > limit) || draft.tokens + cost > maxTokens;
    if (candidate.supersedes === undefined && isTooMuch) {
      left.push(candidate);
      continue;
    }
    known.say(candidateText(candidate));
    draft.add(candidate, cost);
    used += cost;
  }
  return left;
}

/** What a section must not say again: statements that stand anywhere in the summary, or the section's own items. */
interface Known {
  has(text: string): boolean;
  say(text: string): void;
}

const ownItems = (_: SaidAlready, previous: readonly string[]): Known => {
  const texts = new Set(previous);
  return { has: (text) => texts.has(text), say: (text) => void texts.add(text) };
};

const anyStatement =
  (nearly: boolean) =>
  (said: SaidAlready, previous: readonly string[]): Known => {
    for (const text of previous) said.say(text);
    return { has: (text) => (nearly ? said.hasNearly(text) : said.has(text)), say: (text) => said.say(text) };
  };

/** Rules that differ in one word are two rules; findings and decisions that differ in one word are one. */
const KNOWN_BY: Readonly<Record<SectionShare["section"], (said: SaidAlready, previous: readonly string[]) => Known>> = {
  constraints: anyStatement(false),
  openItems: ownItems,
  files: ownItems,
  errors: ownItems,
  toolOutcomes: ownItems,
  decisions: anyStatement(true),
  facts: anyStatement(true),
};

/**
 * Takes the oldest items of earlier folds out of a section that is full, so that new ones get up to half of it; none when
 * nothing is wanted (`stays` is null). Gives what the section takes then.
 */
function makeRoom(
  draft: SummaryDraft,
  section: SummarySection,
  previous: readonly SummaryItem[],
  cap: number,
  stays: ((item: SummaryItem) => boolean) | null,
): number {
  const costs = previous.map((item) => draft.costOf(section, item));
  let used = costs.reduce((sum, cost) => sum + cost, 0);
  if (stays === null || used <= cap / 2) return used;
  for (let index = 0; index < previous.length && used > cap / 2; index++) {
    const item = previous[index] as SummaryItem;
    if (stays(item)) continue;
    draft.evict(section, item, costs[index] as number);
    used -= costs[index] as number;
  }
  return used;
}

/** Sums of parts differ a little from the count of the whole; what is too much is taken back, the least first. */
function shrinkToFit(draft: SummaryDraft, kept: ReadonlySet<string>, maxTokens: number): void {
  let excess = draft.exactTokens() - maxTokens;
  for (const section of GIVING_WAY) {
    while (excess > 0 && takeBackSome(draft, section, excess)) excess = draft.exactTokens() - maxTokens;
  }
  for (const section of GIVING_WAY) {
    // What is kept goes last.
    const items = [...draft.previousItems(section)]
      .filter((item) => !isProtected(section, item))
      .sort((a, b) => Number(kept.has(a.id)) - Number(kept.has(b.id)));
    for (let next = 0; excess > 0 && next < items.length; excess = draft.exactTokens() - maxTokens) {
      for (const end = next + stepFor(excess); next < end && next < items.length; next++)
        draft.evict(section, items[next] as SummaryItem, 0);
    }
  }
  for (const op of LAST_TO_GO) {
    if (excess <= 0) return;
    draft.dropFixed(op);
    excess = draft.exactTokens() - maxTokens;
  }
}

/** How many items to take at once: a little less than would be enough, so that each round comes nearer and few are needed. */
const stepFor = (excess: number): number => Math.max(1, Math.floor(excess / TOKENS_OF_A_LONG_ITEM));

function takeBackSome(draft: SummaryDraft, section: SummarySection, excess: number): boolean {
  let taken = 0;
  while (taken < stepFor(excess) && draft.takeBack(section)) taken++;
  return taken > 0;
}
