import { finishSteps, type Steps } from "@threadfold/core";

/**
 * The longest piece of text that is encoded whole, in UTF-16 code units. Encoders merge each piece (a word, a run of
 * punctuation, a run of whitespace) in time quadratic in its length, so one endless word would block the process.
 * Longer pieces are cut to this length. No word of any language is that long, so the count of ordinary text stays
 * exact.
 */
export const MAX_PIECE = 256;

const LONG_PIECE = /[\p{L}\p{M}]{256,}|\s{256,}|[^\s\p{L}\p{N}]{256,}/u;

/** Counts a text with an encoder, in time linear in its length whatever its content; a long text slice by slice. */
export function countBounded(text: string, count: (text: string) => number): number {
  return text.length <= SLICE ? countSlice(text, count) : finishSteps(countSlices(text, count));
}

/** Does the same as {@link countBounded}, in steps of one slice. */
export function* countSlices(text: string, count: (text: string) => number): Steps<number> {
  let tokens = 0;
  for (const slice of textSlices(text)) {
    tokens += countSlice(slice, count);
    yield;
  }
  return tokens;
}

function countSlice(text: string, count: (text: string) => number): number {
  if (!mayHoldLongPiece(text) || !LONG_PIECE.test(text)) return count(text);
  let tokens = 0;
  for (let start = 0; start < text.length; ) {
    const end = cutAfter(text, start);
    tokens += count(text.slice(start, end));
    start = end;
  }
  return tokens;
}

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const SIGN = 4;
const CLASS_OF_ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return LETTER;
  if (/[0-9]/.test(character)) return DIGIT;
  return /\s/.test(character) ? SPACE : SIGN;
});

/** A quick check without false negatives: non-ASCII characters count as part of whatever run they are in. */
function mayHoldLongPiece(text: string): boolean {
  let runClass = 0;
  let runLength = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? (CLASS_OF_ASCII[code] as number) : runClass;
    if (kind === runClass && kind !== DIGIT) {
      if (++runLength >= MAX_PIECE) return true;
    } else {
      runClass = kind;
      runLength = 1;
    }
  }
  return false;
}

/** Where the next cut ends: not inside a surrogate pair. */
function cutAfter(text: string, start: number): number {
  const end = Math.min(start + MAX_PIECE, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/**
 * The longest slice, in UTF-16 code units; longer texts are counted slice by slice. It takes a few milliseconds for the
 * slowest text, and is a multiple of three because most encodings have tokens of three digits.
 */
export const SLICE = 1_536;

/** A letter or digit that is one code unit long. */
const OF_A_WORD = /[\p{L}\p{N}]/u;
/**
 * What may continue the word before it: letters, digits and marks, half of a character that is two code units long, and
 * the apostrophe of a contraction.
 */
const MAY_GO_ON = /[\p{L}\p{N}\p{M}\p{Cs}']/u;

/**
 * Returns the slices of a text, always the same ones for the same text. A slice ends after the last word in its second
 * half. No encoder has a token that spans such a place, so the counts of the slices add up to that of the text. If no
 * word ends there, as in a script without spaces or a run of punctuation, the slice ends at a fixed length without
 * splitting a surrogate pair, which changes the count by a token or two.
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
