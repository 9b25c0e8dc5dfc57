import type { InspectionIndex } from "@threadfold/inspection/rows";
import { type BodyReader, bodyText } from "../source/body-reader.ts";

/** A match for all words of a query: a message of the log, or a text that a request shows in place of messages. */
export interface Hit {
  readonly list: "messages" | "texts";
  /** The ordinal of the message, or the place of the text. */
  readonly item: number;
  /** Text around the first of the words, across line ends. */
  readonly passage: string;
}

/** Maximum number of hits kept: nobody reads a longer list to its end. */
export const MOST_HITS = 5_000;

/** Returns the words of a query, in lowercase; a quoted phrase counts as one word. */
export const queryWords = (query: string): readonly string[] =>
  [...query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");

/**
 * Searches the whole log and everything that requests show in its place, chunk by chunk: yields the hits of each chunk
 * as soon as it is read, and stops when `signal` is aborted. If the page has no bodies, it searches titles.
 */
export async function* search(
  { chunks, messages }: Pick<InspectionIndex, "chunks" | "messages">,
  bodies: BodyReader,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Hit[]> {
  const words = queryWords(query);
  if (words.length === 0) return;
  if (chunks.messages.length === 0) yield hitsIn("messages", 0, messages.title, words);
  for (const list of ["messages", "texts"] as const) {
    for (let chunk = 0; chunk < chunks[list].length; chunk++) {
      const { start, items } = await bodies.chunk(list, chunk);
      if (signal.aborted) return;
      const texts = items.map((item) => ("parts" in item ? bodyText(item) : item.text));
      yield hitsIn(list, start, texts, words);
    }
  }
}

const hitsIn = (list: Hit["list"], start: number, texts: readonly string[], words: readonly string[]): readonly Hit[] =>
  texts.flatMap((text, at) => {
    const passage = passageAround(text, words);
    return passage === undefined ? [] : [{ list, item: start + at, passage }];
  });

const BEFORE = 60;
const AFTER = 220;

function passageAround(text: string, words: readonly string[]): string | undefined {
  const small = text.toLowerCase();
  const places = words.map((word) => small.indexOf(word));
  if (places.includes(-1)) return undefined;
  const first = Math.min(...places);
  const start = Math.max(0, first - BEFORE);
  return `${start > 0 ? "…" : ""}${text.slice(start, first + AFTER)}${text.length > first + AFTER ? "…" : ""}`;
}

/** Splits a text around the words, for highlighting: every second piece is one of the words. */
export function markedPieces(text: string, words: readonly string[]): readonly string[] {
  const escaped = words.filter((word) => word !== "").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length === 0 ? [text] : text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
}
