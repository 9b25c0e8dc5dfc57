import { type JsonObject, type JsonValue, LARGE_INPUT_STRING, type ToolCallPart } from "@threadfold/core";

/** How much space names may take. */
export interface NameRoom {
  /** Maximum number of names. */
  readonly names: number;
  /** Maximum total length, in UTF-16 code units. */
  readonly length: number;
}

/** Length of a name: shorter words are too common to find anything with, and longer ones are data. */
const MIN_NAME = 6;
const MAX_NAME = 80;
/** How much of one text is read, in UTF-16 code units. */
const SCANNED = 100_000;

/** Matches a word, including the characters that paths and dotted names contain. */
const WORD = /[~@]?(?:\.{0,2}\/)?[\p{L}\p{N}_$]+(?:[./:@#\\-]+[\p{L}\p{N}_$]+)*/gu;
const DEFINITION =
  /\b(?:function|class|interface|type|enum|const|def|fn|struct|trait|func)\s+([\p{L}_$][\p{L}\p{N}_$]*)/gu;
/** Matches paths: a slash between words or at the start, or a file extension; `ref.Hash` is not one. */
const PATH = /[\p{L}\p{N}_]\/[\p{L}\p{N}_]|^[~.]?\/|^[^.]{2,}\.\p{Ll}{2,4}$/u;
const IDENTIFIER = /\p{L}.*[_$]|[_$].*\p{L}|\p{Ll}\p{Lu}|\p{L}\.\p{L}|\p{L}-?\p{N}{2,}/u;

/**
 * Returns the paths and identifiers in texts that are about to be hidden, most significant first: paths, then names
 * that the text defines, then names that recur, then the rest in order. An agent comes back to these, so they stay when
 * the texts go.
 */
export function tellingNames(texts: readonly string[], room: NameRoom): readonly string[] {
  const ranks = new Map<string, number>();
  for (const text of texts) rankNames(text.slice(0, SCANNED), ranks);
  const names: string[] = [];
  let length = 0;
  for (const [name] of [...ranks].sort(([, a], [, b]) => b - a)) {
    if (names.length === room.names || length + name.length > room.length) break;
    names.push(name);
    length += name.length;
  }
  return names;
}

function rankNames(text: string, ranks: Map<string, number>): void {
  const defined = new Set([...text.matchAll(DEFINITION)].map(([, name]) => name));
  for (const [name] of text.matchAll(WORD)) {
    if (name.length < MIN_NAME || name.length > MAX_NAME) continue;
    const known = ranks.get(name);
    if (known !== undefined) ranks.set(name, known + 1);
    else if (PATH.test(name)) ranks.set(name, 10_000);
    else if (defined.has(name)) ranks.set(name, 1_000);
    else if (IDENTIFIER.test(name)) ranks.set(name, 1);
  }
}

/** Space for the names of one call. */
const ROOM = Object.freeze({ names: 16, length: 320 });

/**
 * Returns the paths and identifiers in the large strings of a call's input, most significant first (60 % of what late
 * calls need is in the agent's own earlier arguments).
 */
export function inputNames({ input, invalidInput }: ToolCallPart): readonly string[] {
  return tellingNames(largeStrings(invalidInput ?? input), ROOM);
}

/** Returns how many characters of a call's input are in strings that are removed when it is cleared. */
export function largeCharacters({ input, invalidInput }: ToolCallPart): number {
  return largeStrings(invalidInput ?? input).reduce((sum, text) => sum + text.length, 0);
}

function largeStrings(value: JsonValue): readonly string[] {
  if (typeof value === "string") return value.length >= LARGE_INPUT_STRING ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const fields = Array.isArray(value) ? value : Object.values(value as JsonObject);
  return fields.flatMap((field) => (field === undefined ? [] : largeStrings(field)));
}
