/** C0 and C1 controls but tab and line feed, and the marks that change the direction of text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a log as a terminal may show it: control characters, which could move the cursor or hide text, are spelled out. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** The beginning of a text on one line of at most so many characters, with an ellipsis where it was cut. */
export function singleLine(text: string, most: number): string {
  // A log may hold megabytes in one text; only what can be shown is looked at.
  const line = plainText(
    text
      .slice(0, most * 4)
      .toWellFormed()
      .replace(/\s+/g, " ")
      .trim(),
  );
  if (line.length <= most && text.length <= most * 4) return line;
  return `${line.slice(0, Math.max(0, most - 1)).trimEnd()}…`;
}
