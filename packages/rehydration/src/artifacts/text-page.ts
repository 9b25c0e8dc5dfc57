/** A page of a text and its range, in UTF-16 code units. */
export interface TextPage {
  readonly text: string;
  readonly start: number;
  /** Where the next page begins; the length of the text for the last page. */
  readonly end: number;
}

/**
 * Returns at most `limit` UTF-16 code units of a text from an offset on, but at least one character and without
 * splitting one. Null when the offset is beyond the end.
 */
export function textPage(content: string, offset: number, limit: number): TextPage | null {
  if (offset > 0 && offset >= content.length) return null;
  const start = outsidePair(content, offset);
  const end = Math.max(start + 1, outsidePair(content, Math.min(content.length, start + limit)));
  const text = content.slice(start, splitsPair(content, end) ? end + 1 : end);
  return { text, start, end: start + text.length };
}

/** Returns an index that splits no surrogate pair: the given one or the one before it. */
const outsidePair = (text: string, index: number): number => (splitsPair(text, index) ? index - 1 : index);

function splitsPair(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

/** Enough tokens for any marker; used to guess where to cut, never to count. */
const MARKER_TOKENS = 24;
/** Every counter counts at least one token for this many characters, so text beyond that is cut before counting. */
const MAX_CHARACTERS_PER_TOKEN = 16;

/** A text that was cut to a token limit. */
export interface TruncatedText {
  readonly text: string;
  readonly tokens: number;
  readonly truncated: boolean;
}

/**
 * Returns the text itself if it takes at most `maxTokens`, else its beginning followed by the marker. The cut is at a
 * line end if there is one close enough. The tokens are those of the counter and include the marker. Null when not even
 * the marker fits.
 *
 * @param marker returns the text that says what was cut, given the shown and total length in UTF-16 code units.
 */
export function truncateToTokens(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
  marker: (shown: number, total: number) => string,
): TruncatedText | null {
  if (text.length <= maxTokens * MAX_CHARACTERS_PER_TOKEN) {
    const tokens = countTokens(text);
    if (tokens <= maxTokens) return { text, tokens, truncated: false };
  }
  let length = firstGuess(text, maxTokens, countTokens);
  for (;;) {
    const end = cutBefore(text, length);
    const cut = `${text.slice(0, end)}${marker(end, text.length)}`;
    const tokens = countTokens(cut);
    if (tokens <= maxTokens) return { text: cut, tokens, truncated: true };
    if (end === 0) return null;
    length = Math.min(end - 1, Math.floor(end * Math.min(0.95, maxTokens / tokens)));
  }
}

function firstGuess(text: string, maxTokens: number, countTokens: (text: string) => number): number {
  const sample = text.slice(0, maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const perToken = sample.length / Math.max(1, countTokens(sample));
  return Math.min(text.length, Math.floor(Math.max(0, maxTokens - MARKER_TOKENS) * perToken));
}

/**
 * The end of the last whole line within `length`, or `length` if that loses too much; never inside a surrogate pair.
 */
function cutBefore(text: string, length: number): number {
  const end = Math.max(0, length);
  const line = text.lastIndexOf("\n", end - 1);
  if (line > end * 0.8) return line;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
