/** Letters that are taken for Latin ones: those of other scripts, with strokes and hooks, turned ones, small capitals. */
const LETTERS: Readonly<Record<string, string>> = table([
  ["a", "аαᴀɑɐꓮꭺⲁ"],
  ["b", "вЬʙꓐꮟβⲃƀɓ"],
  ["c", "сϲᴄꓚꮯⲥƈȼ"],
  ["d", "ԁᴅꓓꓒꭰđɗɖð"],
  ["e", "еёεєҽᴇ℮ꓰꭼⲉɇəǝɘэ"],
  ["f", "ғꜰꓝƒ"],
  ["h", "нһʜհꓧꮋⲏħɦ"],
  // A small L, a capital I and their like are one letter to the eye.
  ["i", "lіιɪıӏʟłɨɩɫɬɭꓲꓡꭵꮮⲓꞁ"],
  ["k", "кκᴋꓗꮶⲕƙ"],
  ["m", "мᴍμꓟꮇⲙɱɯ"],
  ["n", "ոɴηпиռꓠⲛŋɲɳƞ"],
  ["o", "оοσᴏօθөѳꓳⲟøɵ"],
  ["p", "рρᴘҏꓑꮲⲣƥᵽꝑþ"],
  ["r", "гᴦʀяꓣꭱꮢⲅɍɼɽɾɹ"],
  ["s", "ѕꜱտςꓢꮪꮥʂƨ"],
  ["t", "тτᴛҭꓔꭲⲧŧƭʈʇ"],
  // The small upsilon is taken for a U, and the capital one for a Y.
  ["u", "yυսᴜцꓴʉʊуүγʏꓬꭹⲩɣ"],
  ["v", "νѵᴠꓦꮩʋⱱ"],
  ["x", "хχ×ꓫⲭҳ"],
  ["z", "ᴢꓜꮓⲍƶȥʐʒ"],
]);

/** Signs that people write for letters. They also stand for themselves, so texts are read with and without them. */
const SIGNS: Readonly<Record<string, string>> = table([
  ["a", "@4"],
  ["e", "3€"],
  ["i", "1!|¡"],
  ["o", "0"],
  ["s", "5$"],
  ["t", "7"],
]);

/** Where alphabets of signs begin that Unicode does not lead back to letters: white on black in circles and squares, and flags. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
const ALPHABET_LENGTH = 26;
const SMALL_A = 0x61;

function table(rows: readonly (readonly [plain: string, signs: string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.flatMap(([plain, signs]) => [...signs].map((sign) => [sign, plain])));
}

function letterOfAlphabet(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const start = ALPHABETS.find((first) => code >= first && code < first + ALPHABET_LENGTH);
  return start === undefined ? sign : String.fromCharCode(SMALL_A + code - start);
}

/** What cannot become a letter, so that it is not looked at any closer. */
const NO_LETTER = /[\p{DI}\p{M}\p{Z}\p{C}\p{P}+=~^`<>]+/gu;

/**
 * What a text looks like to a reader of its letters alone: full-width, mathematical, accented and look-alike letters as
 * the Latin ones that they are taken for, without anything between them. To compare with words, never to show.
 */
function lettersOf(text: string, signs: Readonly<Record<string, string>>): string {
  const isSigned = signs !== NO_SIGNS;
  const marks = text.replace(NO_LETTER, (run) => (isSigned ? [...run].map((sign) => signs[sign] ?? "").join("") : ""));
  return [...marks.normalize("NFKD").toLowerCase()]
    .map((sign) => signs[sign] ?? letterOfAlphabet(sign))
    .map((sign) => LETTERS[sign] ?? sign)
    .join("")
    .replace(/\P{L}|\p{DI}/gu, "")
    .replaceAll("rn", "m")
    .replaceAll("cl", "d");
}

const NO_SIGNS: Readonly<Record<string, string>> = {};

/** Phrases to compare texts with: see {@link beginsLike}. */
export class Phrases {
  readonly #phrases: readonly string[];
  #read: readonly string[] | undefined;

  constructor(phrases: readonly string[]) {
    this.#phrases = phrases;
  }

  /** The phrases' letters, read when a text is first compared: that takes Unicode's tables, and loading the library none. */
  get #letters(): readonly string[] {
    this.#read ??= this.#phrases.map((phrase) => lettersOf(phrase, NO_SIGNS));
    return this.#read;
  }

  /** Whether a text begins, to who reads its letters alone, like one of the phrases. */
  beginLike(text: string, start: number): boolean {
    return [NO_SIGNS, SIGNS].some((signs) => this.#areRead(text, start, signs));
  }

  #areRead(text: string, start: number, signs: Readonly<Record<string, string>>): boolean {
    const first = start + lengthOf(SPACE, text, start);
    const end = first + lengthOf(LINE, text, first);
    const near = lettersOf(text.slice(first, Math.min(end, first + NEAR)), signs);
    if (this.#letters.some((phrase) => near.startsWith(phrase))) return true;
    // Only where what is near may still become a phrase, hidden signs may have pushed it out of sight.
    if (end <= first + NEAR || !this.#letters.some((phrase) => phrase.startsWith(near))) return false;
    const far = lettersOf(text.slice(first, Math.min(end, first + FAR)), signs);
    return this.#letters.some((phrase) => far.startsWith(phrase));
  }
}

/** How much of a line is looked at in any case, in UTF-16 code units. */
const NEAR = 48;
/** How much of a line is looked at where the beginning hides something; who hides more hides it from models as well. */
const FAR = 1_024;

/** Whatever ends a line for somebody. */
const LINE_ENDS = "\\n\\r\\v\\f\\u001c-\\u001e\\u0085\\u2028\\u2029";
const SPACE = new RegExp(`[\\s${LINE_ENDS}]*`, "uy");
const LINE = new RegExp(`[^${LINE_ENDS}]*`, "uy");

/** How much of a text a sticky pattern takes from a place on. */
function lengthOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** How our own frames begin. Nothing else inside a frame may look like this at the start of a line. */
const HEADERS = new Phrases([
  "Context Summary",
  "Externalized Content",
  "Rehydrated Content",
  "Pinned",
  "Pin lifted",
  "System notice",
  "Summary v",
  "End of",
]);

/** An opening bracket of any script, or what looks like one. */
const OPENING = "[\\p{Ps}‹«<＜≪⟪⎡⎢┌╔┏╭]";

/** Letters to Unicode that nobody sees: the fillers of Hangul. No other alternative of the pattern may match them as well. */
const UNSEEN_LETTERS = "[\\u115f\\u1160\\u3164\\uffa0]";

/**
 * The start of a line with what stands before its first visible word: white space, marks, signs of lists and quotes, a
 * number or letter of a list, a box that is ticked. Behind it a bracket, unless a backslash is there already.
 */
const NO_WORD = `(?:[^\\p{L}\\\\${LINE_ENDS}]|\\\\(?!${OPENING})|${UNSEEN_LETTERS})*?`;
const LIST_SIGN = `(?:\\(?(?!${UNSEEN_LETTERS})\\p{L}[\\p{L}\\p{N}]{0,3}[.):]|[(\\[][xX][)\\]])`;
const BRACKET = new RegExp(`(?<=^|[${LINE_ENDS}])${NO_WORD}(?:${LIST_SIGN}${NO_WORD})?(?=${OPENING})`, "gu");

/**
 * Puts a backslash before every line that begins like one of our own headers, in whatever letters, so that content
 * inside a frame can neither end it nor open another one. The same text makes the same result; text without such a line
 * is returned as it is.
 */
export function escapeLookAlikes(text: string): string {
  return text.replace(BRACKET, (before, place: number) => {
    const bracket = place + before.length;
    return HEADERS.beginLike(text, bracket + 1) ? `${before}\\` : before;
  });
}
