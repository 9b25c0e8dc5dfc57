/** A stretch of text that is taken for a secret. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** The rule's name for it, such as `GITHUB_TOKEN`. */
  readonly messageId: string;
}

/** No rule knows a shorter secret. In UTF-16 code units. */
export const MIN_SECRET = 8;
