import { eachRun } from "../../text/each-run.ts";

/** Shorter runs are words, longer ones are data and cut. In UTF-16 code units. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 220;
/** Letters from `À` to `ԯ` are those of the Latin, Greek and Cyrillic alphabets. */
const LAST_CODE = 0x52f;
const PLAIN = 1;
const TELLING = 2;
const DOT = 4;
const KINDS = Uint8Array.from({ length: LAST_CODE + 1 }, (_, code) => kindOf(String.fromCharCode(code)));
const DOT_BETWEEN_LETTERS = /[a-z]\.[a-z]/;

/**
 * The runs of letters, digits and the signs of paths in a text that are no plain words: such a run has a capital, a digit,
 * an underscore, a slash, or a dot between letters. Scripts without spaces between words are not part of runs, so a path
 * inside Chinese text is found.
 */
export function runsOf(text: string): readonly string[] {
  const runs: string[] = [];
  eachRun(text, KINDS, MIN_LENGTH, (start, end, bits) => {
    if (bits === PLAIN) return;
    if (bits & TELLING || DOT_BETWEEN_LETTERS.test(text.slice(start, end)))
      runs.push(text.slice(start, Math.min(end, start + MAX_LENGTH)));
  });
  return runs;
}

function kindOf(sign: string): number {
  if (/[A-Z0-9_/]/.test(sign)) return TELLING;
  if (sign === ".") return DOT;
  return /[a-z\-@~+À-ԯ]/.test(sign) ? PLAIN : 0;
}
