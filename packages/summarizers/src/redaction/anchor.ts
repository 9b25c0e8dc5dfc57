/** The signs that anchors turn on: few enough in any text that a look at each of them costs next to nothing. */
export type AnchorSign = "_" | "-" | "." | ":" | "=" | "@" | "A" | "S";

/**
 * What every secret of a kind contains: a sign, what stands right before it, and what right behind it. Both are sources of
 * regular expressions without groups that capture.
 */
export interface Anchor {
  readonly before?: string;
  readonly sign: AnchorSign;
  readonly after?: string;
}

/** What stands on both sides of a `:`, `=` or `=>`. */
export const assigned = (before: string, after: string): readonly Anchor[] =>
  ([":", "="] as const).map((sign) => ({ before: `(?:${before})["']?\\s*`, sign, after: `>?\\s*["']?(?:${after})` }));

/** The source of a pattern for a word of ASCII letters in capitals, in small letters, and mixed. */
export const inAnyCase = (word: string): string =>
  [...word].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`).join("");
