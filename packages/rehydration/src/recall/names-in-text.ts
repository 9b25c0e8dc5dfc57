import { finishSteps, type Steps } from "@threadfold/core";

/** So many candidates are looked at in one step. */
const CANDIDATES_A_STEP = 256;
/** Shorter names are words, longer ones are data. In UTF-16 code units. */
const MIN_NAME = 6;
const MAX_NAME = 200;
/**
 * Paths; names, alone or joined by dots, colons and hyphens; hashes and long numbers. Scripts without spaces between words
 * are no part of a name, so that one inside Chinese text is found. Behind a colon a number is a place and no name. A run of
 * signs is entered at its beginning alone, so that it is read once.
 */
const CANDIDATE =
  /(?<![\w.~@+-])[\w.~@+-]*(?:\/[\w.@+-]+)+|[A-Za-zÀ-ԯ_$][\wÀ-ԯ$]*(?:(?:[.-]|::?(?=[A-Za-zÀ-ԯ_]))[\wÀ-ԯ]+)*|[0-9a-f]{8,}|\d{6,}/gu;
/** A name has a sign that plain words lack: a separator, a digit, an inner capital. */
const NAME = /[_$/\d]|\p{Ll}\p{Lu}|[\p{L}\p{N}](?:[.-]|::?)[\p{L}\p{N}]|\p{Lu}{2}\p{Ll}/u;
/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;
/** `.` ends sentences, `-` begins options, and searches print `path-12-` beside their context. */
const ENDS = /^[-+@]+|(?<=\.\w{1,5})-\d+-?$|[.+@-]+$/g;

/**
 * The identifiers, paths, hashes and long numbers in a text, each once, in order. A name of several parts also counts by
 * each of them.
 */
export function namesInText(text: string): readonly string[] {
  return finishSteps(namesInSteps(text));
}

/** What {@link namesInText} gives, step by step. */
export function* namesInSteps(text: string): Steps<readonly string[]> {
  const names = new Set<string>();
  let read = 0;
  for (const [candidate] of text.replace(ESCAPED_SPACE, " ").matchAll(CANDIDATE)) {
    if (read++ % CANDIDATES_A_STEP === 0) yield;
    if (candidate.length > MAX_NAME) continue;
    for (const name of namesIn(candidate.replace(ENDS, "")))
      if (name.length >= MIN_NAME && NAME.test(name)) names.add(name);
  }
  return [...names];
}

/** A path as a whole. Any other candidate as a whole, by what colons and hyphens join, and by its single names. */
const namesIn = (candidate: string): readonly string[] =>
  candidate.includes("/") ? [candidate] : [candidate, ...candidate.split(/[:-]+/), ...candidate.split(/[.:-]+/)];

/** Quotes of this length are texts that somebody looks for, and neither single letters nor passages. In UTF-16 code units. */
const SHORTEST = 6;
const LONGEST = 200;
/** Opening signs and what closes them. The apostrophe within a word opens and closes nothing. */
const QUOTED =
  /(?<!\w)(["'`])(?=\S)([^"'`\n]{6,200})(?<=\S)\1(?!\w)|[“„«「『](?=\S)([^“”„«»「」『』\n]{6,200})[”“»」』]/gu;
const SEVERAL_WORDS = /[\p{L}\p{N}]\S*\s+\S*[\p{L}\p{N}]/u;

/** The quotes of several words in a text, word for word, each once, in order: messages, titles and phrases that no name stands for. */
export function quotedTexts(text: string): readonly string[] {
  const quotes = new Set<string>();
  for (const [, , plain, typographic] of text.matchAll(QUOTED)) {
    const quote = (plain ?? typographic ?? "").trim();
    if (quote.length >= SHORTEST && quote.length <= LONGEST && SEVERAL_WORDS.test(quote)) quotes.add(quote);
  }
  return [...quotes];
}
