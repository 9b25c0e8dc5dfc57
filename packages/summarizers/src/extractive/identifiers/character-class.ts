/** What a character is to the scanner of identifiers and paths. Bits, so that a run's characters can be gathered. */
export const BREAK = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
export const DASH = 16;
export const DOT = 32;
export const SLASH = 64;
/** Signs that stand in paths and package names only. */
export const PATH_SIGN = 128;

const CLASS_OF_SIGN: Readonly<Record<string, number>> = {
  _: UNDERSCORE,
  "-": DASH,
  ".": DOT,
  "/": SLASH,
  "@": PATH_SIGN,
  "~": PATH_SIGN,
  "+": PATH_SIGN,
};

/** Latin, Greek and Cyrillic letters end here. Scripts beyond it are written without spaces, so a path inside Chinese text is a run of its own. */
const ALPHABETS_END = 0x530;

/** The class of every UTF-16 code unit. One table for all of them, because a look-up is cheaper than a comparison. */
export const CLASS_OF_CODE: Uint8Array = new Uint8Array(1 << 16);
for (let code = 0; code < ALPHABETS_END; code++) CLASS_OF_CODE[code] = classOf(String.fromCharCode(code));

function classOf(character: string): number {
  if (/[a-z]/.test(character) || (character > "\u00bf" && /\p{L}/u.test(character))) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/[0-9]/.test(character)) return DIGIT;
  return CLASS_OF_SIGN[character] ?? BREAK;
}
