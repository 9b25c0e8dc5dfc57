import { sha256 } from "@threadfold/core";

const LENGTH = 8;

/**
 * A word that stands in none of the texts, the same for the same texts. It begins the line before each message, so that
 * no content can pass for the beginning or the end of one.
 */
export function transcriptMark(texts: readonly string[]): string {
  let mark = sha256(JSON.stringify(texts)).slice(0, LENGTH);
  while (texts.some((text) => text.includes(mark))) mark = sha256(mark).slice(0, LENGTH);
  return mark;
}
