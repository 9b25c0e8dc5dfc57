import {
  type JsonValue,
  type Message,
  type MessageId,
  renderSummary,
  type StructuredSummary,
  type SummarizeRequest,
  visibleText,
} from "@threadfold/core";
import type { Evidence } from "./read-answer.ts";

/** Looks up a model's claims in what was really said. */
export interface SpanEvidence {
  /** Returns the messages that a note names by number or quotes; none when they do not exist or were not shown. */
  sourcesOf(evidence: Evidence): readonly Message[];
  /** Returns the first messages that contain a text exactly. */
  messagesWith(text: string): readonly MessageId[];
  /** Checks whether a text occurs exactly in the span or in the previous notes. */
  holds(text: string): boolean;
}

const MIN_QUOTE = 8;
const MAX_SOURCES = 3;

/** Returns the evidence in a span. `numbers` are the messages that this call was shown, counted from 1. */
export function spanEvidence(
  messages: readonly Message[],
  numbers: ReadonlySet<number>,
  previous: StructuredSummary | null,
): SpanEvidence {
  const texts = messages.map(searchableText);
  const before = previous === null ? "" : [renderSummary(previous), ...pathsOf(previous)].join("\n");
  const indexesWith = (text: string): readonly number[] => {
    const found: number[] = [];
    for (let index = 0; index < texts.length && found.length < MAX_SOURCES; index++)
      if (texts[index]?.includes(text)) found.push(index);
    return found;
  };
  const known = new Map<string, boolean>();
  let words: ReadonlySet<string> | undefined;
  const stands = (text: string): boolean => {
    words ??= wordsOf(texts);
    return words.has(text) || texts.some((searched) => searched.includes(text));
  };
  return {
    sourcesOf: ({ sources, quote }) => {
      const named = [...new Set(sources)].filter((number) => numbers.has(number)).map((number) => number - 1);
      const quoted =
        quote === undefined || quote.trim().length < MIN_QUOTE ? [] : indexesWith(quote.trim()).slice(0, 1);
      return [...new Set([...named, ...quoted])].sort((a, b) => a - b).map((index) => messages[index] as Message);
    },
    messagesWith: (text) => indexesWith(text).map((index) => (messages[index] as Message).id),
    holds: (text) => {
      let held = known.get(text);
      if (held === undefined) {
        held = before.includes(text) || stands(text);
        known.set(text, held);
      }
      return held;
    },
  };
}

/** Complete paths: the rendered text leaves out the folder that paths share. */
const pathsOf = ({ files, identifiers }: StructuredSummary): readonly string[] => [
  ...files.map(({ path }) => path),
  ...identifiers.flatMap(({ where }) => where ?? []),
];

/** Separators between names: characters that names hardly ever contain. */
const BETWEEN = /[\s"'`()[\]{}<>,;=|*]+/;
const ENDS = /^[.:!?]+|[.:!?]+$/g;

/** The words of texts. Nearly every name is a word, and so need not be searched for in each text of a long span. */
function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) for (const word of text.split(BETWEEN)) words.add(word).add(word.replace(ENDS, ""));
  return words;
}

/** The text of a message, with arguments both as JSON and raw, because JSON escapes quotes and backslashes. */
function searchableText(message: Message): string {
  return [visibleText(message), ...message.parts.flatMap(moreOf)].join("\n");
}

function moreOf(part: Message["parts"][number]): readonly string[] {
  if (part.type === "tool-call") return strings(part.input);
  if (part.type !== "tool-result") return [];
  const { toolName, content, keyFields } = part.result;
  return [toolName, ...strings(keyFields), ...(content.type === "json" ? strings(content.value) : [])];
}

function strings(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** The names in a text, and those of them that are found nowhere. */
export interface NamesOf {
  readonly all: readonly string[];
  readonly unknown: readonly string[];
}

/** A line number after a path, with its column or the end of a range. */
const LINE = /:\d+(?:[:-]\d+)*$/;

/**
 * Returns the paths, names and numbers in a prose text, and those of them that are found nowhere in what the text is
 * about. A path counts as known if its last segment is, because prose may spell the rest differently.
 */
export function namesIn(text: string, request: SummarizeRequest, evidence: SpanEvidence): NamesOf {
  const { pins, overlap = [], instructions = "", previous } = request;
  const doubted = new Set(doubtedIn(previous?.narrative?.text ?? ""));
  const beside = [...pins.map((pin) => pin.text), ...overlap.map(visibleText), instructions].join("\n");
  const stands = (name: string): boolean =>
    doubted.has(name) ? evidence.messagesWith(name).length > 0 : evidence.holds(name);
  const isKnown = (name: string): boolean => stands(name) || beside.includes(name);
  const all = codeWords(text);
  const unknown = all.filter((name) => {
    const plain = name.replace(LINE, "");
    return !isKnown(plain) && !isKnown(plain.split(/[/\\]/).at(-1) || plain);
  });
  return { all, unknown };
}

/** With fewer names than this, a text is not judged by where they come from. */
const LEAST_NAMES = 4;

/** Checks whether a text can hardly be about the span, because most of its names are found nowhere. */
export const isInvented = ({ all, unknown }: NamesOf): boolean =>
  all.length >= LEAST_NAMES && unknown.length * 2 > all.length;

const MOST_TOLD = 12;

/** Returns the text with a final line that lists the names found nowhere. */
export function withUnknownNames(text: string, { unknown }: NamesOf): string {
  if (unknown.length === 0) return text;
  const told = unknown.slice(0, MOST_TOLD).join(", ");
  const more = unknown.length > MOST_TOLD ? ` and ${unknown.length - MOST_TOLD} more` : "";
  return `${text}\n\n${NOT_FOUND}${told}${more}.]`;
}

const NOT_FOUND = "[Not found in the messages that this tells of: ";

/** The names already marked as not found in an earlier text: repeating them does not make them true. */
function doubtedIn(text: string): readonly string[] {
  const start = text.lastIndexOf(NOT_FOUND);
  return start < 0 ? [] : codeWords(text.slice(start + NOT_FOUND.length));
}

/** Candidates for words of code, data and machines, which are worthless with one wrong character. */
const WORD = /[\p{L}\p{N}_@$~/.][\p{L}\p{N}_@$~./:\\+-]{2,200}/gu;
const TRAILING = /[./:\\+-]+$/;

/**
 * Returns the words of a text that are wrong unless copied exactly: paths, file names, names with underscores or with
 * letters and digits, versions, hashes and long numbers. Plain words and short numbers are not included.
 */
export function codeWords(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(WORD)) {
    const word = match.replace(TRAILING, "");
    if (isCode(word)) found.add(word);
  }
  return [...found];
}

function isCode(word: string): boolean {
  if (word.length < 4) return false;
  if (/^\d+$/.test(word)) return true;
  if (/\p{L}/u.test(word) && /\d/.test(word) && !/^\d+(?:st|nd|rd|th|s|ms|px|kb|mb|gb|k|m)$/i.test(word)) return true;
  if (word.includes("_") || word.includes("\\") || /[/].*[/]|^[~./].*[/]/.test(word)) return true;
  return /\.[a-z][a-z0-9]{0,4}$/.test(word) && !/^[a-z]\.[a-z]$/i.test(word);
}
