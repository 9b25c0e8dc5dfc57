import { type SummarizeRequest, visibleText } from "@threadfold/core";
import { codeWords } from "./code-words.ts";
import type { SpanEvidence } from "./span-evidence.ts";

/** Where in its file something stands. */
const LINE = /:\d+(?:[:-]\d+)*$/;
/** A text with fewer names than this says nothing about where they are from. */
const LEAST_NAMES = 4;
const MOST_TOLD = 12;

/** The names of a text, and those of them that nobody said. */
export interface NamesOf {
  readonly all: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * The paths, names and numbers of a text in somebody's own words, and those of them that stand nowhere in what the text is
 * about. A path counts as known by its last part: prose says it in another spelling.
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

/** True for a text that can hardly be about the span: most of its names stand nowhere in it. */
export const isInvented = ({ all, unknown }: NamesOf): boolean =>
  all.length >= LEAST_NAMES && unknown.length * 2 > all.length;

/** The text with a last line that says which of its names nobody said. */
export function withUnknownNames(text: string, { unknown }: NamesOf): string {
  if (unknown.length === 0) return text;
  const told = unknown.slice(0, MOST_TOLD).join(", ");
  const more = unknown.length > MOST_TOLD ? ` and ${unknown.length - MOST_TOLD} more` : "";
  return `${text}\n\n${NOT_FOUND}${told}${more}.]`;
}

const NOT_FOUND = "[Not found in the messages that this tells of: ";

/** The names that an earlier text was not believed: that it said them makes them no truer. */
function doubtedIn(text: string): readonly string[] {
  const start = text.lastIndexOf(NOT_FOUND);
  return start < 0 ? [] : codeWords(text.slice(start + NOT_FOUND.length));
}
