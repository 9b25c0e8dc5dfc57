/** Letters mistaken for Latin ones: from other scripts, with strokes and hooks, turned letters, small capitals. */
const LETTERS: Readonly<Record<string, string>> = table([
  ["a", "аαᴀɑɐꓮꭺⲁ"],
  ["b", "вЬʙꓐꮟβⲃƀɓ"],
  ["c", "сϲᴄꓚꮯⲥƈȼ"],
  ["d", "ԁᴅꓓꓒꭰđɗɖð"],
  ["e", "еёεєҽᴇ℮ꓰꭼⲉɇəǝɘэ"],
  ["f", "ғꜰꓝƒ"],
  ["h", "нһʜհꓧꮋⲏħɦ"],
  // A lowercase L, an uppercase I and the like are the same letter to the eye.
  ["i", "lіιɪıӏʟłɨɩɫɬɭꓲꓡꭵꮮⲓꞁ"],
  ["k", "кκᴋꓗꮶⲕƙ"],
  ["m", "мᴍμꓟꮇⲙɱɯ"],
  ["n", "ոɴηпиռꓠⲛŋɲɳƞ"],
  ["o", "оοσᴏօθөѳꓳⲟøɵ"],
  ["p", "рρᴘҏꓑꮲⲣƥᵽꝑþ"],
  ["r", "гᴦʀяꓣꭱꮢⲅɍɼɽɾɹ"],
  ["s", "ѕꜱտςꓢꮪꮥʂƨ"],
  ["t", "тτᴛҭꓔꭲⲧŧƭʈʇ"],
  // A lowercase upsilon looks like a U, an uppercase one like a Y.
  ["u", "yυսᴜцꓴʉʊуүγʏꓬꭹⲩɣ"],
  ["v", "νѵᴠꓦꮩʋⱱ"],
  ["x", "хχ×ꓫⲭҳ"],
  ["z", "ᴢꓜꮓⲍƶȥʐʒ"],
]);

/** Characters that people write for letters. They can also mean themselves, so texts are read with and without them. */
const SIGNS: Readonly<Record<string, string>> = table([
  ["a", "@4"],
  ["e", "3€"],
  ["i", "1!|¡"],
  ["o", "0"],
  ["s", "5$"],
  ["t", "7"],
]);

/**
 * Starts of symbol alphabets that Unicode does not decompose: white-on-black letters in circles and squares, and flags.
 */
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

/** Characters that cannot become a letter and are skipped. */
const NO_LETTER = /[\p{DI}\p{M}\p{Z}\p{C}\p{P}+=~^`<>]+/gu;

/**
 * Returns the letters that a reader sees in a text: full-width, mathematical, accented and look-alike letters become
 * the Latin ones that they resemble, and everything between them is removed. For comparison with words, never for
 * display.
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

/** Phrases to compare texts with: see {@link Phrases.beginLike}. */
export class Phrases {
  readonly #phrases: readonly string[];
  #read: readonly string[] | undefined;

  constructor(phrases: readonly string[]) {
    this.#phrases = phrases;
  }

  /** The phrases' letters, computed at the first comparison: that loads Unicode tables, which an import should not. */
  get #letters(): readonly string[] {
    this.#read ??= this.#phrases.map((phrase) => lettersOf(phrase, NO_SIGNS));
    return this.#read;
  }

  /** Checks whether a text begins, to a reader of its letters alone, like one of the phrases. */
  beginLike(text: string, start: number): boolean {
    return [NO_SIGNS, SIGNS].some((signs) => this.#areRead(text, start, signs));
  }

  #areRead(text: string, start: number, signs: Readonly<Record<string, string>>): boolean {
    const first = start + lengthOf(SPACE, text, start);
    const end = first + lengthOf(LINE, text, first);
    const near = lettersOf(text.slice(first, Math.min(end, first + NEAR)), signs);
    if (this.#letters.some((phrase) => near.startsWith(phrase))) return true;
    // Hidden characters can only have pushed a phrase out of sight if the near text may still become one.
    if (end <= first + NEAR || !this.#letters.some((phrase) => phrase.startsWith(near))) return false;
    const far = lettersOf(text.slice(first, Math.min(end, first + FAR)), signs);
    return this.#letters.some((phrase) => far.startsWith(phrase));
  }
}

/** How much of a line is always examined, in UTF-16 code units. */
const NEAR = 48;
/**
 * How much of a line is examined if its beginning hides something; text hidden deeper is hidden from models as well.
 */
const FAR = 1_024;

/** Everything that some reader treats as a line end. */
const LINE_ENDS = "\\n\\r\\v\\f\\u001c-\\u001e\\u0085\\u2028\\u2029";
const SPACE = new RegExp(`[\\s${LINE_ENDS}]*`, "uy");
const LINE = new RegExp(`[^${LINE_ENDS}]*`, "uy");

/** Returns the length of a sticky pattern's match at this position. */
function lengthOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** First words of our own frames. Nothing else inside a frame may look like this at the start of a line. */
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

/** An opening bracket of any script, or a look-alike. */
const OPENING = "[\\p{Ps}‹«<＜≪⟪⎡⎢┌╔┏╭]";

/**
 * Invisible characters that Unicode calls letters: the Hangul fillers. No other alternative of the pattern may match
 * them.
 */
const UNSEEN_LETTERS = "[\\u115f\\u1160\\u3164\\uffa0]";

/**
 * Matches the start of a line up to its first visible word: white space, marks, list and quote signs, a list number or
 * letter, a ticked box. A bracket must follow, unless a backslash already precedes it.
 */
const NO_WORD = `(?:[^\\p{L}\\\\${LINE_ENDS}]|\\\\(?!${OPENING})|${UNSEEN_LETTERS})*?`;
const LIST_SIGN = `(?:\\(?(?!${UNSEEN_LETTERS})\\p{L}[\\p{L}\\p{N}]{0,3}[.):]|[(\\[][xX][)\\]])`;
const BRACKET = new RegExp(`(?<=^|[${LINE_ENDS}])${NO_WORD}(?:${LIST_SIGN}${NO_WORD})?(?=${OPENING})`, "gu");

/**
 * Puts a backslash before the opening bracket of every line that begins like one of our own headers, in whatever
 * letters, so that content inside a frame can neither end the frame nor open another one. Deterministic; text without
 * such a line is returned unchanged.
 */
export function escapeLookAlikes(text: string): string {
  return text.replace(BRACKET, (before, place: number) => {
    const bracket = place + before.length;
    return HEADERS.beginLike(text, bracket + 1) ? `${before}\\` : before;
  });
}
