/**
 * Text with everything made visible that would change how its neighbours read: control characters, and the marks that turn
 * the direction of writing round. Line ends and tabs stay.
 */
export const plainText = (text: string): string => (HIDDEN.test(text) ? text.replace(ALL_HIDDEN, visible) : text);

/** The same on one line. */
export const onOneLine = (text: string): string => plainText(text).replace(/\s+/g, " ");

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const ALL_HIDDEN = new RegExp(HIDDEN, "g");

/** A control character of ASCII has a picture of its own; the others are written as JSON writes them. */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return "";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
}
