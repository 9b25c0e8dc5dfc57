/** Words that only code, data and machines use: one wrong sign and they are worth nothing. */
const WORD = /[\p{L}\p{N}_@$~/.][\p{L}\p{N}_@$~./:\\+-]{2,200}/gu;
const TRAILING = /[./:\\+-]+$/;

/**
 * The words of a text that are copied exactly or are wrong: paths, file names, names with underscores or mixed case and
 * digits, versions, hashes and long numbers. Plain words and short numbers are not among them.
 */
export function codeWords(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(WORD)) {
    const word = match.replace(TRAILING, "");
    if (isCode(word)) found.add(word);
  }
  return [...found];
}

function isCode(word: string): boolean {
  if (word.length < 4) return false;
  if (/^\d+$/.test(word)) return true;
  if (/\p{L}/u.test(word) && /\d/.test(word) && !/^\d+(?:st|nd|rd|th|s|ms|px|kb|mb|gb|k|m)$/i.test(word)) return true;
  if (word.includes("_") || word.includes("\\") || /[/].*[/]|^[~./].*[/]/.test(word)) return true;
  return /\.[a-z][a-z0-9]{0,4}$/.test(word) && !/^[a-z]\.[a-z]$/i.test(word);
}
