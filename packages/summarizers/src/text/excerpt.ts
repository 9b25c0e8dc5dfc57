/** White space of any kind as one space, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * The first characters of a text on one line, cut at a word's end and marked with an ellipsis when there is more. Reads
 * no more of the text than it needs. Lengths are UTF-16 code units.
 */
export function excerpt(text: string, maxLength: number): string {
  const line = oneLine(text.slice(0, maxLength * 2 + 200));
  if (line.length <= maxLength && text.length <= maxLength * 2 + 200) return line;
  const cut = line.slice(0, maxLength);
  const space = cut.lastIndexOf(" ");
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).toWellFormed().replace(/[\s,;:.\ufffd]+$/, "")}…`;
}

/** The same, but cut behind the last whole sentence when a good part of what fits is whole sentences. */
export function sentenceExcerpt(text: string, maxLength: number): string {
  const cut = excerpt(text, maxLength);
  if (!cut.endsWith("…")) return cut;
  const border = Math.max(...[". ", "! ", "? ", "。", "！", "？"].map((end) => cut.lastIndexOf(end)));
  return border < maxLength / 3 ? cut : `${cut.slice(0, border + 1)} …`;
}

/** Letters and digits of a text in lower case: equal keys mean the same statement, whatever its punctuation. */
export const statementKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/_.]+/gu, " ")
    .trim();

/** What stands in the place of a text's middle. */
export interface MiddleMarker {
  readonly textOf: (charactersLeftOut: number) => string;
  /** At most this many characters of marker, line breaks included. */
  readonly room: number;
}

const LEFT_OUT: MiddleMarker = Object.freeze({
  textOf: (left: number) => `[… ${left} characters left out …]`,
  room: 60,
});

/** No tokenizer packs more characters into a token than this for long, so longer text need not be counted. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/**
 * A text of at most this many tokens: itself, or its beginning and end around a marker that says how much is left out
 * (L7).
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
  // A cut may fall into a surrogate pair; what is left of it is left out.
  return `${head.replace(/[\ud800-\udbff]$/, "")}\n${textOf(left)}\n${tail.replace(/^[\udc00-\udfff]/, "")}`;
}
