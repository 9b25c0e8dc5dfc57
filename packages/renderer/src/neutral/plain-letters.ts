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
 * What a text looks like to somebody who reads only its letters: full-width, mathematical, accented and look-alike letters
 * as the Latin ones that they are taken for, without anything between them. To compare with words, never to show.
 */
export const plainLetters = (text: string): string =>
  [...text.normalize("NFKD").toLowerCase()]
    .map((sign) => LOOK_LIKE[sign] ?? sign)
    .join("")
    .replace(/\P{L}/gu, "");
