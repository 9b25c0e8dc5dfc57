/** Collapses white space of any kind to single spaces, and trims the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Returns the beginning of a text on one line, cut at the end of a word and marked with an ellipsis when there is more.
 * Reads no more of the text than it needs. Lengths are in UTF-16 code units.
 */
export function excerpt(text: string, maxLength: number): string {
  const line = oneLine(text.slice(0, maxLength * 2 + 200));
  if (line.length <= maxLength && text.length <= maxLength * 2 + 200) return line;
  const cut = line.slice(0, maxLength);
  const space = cut.lastIndexOf(" ");
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).toWellFormed().replace(/[\s,;:.\ufffd]+$/, "")}…`;
}

/**
 * Like {@link excerpt}, but cuts after the last whole sentence if whole sentences fill at least a third of the length.
 */
export function sentenceExcerpt(text: string, maxLength: number): string {
  const cut = excerpt(text, maxLength);
  if (!cut.endsWith("…")) return cut;
  const border = Math.max(...[". ", "! ", "? ", "。", "！", "？"].map((end) => cut.lastIndexOf(end)));
  return border < maxLength / 3 ? cut : `${cut.slice(0, border + 1)} …`;
}

/**
 * Like {@link excerpt}, but a longer text is cut to the piece that contains the first of some words that it has at all,
 * with an ellipsis where its beginning is missing.
 */
export function excerptAround(text: string, words: readonly string[], maxLength: number): string {
  const at = words.map((word) => text.indexOf(word)).find((index) => index >= 0) ?? 0;
  const start = Math.min(at - maxLength / 4, text.length - maxLength);
  const from = start <= 0 ? 0 : text.indexOf(" ", start) + 1;
  return `${from === 0 ? "" : "…"}${excerpt(text.slice(from), maxLength)}`;
}

/**
 * Returns the letters and digits of a text in lower case: equal keys mean equal statements, whatever the punctuation.
 */
export const statementKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/_.]+/gu, " ")
    .trim();

/** The marker that replaces the middle of a text. */
export interface MiddleMarker {
  readonly textOf: (charactersLeftOut: number) => string;
  /** The most characters that the marker takes, including line breaks. */
  readonly room: number;
}

const LEFT_OUT: MiddleMarker = Object.freeze({
  textOf: (left: number) => `[… ${left} characters left out …]`,
  room: 60,
});

/** No tokenizer packs more characters into a token than this for long, so longer text need not be counted. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * Cuts a text to at most this many tokens: returns it unchanged if it fits, else its beginning and end around a marker
 * that says how much is left out (L7).
 */
export function cutMiddle(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
  marker: MiddleMarker = LEFT_OUT,
): string {
  const candidate = text.slice(0, maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const tokens = countTokens(candidate);
  if (tokens <= maxTokens && candidate.length === text.length) return text;
  let room = Math.floor((candidate.length * maxTokens) / Math.max(1, tokens)) - marker.room;
  let cut = withoutMiddle(text, room, marker);
  while (room > 0 && countTokens(cut) > maxTokens) {
    room = Math.floor(room * 0.9) - 1;
    cut = withoutMiddle(text, room, marker);
  }
  return cut;
}

const HEAD_SHARE = 0.7;

function withoutMiddle(text: string, room: number, { textOf }: MiddleMarker): string {
  const head = text.slice(0, Math.max(0, Math.ceil(room * HEAD_SHARE)));
  const tail = room <= 0 ? "" : text.slice(text.length - Math.floor(room * (1 - HEAD_SHARE)));
  const left = text.length - head.length - tail.length;
  // A cut may split a surrogate pair; the remaining half is dropped.
  return `${head.replace(/[\ud800-\udbff]$/, "")}\n${textOf(left)}\n${tail.replace(/^[\udc00-\udfff]/, "")}`;
}
