/** A piece of a text, and where it stands in it. */
export interface TextPage {
  readonly text: string;
  readonly start: number;
  /** Where the next piece begins; the text's length after the last one. */
  readonly end: number;
}

/** So many UTF-16 code units of a text from an offset on, at least one character, without splitting one. Null beyond the end. */
export function textPage(content: string, offset: number, limit: number): TextPage | null {
  if (offset > 0 && offset >= content.length) return null;
  const start = outsidePair(content, offset);
  const end = Math.max(start + 1, outsidePair(content, Math.min(content.length, start + limit)));
  const text = content.slice(start, splitsPair(content, end) ? end + 1 : end);
  return { text, start, end: start + text.length };
}

/** An index that splits no surrogate pair: the given one or the one before it. */
const outsidePair = (text: string, index: number): number => (splitsPair(text, index) ? index - 1 : index);

function splitsPair(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
