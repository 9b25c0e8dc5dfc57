import { isUnsettled, type NewItem, type OpenItem } from "@threadfold/core";
import type { Candidate } from "./candidate.ts";

/** Of the room for work, what old closed requests take with a line each; the oldest beyond that become a chapter. */
const LINES_SHARE = 0.4;
/** Fewer requests are no chapter. */
const LEAST_REQUESTS = 4;
const MAX_TITLE = 64;
const MAX_CHAPTER = 900;
/** How a request begins that says nothing yet of what is asked. */
const OPENING =
  /^(?:(?:ok(?:ay)?|alright|all right|now|so|then|also|actually|next|good|great|right|yes|please|hey|hi|well|and|but|btw)\b[,.:!]?\s*|(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would) like you to\s+|i (?:want|need) you to\s+|let(?:'s| us)\s+)+/i;
const CHAPTER = /^Turns (\d+) to \d+, (\d+) requests: (?:\(\d+ before\) )?/;

/** Requests of many turns as one item, and the items that it takes the place of. */
export interface Chapter {
  readonly candidate: Extract<Candidate, { readonly section: "openItems" }>;
  readonly merged: readonly OpenItem[];
}

/**
 * The oldest closed requests as a chapter, with the chapter of earlier folds inside it; null when their lines have room.
 *
 * @param work items of the summary before.
 * @param room tokens of all work items, counted by `costOf`.
 */
export function chapterOf(
  work: readonly OpenItem[],
  room: number,
  costOf: (item: NewItem<"openItems">) => number,
): Chapter | null {
  const before = work.filter(({ kind }) => kind === "chapter");
  const closed = work
    .filter((item) => item.kind === "request" && !isUnsettled(item))
    .sort((a, b) => (b.turn ?? 0) - (a.turn ?? 0));
  let used = before.reduce((sum, item) => sum + costOf(item), 0);
  const newest = closed.findIndex((item) => (used += costOf(item)) > room * LINES_SHARE);
  const merged = newest < 0 ? [] : closed.slice(Math.max(1, newest)).reverse();
  if (merged.length < LEAST_REQUESTS) return null;
  const item = itemOf([...before, ...merged]);
  return { candidate: { section: "openItems", item, worth: 0, sure: true }, merged: [...before, ...merged] };
}

/** @param items chapters first, then requests; oldest first. */
function itemOf(items: readonly OpenItem[]): NewItem<"openItems"> {
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
