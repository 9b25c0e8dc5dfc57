/** Cuts a text to one short line, so that it cannot break out of the line that a placeholder gives it. */
export function singleLine(text: string, maxCharacters: number): string {
  const head = text.length > maxCharacters ? `${cutAt(text, maxCharacters)}…` : text;
  return head.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

/** The first characters of a text, never half a surrogate pair. In UTF-16 code units. */
export function cutAt(text: string, characters: number): string {
  const last = text.charCodeAt(characters - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters);
}

/** The last characters of a text, never half a surrogate pair. In UTF-16 code units. */
export function tailFrom(text: string, characters: number): string {
  const start = text.length - characters;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}
