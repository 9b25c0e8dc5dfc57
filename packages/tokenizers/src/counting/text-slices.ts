/**
 * Longer texts are counted slice by slice. In UTF-16 code units: a few milliseconds of the slowest text, and a multiple of
 * the three digits that most encodings have for a token.
 */
export const SLICE = 1_536;

/** A letter or digit, of those that are one code unit long. */
const OF_A_WORD = /[\p{L}\p{N}]/u;
/**
 * What may go on with the word before it: letters, digits and marks, half of a character that is two code units long, and
 * the apostrophe of a contraction.
 */
const MAY_GO_ON = /[\p{L}\p{N}\p{M}\p{Cs}']/u;

/**
 * The slices of a text, always the same ones for the same text. A slice ends behind the last word in its second half: no
 * encoder has a token that reaches over such a place, so that the slices count what the text counts. Where no word ends
 * there, in a script without spaces or a run of signs, it ends at a fixed length, which splits no surrogate pair and makes
 * a difference of a token or two.
 */
export function* textSlices(text: string, length = SLICE): Generator<string, void, void> {
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, length);
    yield start === 0 && end === text.length ? text : text.slice(start, end);
    start = end;
  }
}

function sliceEnd(text: string, start: number, length: number): number {
  const most = start + length;
  if (most >= text.length) return text.length;
  for (let end = most; end > start + length / 2; end--)
    if (OF_A_WORD.test(text[end - 1] as string) && !MAY_GO_ON.test(text[end] as string)) return end;
  return splitsCharacter(text, most) ? most - 1 : most;
}

/** True between the halves of a surrogate pair. */
function splitsCharacter(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const behind = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}
