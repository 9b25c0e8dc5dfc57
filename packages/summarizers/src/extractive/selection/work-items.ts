import { isUnsettled, type MessageId, type NewItem, type OpenItem } from "@threadfold/core";
import { sentenceExcerpt } from "../../text/excerpt.ts";
import { IN_REPLY, WENT_ON } from "../collectors/request.ts";
import type { Candidate } from "../collectors/span-collector.ts";

type WorkCandidate = Extract<Candidate, { readonly section: "openItems" }>;

/** The most unsettled work items in a summary. */
export const MAX_UNSETTLED = 16;
/** Closed work that is at least this many turns old is reduced to a line. */
const OLD = 3;
/** Work that nobody came back to for more than this many turns lapses. */
const PATIENCE = 12;

type Work = OpenItem | WorkCandidate;

const itemOf = (work: Work): NewItem<"openItems"> => ("item" in work ? work.item : work);

/** The work items of a fold: those that compete for a place in the summary, and those that are kept regardless. */
export interface OpenWork {
  readonly candidates: readonly WorkCandidate[];
  /** Ids of items of the previous summary that go last if room has to be made. */
  readonly kept: ReadonlySet<string>;
  /** Old closed requests that are combined into one item; null when there are none. */
  readonly chapter: Chapter | null;
}

/**
 * Keeps work from piling up. Work lapses when nobody came back to it for a long time, and the oldest work lapses when
 * there are too many items or they take too much room, so that old work never crowds out new work. The newest request,
 * and the newest closed one, are sure of their place.
 *
 * @param previous work items of the previous summary.
 * @param room tokens that unsettled work may take, counted by `costOf`.
 */
export function boundedWork(
  candidates: readonly WorkCandidate[],
  previous: readonly OpenItem[],
  span: { readonly firstTurn: number; readonly lastTurn: number; readonly end: MessageId },
  room: number,
  costOf: (item: NewItem<"openItems">) => number,
): OpenWork {
  const replaced = new Set(candidates.map(({ supersedes }) => supersedes));
  const aged = agedWork(
    previous.filter((item) => !replaced.has(item.id) && span.lastTurn - (item.turn ?? span.firstTurn) >= OLD),
    room,
    costOf,
  );
  const told = new Set(aged.chapter?.merged.map(({ id }) => id));
  const stays = previous.filter(({ id }) => !replaced.has(id) && !told.has(id));
  const turnOf = (work: Work): number => itemOf(work).turn ?? span.firstTurn;
  const unsettled = [...stays, ...candidates]
    .filter((work) => isUnsettled(itemOf(work)))
    .sort((a, b) => turnOf(b) - turnOf(a) || worthOf(b) - worthOf(a));
  // The newest request comes before everything else.
  const now = unsettled.findIndex((work) => itemOf(work).kind === "request");
  if (now > 0) unsettled.unshift(...unsettled.splice(now, 1));
  const lapsing = new Set<Work>();
  let used = 0;
  unsettled.forEach((work, index) => {
    used += costOf(itemOf(work));
    const isOld = span.lastTurn - turnOf(work) > PATIENCE;
    if (isOld || (index > 0 && (index >= MAX_UNSETTLED || used > room))) lapsing.add(work);
  });
  const bounded = [
    ...candidates.map((candidate) => (lapsing.has(candidate) ? lapsed(candidate) : candidate)),
    ...stays
      .filter((item) => lapsing.has(item))
      .map(({ id, ...item }) => lapsed({ section: "openItems", item, worth: 0, supersedes: id })),
  ];
  const sourced = [...bounded, ...aged.lines].map((candidate) => withSource(candidate, span.end));
  const taken = new Set(sourced.map(({ supersedes }) => supersedes));
  const left = stays.filter(({ id }) => !taken.has(id));
  return { ...withSurePlaces(sourced, left, turnOf), chapter: aged.chapter };
}

/** Adds a source to an item of an earlier summary that has none: its new state comes from the span. */
const withSource = (candidate: WorkCandidate, end: MessageId): WorkCandidate =>
  candidate.item.sources.length > 0 ? candidate : { ...candidate, item: { ...candidate.item, sources: [end] } };

const worthOf = (work: Work): number => ("worth" in work ? work.worth : 0);

function lapsed(candidate: WorkCandidate): WorkCandidate {
  const { context, ...item } = candidate.item;
  const isToldOf = context !== "" && item.kind === "request" && item.status === "open";
  const told = isToldOf ? context : "no later word on it";
  return { ...candidate, item: { ...item, context: told, status: "lapsed", priority: "medium" }, worth: 0 };
}

function withSurePlaces(
  candidates: readonly WorkCandidate[],
  stays: readonly OpenItem[],
  turnOf: (work: Work) => number,
): Omit<OpenWork, "chapter"> {
  const newest = (works: readonly Work[]): Work | undefined =>
    works
      .filter((work) => itemOf(work).kind === "request")
      .reduce<Work | undefined>(
        (best, work) => (best === undefined || turnOf(work) >= turnOf(best) ? work : best),
        undefined,
      );
  const all: readonly Work[] = [...stays, ...candidates];
  const isClosed = (work: Work): boolean => ["done", "cancelled"].includes(itemOf(work).status);
  const sure = new Set([newest(all), newest(all.filter(isClosed))]);
  return {
    candidates: candidates.map((candidate) => (sure.has(candidate) ? { ...candidate, sure: true } : candidate)),
    kept: new Set(stays.filter((item) => sure.has(item)).map(({ id }) => id)),
  };
}

/** What becomes of closed work of earlier turns. */
interface AgedWork {
  /** Items that become shorter than before. */
  readonly lines: readonly WorkCandidate[];
  readonly chapter: Chapter | null;
}

/** The requests of many turns combined into one item, and the items that it replaces. */
interface Chapter {
  readonly candidate: WorkCandidate;
  readonly merged: readonly OpenItem[];
}

type CostOf = (item: NewItem<"openItems">) => number;

/** The share of the room for work for old closed requests with a line each; the oldest beyond it become a chapter. */
const LINES_SHARE = 0.3;
/** The share that they may take together with their outcomes. */
const TOLD_SHARE = 0.4;

/**
 * Shortens closed work of earlier turns to a line each, newest first, with its outcome as far as there is room. The
 * oldest requests without room for a line become a chapter, which includes the chapter of earlier folds.
 *
 * @param work items of the previous summary.
 * @param room tokens for all work items, counted by `costOf`.
 */
function agedWork(work: readonly OpenItem[], room: number, costOf: CostOf): AgedWork {
  const before = work.filter(({ kind }) => kind === "chapter");
  const closed = work
    .filter((item) => item.kind !== "chapter" && !isUnsettled(item))
    .sort((a, b) => (b.turn ?? 0) - (a.turn ?? 0));
  const merged = withoutRoom(closed, room * LINES_SHARE - before.reduce((sum, item) => sum + costOf(item), 0), costOf);
  const lines = linesOf(
    closed.filter((item) => !merged.includes(item)),
    room * TOLD_SHARE,
    costOf,
  );
  if (merged.length === 0) return { lines, chapter: null };
  const item = chapterOf([...before, ...merged]);
  return {
    lines,
    chapter: { candidate: { section: "openItems", item, worth: 0, sure: true }, merged: [...before, ...merged] },
  };
}

/** The fewest requests that make a chapter. */
const LEAST_REQUESTS = 4;

/** The requests, oldest first, whose bare lines have no room next to those of newer ones; none when they are few. */
function withoutRoom(closed: readonly OpenItem[], room: number, costOf: CostOf): readonly OpenItem[] {
  const requests = closed.filter(({ kind }) => kind === "request");
  let used = 0;
  const first = requests.findIndex((item) => (used += costOf(lineOf(item, false))) > room);
  const oldest = first < 0 ? [] : requests.slice(Math.max(1, first)).reverse();
  return oldest.length < LEAST_REQUESTS ? [] : oldest;
}

/** A line for each item, newest first, with its outcome as far as there is room. Unchanged items are left out. */
function linesOf(closed: readonly OpenItem[], room: number, costOf: CostOf): readonly WorkCandidate[] {
  const newest = closed.find(({ kind }) => kind === "request");
  let left = room - closed.reduce((sum, item) => sum + costOf(lineOf(item, false)), 0);
  return closed.flatMap((item): readonly WorkCandidate[] => {
    const [told, bare] = [lineOf(item, true), lineOf(item, false)];
    const more = costOf(told) - costOf(bare);
    // The newest request always keeps its outcome.
    const line = more <= left || item === newest ? told : bare;
    if (line === told) left -= more;
    const isSame = line.description === item.description && line.context === item.context;
    return isSame ? [] : [{ section: "openItems", item: line, worth: 0, supersedes: item.id }];
  });
}

/** The longest line of closed work, and the longest outcome, in UTF-16 code units. */
const MAX_LINE = 200;
const MAX_LINE_CONTEXT = 120;

/** The first sentences of an item, with those of its outcome if `isTold`. */
function lineOf({ id: _, ...item }: OpenItem, isTold: boolean): NewItem<"openItems"> {
  const context =
    !isTold || item.context === WENT_ON ? "" : sentenceExcerpt(item.context.replace(IN_REPLY, ""), MAX_LINE_CONTEXT);
  return { ...item, description: sentenceExcerpt(item.description, MAX_LINE), context };
}

const CHAPTER = /^Turns (\d+) to \d+, (\d+) requests: (?:\(\d+ before\) )?/;

const MAX_CHAPTER = 900;

const MAX_SOURCES = 100;

/** @param items chapters first, then requests; oldest first. */
function chapterOf(items: readonly OpenItem[]): NewItem<"openItems"> {
  const turns = items.map(({ turn = 0 }) => turn);
  const first = Math.min(...items.map((item) => Number(CHAPTER.exec(item.description)?.[1] ?? item.turn ?? 0)));
  const count = items.reduce((sum, item) => sum + Number(CHAPTER.exec(item.description)?.[2] ?? 1), 0);
  const titles = items.flatMap(titlesOf);
  let length = 0;
  const from = titles.findLastIndex((title) => (length += title.length + 2) > MAX_CHAPTER) + 1;
  const shown = titles.slice(from);
  const left = count - shown.length;
  const last = Math.max(...turns);
  return {
    description: `Turns ${first} to ${last}, ${count} requests: ${left > 0 ? `(${left} before) ` : ""}${shown.join("; ")}`,
    context: "",
    priority: "medium",
    status: "done",
    kind: "chapter",
    turn: last,
    sources: [...new Set(items.flatMap(({ sources }) => sources.slice(0, 1)))].slice(-MAX_SOURCES),
  };
}

const MAX_TITLE = 64;

/** Openings of a request that do not yet say what is asked. */
const OPENING =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|then|also|actually|next|good|great|right|yes|please|hey|hi|well|and|but|btw)\b[,.:!]?\s*|(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would) like you to\s+|i (?:want|need) you to\s+|let(?:'s| us)\s+)+/i;

/** The titles in a chapter, or the beginning of a request, with its status if it was not done. */
function titlesOf({ description, kind, status }: OpenItem): readonly string[] {
  if (kind === "chapter") return description.replace(CHAPTER, "").split("; ");
  const text = description.replace(OPENING, "").replace(/\s+/g, " ").replaceAll(";", ",").trim();
  const whole = text.length <= MAX_TITLE ? text : `${text.slice(0, text.lastIndexOf(" ", MAX_TITLE))} …`;
  const title = whole.replace(/[.!?:,]+$/, "");
  return title === "" ? [] : [status === "done" ? title : `${title} (${status})`];
}
