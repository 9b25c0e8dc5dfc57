/** White space of any kind as one space, none at the ends. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * The first characters of a text on one line, cut at a word's end and marked with an ellipsis when there is more. Reads
 * no more of the text than it needs. Lengths are UTF-16 code units.
 */
export function excerpt(text: string, maxLength: number): string {
  const line = oneLine(text.slice(0, maxLength * 2 + 200));
  if (line.length <= maxLength && text.length <= maxLength * 2 + 200) return line;
  const cut = line.slice(0, maxLength);
  const space = cut.lastIndexOf(" ");
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).toWellFormed().replace(/[\s,;:.\ufffd]+$/, "")}…`;
}

/** The same, but cut behind the last whole sentence when a good part of what fits is whole sentences. */
export function sentenceExcerpt(text: string, maxLength: number): string {
  const cut = excerpt(text, maxLength);
  if (!cut.endsWith("…")) return cut;
  const border = Math.max(...[". ", "! ", "? ", "。", "！", "？"].map((end) => cut.lastIndexOf(end)));
  return border < maxLength / 3 ? cut : `${cut.slice(0, border + 1)} …`;
}

/** Letters and digits of a text in lower case: equal keys mean the same statement, whatever its punctuation. */
export const statementKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/_.]+/gu, " ")
    .trim();
