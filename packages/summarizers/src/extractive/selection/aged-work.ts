import { isUnsettled, type NewItem, type OpenItem } from "@threadfold/core";
import { WENT_ON } from "../collectors/request.ts";
import { sentenceExcerpt } from "../text/excerpt.ts";
import type { Candidate } from "./candidate.ts";

/** What a line of closed work takes at the most, and what came of it in it. In UTF-16 code units. */
const MAX_LINE = 200;
const MAX_LINE_CONTEXT = 120;
/** Of the room for work, what old closed requests take with a line each; the oldest beyond that become a chapter. */
const LINES_SHARE = 0.3;
/** And what they take with what came of them. */
const TOLD_SHARE = 0.4;
/** Fewer requests are no chapter. */
const LEAST_REQUESTS = 4;
const MAX_TITLE = 64;
const MAX_CHAPTER = 900;
/** How a request begins that says nothing yet of what is asked. */
const OPENING =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|then|also|actually|next|good|great|right|yes|please|hey|hi|well|and|but|btw)\b[,.:!]?\s*|(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would) like you to\s+|i (?:want|need) you to\s+|let(?:'s| us)\s+)+/i;
const CHAPTER = /^Turns (\d+) to \d+, (\d+) requests: (?:\(\d+ before\) )?/;

type WorkCandidate = Extract<Candidate, { readonly section: "openItems" }>;

type CostOf = (item: NewItem<"openItems">) => number;

/** Requests of many turns as one item, and the items that it takes the place of. */
export interface Chapter {
  readonly candidate: WorkCandidate;
  readonly merged: readonly OpenItem[];
}

/** What closed work of earlier turns becomes. */
export interface AgedWork {
  /** Items that are told shorter than before. */
  readonly lines: readonly WorkCandidate[];
  readonly chapter: Chapter | null;
}

/**
 * Closed work of earlier turns: a line each, with what came of it as far as the room goes, the newest first; the oldest
 * requests that have no room for a line become a chapter, with the chapter of earlier folds inside it.
 *
 * @param work items of the summary before.
 * @param room tokens of all work items, counted by `costOf`.
 */
export function agedWork(work: readonly OpenItem[], room: number, costOf: CostOf): AgedWork {
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

/** The oldest requests, oldest first, whose bare lines have no room beside those of the newer ones; none when they are few. */
function withoutRoom(closed: readonly OpenItem[], room: number, costOf: CostOf): readonly OpenItem[] {
  const requests = closed.filter(({ kind }) => kind === "request");
  let used = 0;
  const first = requests.findIndex((item) => (used += costOf(lineOf(item, false))) > room);
  const oldest = first < 0 ? [] : requests.slice(Math.max(1, first)).reverse();
  return oldest.length < LEAST_REQUESTS ? [] : oldest;
}

/** A line for each, newest first, with what came of it as far as the room goes. Only what changes is given. */
function linesOf(closed: readonly OpenItem[], room: number, costOf: CostOf): readonly WorkCandidate[] {
  const newest = closed.find(({ kind }) => kind === "request");
  let left = room - closed.reduce((sum, item) => sum + costOf(lineOf(item, false)), 0);
  return closed.flatMap((item): readonly WorkCandidate[] => {
    const [told, bare] = [lineOf(item, true), lineOf(item, false)];
    const more = costOf(told) - costOf(bare);
    // The newest keeps what came of it in any case.
    const line = more <= left || item === newest ? told : bare;
    if (line === told) left -= more;
    const isSame = line.description === item.description && line.context === item.context;
    return isSame ? [] : [{ section: "openItems", item: line, worth: 0, supersedes: item.id }];
  });
}

/** Its first sentences, with the first of what came of it. */
function lineOf({ id: _, ...item }: OpenItem, isTold: boolean): NewItem<"openItems"> {
  const context = !isTold || item.context === WENT_ON ? "" : sentenceExcerpt(item.context, MAX_LINE_CONTEXT);
  return { ...item, description: sentenceExcerpt(item.description, MAX_LINE), context };
}

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

const MAX_SOURCES = 100;

/** What a chapter names, or the beginning of what a request asks for; of one that was not done, what became of it. */
function titlesOf({ description, kind, status }: OpenItem): readonly string[] {
  if (kind === "chapter") return description.replace(CHAPTER, "").split("; ");
  const text = description.replace(OPENING, "").replace(/\s+/g, " ").replaceAll(";", ",").trim();
  const whole = text.length <= MAX_TITLE ? text : `${text.slice(0, text.lastIndexOf(" ", MAX_TITLE))} …`;
  const title = whole.replace(/[.!?:,]+$/, "");
  return title === "" ? [] : [status === "done" ? title : `${title} (${status})`];
}
