import type { InspectionIndex } from "@threadfold/inspection/rows";
import { type BodyReader, bodyText } from "../source/body-reader.ts";

/** A place where all words of a query stand: a message of the log, or a text that a request shows instead of some. */
export interface Hit {
  readonly list: "messages" | "texts";
  /** The ordinal of the message, or the place of the text. */
  readonly item: number;
  /** Text around the first of the words, on whatever lines it stands. */
  readonly passage: string;
}

/** Most hits that are kept: a list that nobody reads to its end. */
export const MOST_HITS = 5_000;

/** Words of a query, in small letters; what stands in quotation marks is one. */
export const queryWords = (query: string): readonly string[] =>
  [...query.toLowerCase().matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");

/**
 * Looks for a query in the whole log and in everything that requests show instead of it, chunk by chunk: gives the hits of
 * each as soon as it is read, and ends when `signal` says so. Where bodies are not in the page, it looks in titles.
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

/** A text cut where words stand, for marking them: every second piece is one of the words. */
export function markedPieces(text: string, words: readonly string[]): readonly string[] {
  const escaped = words.filter((word) => word !== "").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return escaped.length === 0 ? [text] : text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
}
