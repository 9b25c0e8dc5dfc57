/** Letters that look like Latin ones, and the signs that people write for them. */
const LOOK_LIKE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["a", "аαᴀ@ɑ"],
    ["b", "вЬʙ"],
    ["c", "сϲᴄ"],
    ["d", "ԁᴅ"],
    ["e", "еёεєҽᴇ℮3"],
    ["f", "ғꜰ"],
    ["h", "нһʜ"],
    ["i", "іιɪı1"],
    ["k", "кκᴋ"],
    ["l", "ӏʟ"],
    ["m", "мᴍ"],
    ["n", "ոɴηп"],
    ["o", "оοσᴏօ0"],
    ["p", "рρᴘ"],
    ["r", "гᴦʀ"],
    ["s", "ѕꜱՏ5$"],
    ["t", "тτᴛ"],
    ["u", "υսᴜц"],
    ["v", "νѵᴠ"],
    ["x", "хχ×"],
    ["y", "уүγʏ"],
    ["z", "ᴢ"],
  ].flatMap(([plain = "", signs = ""]) => [...signs].map((sign) => [sign, plain])),
);

/**
 * What a text looks like to a reader of its letters alone: full-width, mathematical, accented and look-alike letters as
 * the Latin ones that they are taken for, without anything between them. To compare with words, never to show.
 */
export const plainLetters = (text: string): string =>
  [...text.normalize("NFKD").toLowerCase()]
    .map((sign) => LOOK_LIKE[sign] ?? sign)
    .join("")
    .replace(/\P{L}/gu, "");

/** How our own frames begin. Nothing else inside a frame may look like this at the start of a line. */
const HEADERS = [
  "Context Summary",
  "Externalized Content",
  "Rehydrated Content",
  "Pinned",
  "Pin lifted",
  "System notice",
  "Summary v",
  "End of",
].map(plainLetters);

/**
 * How much of a line is looked at behind its bracket: the longest header with a sign that is not seen behind each
 * letter.
 */
const LOOKED_AT = 48;

/**
 * The start of a line, in whatever way lines end, with what stands before its first visible word: white space, marks and
 * format characters, signs of lists and quotes. Behind it an opening bracket of any script.
 */
const BRACKET =
  /(?<=^|[\n\r\v\f\u0085\u2028\u2029])([^\p{L}\p{N}\p{P}\p{S}\n\r\v\f\u0085\u2028\u2029]|[-*+•–>"'“”„`#])*(?=[\p{Ps}<])/gu;

/**
 * Puts a backslash before every line that begins like one of our own headers, in whatever letters, so that content
 * inside a frame can neither end it nor open another one. The same text makes the same result; text without such a line
 * is returned as it is.
 */
export function escapeLookAlikes(text: string): string {
  return text.replace(BRACKET, (before, _last, place: number) => {
    const bracket = place + before.length;
    return looksLikeHeader(text.slice(bracket + 1, bracket + 1 + LOOKED_AT)) ? `${before}\\` : before;
  });
}

function looksLikeHeader(behindBracket: string): boolean {
  const letters = plainLetters(behindBracket);
  return HEADERS.some((header) => letters.startsWith(header));
}
