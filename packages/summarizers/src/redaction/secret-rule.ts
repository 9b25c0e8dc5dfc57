/** Finds the secrets of one issuer, or of a few that belong together. */
export interface SecretRule {
  /** At least one of these stands in every text in which the rule finds something. A rule without anchors always looks. */
  readonly anchors?: readonly Anchor[];
  find(text: string): Promise<readonly FoundSecret[]> | readonly FoundSecret[];
}

/** A stretch of text that is taken for a secret. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  /** The rule's name for it, such as `GITHUB_TOKEN`. */
  readonly messageId: string;
}

/** The characters that anchors are built around: rare enough in any text that looking at each of them costs next to nothing. */
export type AnchorSign = "_" | "-" | "." | ":" | "=" | "@" | "A" | "S";

/**
 * What every secret of a kind contains: a character, what stands right before it, and what stands right behind it, both as
 * sources of regular expressions without capturing groups.
 */
export interface Anchor {
  readonly before?: string;
  readonly sign: AnchorSign;
  readonly after?: string;
}

/** The source of a pattern for a word of ASCII letters in capitals, in small letters, and mixed. */
export const inAnyCase = (word: string): string =>
  [...word].map((letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`).join("");

/**
 * A rule that is one pattern. Where the pattern has a group named `name`, what that matches in front is kept; without
 * `isSecret` every match is one.
 *
 * @param isSecret tells by the match, without what is kept, whether it is a secret.
 */
export function rule(
  messageId: string,
  pattern: RegExp,
  anchors: readonly Anchor[],
  isSecret: (match: string) => boolean = () => true,
): SecretRule {
  return {
    ...(anchors.length > 0 && { anchors }),
    find: (text) =>
      [...text.matchAll(pattern)].flatMap(({ index, 0: match, groups }) => {
        const start = index + (groups?.["name"]?.length ?? 0);
        const end = index + match.length;
        return isSecret(text.slice(start, end)) ? [{ start, end, messageId }] : [];
      }),
  };
}
