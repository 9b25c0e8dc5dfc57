import {
  endOfNarrative,
  type MessageId,
  type OpenItem,
  type Steps,
  type SummarizeRequest,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  spanEnd,
  type TextItem,
} from "@threadfold/core";
import { type Candidate, type Harvest, ranked } from "../collectors/span-collector.ts";
import { PREFERENCE } from "../text/phrases.ts";
import { isPassing, isRemark, type Sentence, sentencesOf } from "../text/sentence.ts";
import { InstructionWords } from "../text/words.ts";
import { fillWithIdentifiers } from "./identifier-room.ts";
import {
  allotments,
  makeRoom,
  PROTECTED_GROWTH,
  ROOM_SECTIONS,
  type RoomSection,
  restoreOne,
  shrinkToFit,
} from "./room.ts";
import { KNOWN_BY, SaidAlready } from "./said-already.ts";
import { candidateText, isProtected, itemLine, itemText, SummaryDraft } from "./summary-draft.ts";
import { boundedWork, type OpenWork } from "./work-items.ts";

/** After this many candidates that did not fit, smaller ones are no longer looked for. */
const MAX_MISSES = 12;
/** The order in which sections use the room that others leave, from last to first. */
const FIRST_TO_GROW: readonly SummarySection[] = ["errors", "decisions", "files", "openItems", "toolOutcomes", "facts"];

/**
 * Chooses what goes into the summary so that its rendered text stays within the limit: each section up to its
 * allotment, then what was found and done in the room that others leave, and identifiers in all the remaining room.
 */
export function* selectChanges(
  harvests: readonly Harvest[],
  request: SummarizeRequest,
): Steps<readonly SummaryChange[]> {
  const found: Candidate[] = [];
  for (const { candidates = [] } of harvests)
    for (const candidate of candidates) if (found.push(candidate) % AT_A_TIME === 0) yield;
  const candidates = yield* ranked(yield* instructed(found, request));
  const paths = yield* pathsOf(candidates);
  const changes = [...agedNarrative(request), ...harvests.flatMap(({ changes: settled = [] }) => settled)];
  const draft = new SummaryDraft(request, changes, paths);
  yield;
  const said = new SaidAlready();
  said.say(draft.originalTask);
  // Identifiers of earlier folds only get what is left, so until they compete, their room is available to all sections.
  const limit = request.maxTokens + draft.identifierTokens;
  const { room, demands } = yield* demandsOf(draft, candidates, limit);
  const { sections, places } = allotments(room, demands);
  // A section that gets all that it needs is not short of room, however little that is.
  const isShort = sections.openItems < demands.openItems;
  const work = openWork(draft, candidates, request, isShort ? sections.openItems : Number.POSITIVE_INFINITY);
  if (work.chapter !== null) draft.merge(work.chapter.candidate, work.chapter.merged);
  const left: Candidate[] = [];
  for (const section of ROOM_SECTIONS) {
    yield;
    const wanted = section === "openItems" ? work.candidates : candidates.filter((one) => one.section === section);
    const fresh = section === "facts" ? yield* beyondAnswers(wanted, draft) : wanted;
    const rest = yield* fillSection(draft, section, sections[section], fresh, work.kept, said, limit - places);
    for (const candidate of rest) left.push(candidate);
  }
  yield* fillWhatIsLeft(draft, left, limit - places, said);
  yield* draft.locate();
  yield* fillWithIdentifiers(
    draft,
    candidates.filter((candidate) => candidate.section === "identifiers"),
    request,
  );
  yield* shrinkToFit(draft, work.kept, request.maxTokens);
  if (draft.isBlank && request.previous !== null) yield* restoreOne(draft, request.previous, request.maxTokens);
  // If every item is too long by itself, there is nothing to say, and the previous summary stays.
  return draft.isBlank ? [] : draft.changes;
}

/** The share of a summary made without a model that an earlier model's narrative may take. */
const AGED_NARRATIVE = 0.25;

/** Shortens a model's narrative of an earlier fold from its beginning, because nothing here continues it. */
function agedNarrative({ previous, maxTokens, countTokens }: SummarizeRequest): readonly SummaryChange[] {
  if (previous?.narrative === undefined) return [];
  const { text: told, sources } = previous.narrative;
  const text = endOfNarrative(told, Math.floor(maxTokens * AGED_NARRATIVE), countTokens);
  return text === told ? [] : [{ op: "set-narrative", narrative: { text, sources } }];
}

/** Leaves out the findings of a message if all of them are already part of the answer to a request. */
function* beyondAnswers(findings: readonly Candidate[], draft: SummaryDraft): Steps<readonly Candidate[]> {
  const answers = new SaidAlready();
  for (const { context } of draft.itemsNow("openItems")) answers.say(context);
  const told = new Set<Candidate>();
  for (const finding of findings) {
    yield;
    if (answers.has(candidateText(finding))) told.add(finding);
  }
  if (told.size === 0) return findings;
  // Almost all findings are untold, so only what they share with the others is noted.
  const shared = new Set([...told].flatMap(({ item }) => item.sources));
  const untold = new Set<MessageId>();
  for (const [index, finding] of findings.entries()) {
    if (index % AT_A_TIME === 0) yield;
    if (told.has(finding)) continue;
    for (const source of finding.item.sources) if (shared.has(source)) untold.add(source);
  }
  return findings.filter((one) => !told.has(one) || one.item.sources.some((source) => untold.has(source)));
}

/** Candidates that are looked at in one step, in less than a millisecond. */
const AT_A_TIME = 2_048;

function* pathsOf(candidates: readonly Candidate[]): Steps<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const [index, { item }] of candidates.entries()) {
    if (index % AT_A_TIME === 0) yield;
    if ("path" in item) paths.add(item.path);
    else if ("where" in item) paths.add(item.where ?? "");
  }
  return paths;
}

/** Gives the room that sections left to candidates that had none in their own; what was found and done comes first. */
function* fillWhatIsLeft(
  draft: SummaryDraft,
  left: readonly Candidate[],
  limit: number,
  said: SaidAlready,
): Steps<void> {
  let misses = 0;
  for (const candidate of inOrderOfGrowth(left)) {
    yield;
    if (draft.tokens >= limit) return;
    const isStatement = candidate.section === "facts" || candidate.section === "decisions";
    if (isStatement && said.hasNearly(candidateText(candidate))) continue;
    const cost = draft.costOf(candidate.section, candidate.item);
    if (draft.tokens + cost > limit) {
      if (++misses > MAX_MISSES) return;
      continue;
    }
    if (isStatement) said.say(candidateText(candidate));
    draft.add(candidate, cost);
  }
}

/** Walks through the sections instead of sorting, because there is room for few of the candidates. */
function* inOrderOfGrowth(left: readonly Candidate[]): Iterable<Candidate> {
  for (const section of FIRST_TO_GROW.toReversed())
    for (const candidate of left) if (candidate.section === section) yield candidate;
  for (const candidate of left) if (!FIRST_TO_GROW.includes(candidate.section)) yield candidate;
}

/** Approximate characters per token, for estimates before anything is decided. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * Returns the room of all sections, including what their items of earlier folds take, and the tokens that each section
 * would take with everything found for it. Counting stops when a section needs more than there is.
 */
function* demandsOf(
  draft: SummaryDraft,
  candidates: readonly Candidate[],
  limit: number,
): Steps<{ readonly room: number; readonly demands: Readonly<Record<RoomSection, number>> }> {
  const demands = Object.fromEntries(ROOM_SECTIONS.map((section) => [section, 0])) as Record<RoomSection, number>;
  let before = 0;
  const costs = new Map<string, number>();
  for (const section of ROOM_SECTIONS)
    for (const item of draft.previousItems(section)) {
      const cost = draft.costOf(section, item);
      costs.set(item.id, cost);
      demands[section] += cost;
      before += cost;
    }
  const room = Math.max(0, limit - draft.tokens + before);
  const costOf = ({ section, item }: Candidate): number =>
    Math.ceil(`${itemLine(section, item, draft.folder)}\n`.length / CHARACTERS_PER_TOKEN);
  for (const [index, candidate] of candidates.entries()) {
    if (index % AT_A_TIME === 0) yield;
    const { section, supersedes } = candidate;
    if (supersedes !== undefined && section in demands)
      demands[section as RoomSection] += costOf(candidate) - (costs.get(supersedes) ?? 0);
  }
  // Items that replace longer ones leave the difference to others.
  const most = Object.values(demands).reduce((sum, demand) => sum + Math.max(0, -demand), room);
  for (const [index, candidate] of candidates.entries()) {
    if (index % AT_A_TIME === 0) yield;
    const section = candidate.section as RoomSection;
    if (candidate.supersedes !== undefined || !(section in demands) || demands[section] > most) continue;
    yield;
    demands[section] += costOf(candidate);
  }
  return { room, demands };
}

function openWork(
  draft: SummaryDraft,
  candidates: readonly Candidate[],
  { messages, span }: SummarizeRequest,
  room: number,
): OpenWork {
  const bounded = boundedWork(
    candidates.filter((candidate) => candidate.section === "openItems"),
    draft.previousItems("openItems") as readonly OpenItem[],
    { firstTurn: span.firstTurn, lastTurn: messages.at(-1)?.turn ?? span.lastTurn, end: spanEnd(span) },
    room * PROTECTED_GROWTH,
    (item) => draft.costOf("openItems", item),
  );
  const byWorth = [...bounded.candidates].sort(
    (a, b) => Number(b.sure ?? false) - Number(a.sure ?? false) || b.worth - a.worth,
  );
  return { ...bounded, candidates: byWorth };
}

/** Fills one section up to its share and returns the candidates that had no room. */
function* fillSection(
  draft: SummaryDraft,
  section: RoomSection,
  cap: number,
  candidates: readonly Candidate[],
  kept: ReadonlySet<string>,
  said: SaidAlready,
  maxTokens: number,
): Steps<readonly Candidate[]> {
  const previous = draft.previousItems(section);
  const known = KNOWN_BY[section](
    said,
    previous.map((item) => itemText(section, item as never)),
  );
  const fresh: Candidate[] = [];
  for (const candidate of candidates) {
    yield;
    if (candidate.supersedes !== undefined || !known.has(candidateText(candidate))) fresh.push(candidate);
  }
  const replaced = new Set(fresh.map(({ supersedes }) => supersedes));
  const stays = (item: SummaryItem): boolean =>
    kept.has(item.id) || replaced.has(item.id) || isProtected(section, item);
  if (section === "facts" && fresh.length > 0) evictUntelling(draft, previous as readonly TextItem[]);
  const wanted = wantedTokens(draft, section, fresh, previous, cap);
  let used = makeRoom(
    draft,
    section,
    draft.previousItems(section),
    Math.max(cap / 2, cap - wanted),
    fresh.length > 0 ? stays : null,
  );
  const isDetail = section !== "constraints" && section !== "openItems";
  const limit = isDetail ? cap : Math.max(cap, Math.min(used + cap, cap * PROTECTED_GROWTH));
  const left: Candidate[] = [];
  for (const candidate of fresh) {
    yield;
    // A candidate that replaces an item is always taken.
    if (candidate.supersedes === undefined) {
      if (left.length > MAX_MISSES) left.push(candidate);
      if (left.length > MAX_MISSES || known.has(candidateText(candidate))) continue;
    }
    const cost = draft.costOf(section, candidate.item);
    // Rules and work are taken even if the summary is full: details are cut for them when the whole is shortened.
    const isTooMuch = used + cost > limit || (isDetail && draft.tokens + cost > maxTokens);
    if (candidate.supersedes === undefined && candidate.sure !== true && isTooMuch) {
      left.push(candidate);
      continue;
    }
    known.say(candidateText(candidate));
    draft.add(candidate, cost);
    used += cost;
  }
  return left;
}

/** Takes out announcements and remarks of earlier folds: what the agent has done since shows where it was then. */
function evictUntelling(draft: SummaryDraft, previous: readonly TextItem[]): void {
  for (const item of previous) {
    const sentences = sentencesOf(item.text);
    // Text too long for a sentence was written by a model, and what users say about themselves is a fact; both stay.
    const tells = sentences.length === 0 || sentences.some((one) => tellsOfUser(one) || tellsByItself(one));
    if (!tells) draft.evict("facts", item, draft.costOf("facts", item));
  }
}

const tellsOfUser = ({ marks }: Sentence): boolean => (marks & PREFERENCE) !== 0;
const tellsByItself = (sentence: Sentence): boolean => !isPassing(sentence) && !isRemark(sentence);

/** Tokens that new items would add to a section; counting stops above `most`. */
function wantedTokens(
  draft: SummaryDraft,
  section: RoomSection,
  fresh: readonly Candidate[],
  previous: readonly SummaryItem[],
  most: number,
): number {
  const before = new Map(previous.map((item) => [item.id, item]));
  let wanted = 0;
  for (const { item, supersedes } of fresh) {
    if (wanted > most) return wanted;
    const replaced = supersedes === undefined ? undefined : before.get(supersedes);
    wanted += draft.costOf(section, item) - (replaced === undefined ? 0 : draft.costOf(section, replaced));
  }
  return wanted;
}

/** The share of a summary in which items that match the instructions are sure of their place, best first. */
const SURE_SHARE = 0.5;
/** A worth above any that a collector assigns. */
const ASKED_FOR = 10_000;
/** How many times likelier a name is needed when its line matches the instructions. */
const NAMED_TOGETHER = 4;

/** Ranks the candidates that match the fold's instructions before all others of their section. */
function* instructed(
  candidates: readonly Candidate[],
  { instructions, maxTokens, countTokens }: SummarizeRequest,
): Steps<readonly Candidate[]> {
  const words = new InstructionWords(instructions);
  if (!words.areGiven) return candidates;
  const lines: string[] = [];
  for (const { section, item } of candidates) if (lines.push(itemLine(section, item, "")) % AT_A_TIME === 0) yield;
  const shares = yield* words.sharesInSteps(lines);
  const scores = candidates.map(({ section }, index) =>
    Math.max(shares[index] as number, section !== "identifiers" && words.names(section) ? 1 : 0),
  );
  const sure = new Set<number>();
  let room = maxTokens * SURE_SHARE;
  const worth = (index: number): number => (scores[index] as number) * ASKED_FOR + (candidates[index]?.worth ?? 0);
  const matching = [...scores.keys()].filter((index) => scores[index] !== 0);
  for (const index of matching.sort((a, b) => worth(b) - worth(a))) {
    room -= countTokens(lines[index] as string);
    if (room < 0) break;
    sure.add(index);
  }
  return candidates.map((candidate, index) =>
    scores[index] === 0 ? candidate : preferred(candidate, scores[index] as number, sure.has(index)),
  );
}

function preferred(candidate: Candidate, score: number, sure: boolean): Candidate {
  const names = new Map([...(candidate.names ?? [])].map(([name, odds]) => [name, odds * NAMED_TOGETHER]));
  return {
    ...candidate,
    worth: candidate.worth + score * ASKED_FOR,
    ...(sure && { sure }),
    ...(candidate.names !== undefined && { names }),
  };
}
