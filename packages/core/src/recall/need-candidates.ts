import type { JsonValue } from "../json/json-value.ts";
import type { Message } from "../model/message.ts";

/** The shortest candidate, in UTF-16 code units: shorter words are too common to find anything by. */
const SHORTEST = 6;
/** The longest candidate, in UTF-16 code units: anything longer is data, not a name. */
const LONGEST = 200;
/** Paths with at least one separator, relative or absolute. A first segment begins where no other one could. */
const PATH = /(?:(?<![\w.@~+-])[\w.@~+-]+)?(?:\/[\w.@+-]+)+/g;
/** Names as code and tools write them: dotted, snake, kebab or camel case, with digits, scoped by colons. */
const IDENTIFIER = /[A-Za-z_$][\w$]*(?:(?:[.:-]|::)[\w$]+)*/g;
const NUMBER = /(?<![\w.])\d[\d_,]*(?:\.\d+)?(?![\w])/g;
const QUOTED = /(["'`])([^"'`\s]{6,200})\1/g;
/** A quote of several words on one line. The apostrophe within a word opens and closes nothing. */
const QUOTED_WORDS = /(?<!\w)(["'`])(?=\S)([^"'`\n]{6,200})(?<=\S)\1(?!\w)/g;
const SEVERAL_WORDS = /[\p{L}\p{N}]\S*\s+\S*[\p{L}\p{N}]/u;
/**
 * A feature that plain words lack: a separator inside, a digit next to a letter, a capital after a lowercase letter.
 */
const NAME_LIKE = /[A-Za-z0-9][_./:@#-][A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|_/;

/**
 * Returns what tool calls may have taken from earlier messages: paths, identifiers, numbers and quoted strings in their
 * arguments, each once and in order.
 */
export function needCandidates(answers: readonly Pick<Message, "parts">[]): readonly string[] {
  const found = new Set<string>();
  for (const { parts } of answers) {
    for (const part of parts) {
      if (part.type !== "tool-call") continue;
      for (const text of part.invalidInput === undefined ? stringsIn(part.input) : [part.invalidInput])
        for (const candidate of candidatesIn(text)) found.add(candidate);
    }
  }
  return [...found];
}

/** Returns every text and number in a JSON value. Keys are the tool's own words and are left out. */
function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner as JsonValue));
}

function* candidatesIn(text: string): Generator<string> {
  for (const [path] of text.matchAll(PATH)) yield* ofUse(trimmed(path));
  for (const [name] of text.matchAll(IDENTIFIER)) if (NAME_LIKE.test(name)) yield* ofUse(name);
  for (const [number] of text.matchAll(NUMBER)) yield* ofUse(number);
  for (const [, , quoted] of text.matchAll(QUOTED))
    if (NAME_LIKE.test(quoted as string)) yield* ofUse(quoted as string);
  for (const [, , quoted] of text.matchAll(QUOTED_WORDS))
    if (SEVERAL_WORDS.test(quoted as string)) yield* ofUse(quoted as string);
}

/** A sentence's full stop is not part of a path. */
const trimmed = (path: string): string => path.replace(/(?<!\.)\.+$/, "");

function* ofUse(candidate: string): Generator<string> {
  if (candidate.length >= SHORTEST && candidate.length <= LONGEST) yield candidate;
}
