import { type Mask, type MaskRule, maskRules } from "./mask-rule.ts";

/** Masks the pieces of one conversation, with one numbering for all of them. */
export interface ConversationMask {
  readonly text: TextMask;
  id(kind: MaskedId, value: string): string;
  /** Masks a time that has its own field. */
  time(value: string): string;
}

/**
 * Returns the mask of one conversation.
 *
 * @param input the whole conversation as one text, so that no placeholder collides with text that looks like one.
 * @param now the time that replaces times in fields, as ISO 8601.
 * @throws ThreadfoldError `INVALID_CONFIG` when a mask is invalid.
 */
export function conversationMask(masks: readonly Mask[], input: string, now: string): ConversationMask {
  const placeholders = new Placeholders(input);
  const ids = masks.includes("ids");
  const times = masks.includes("times");
  return {
    text: textMask(maskRules(masks), placeholders),
    id: (kind, value) => (!ids || isMaskedId(value) ? value : placeholders.of(kind, value)),
    time: (value) => (times ? now : value),
  };
}

/** Masks the values inside a text. */
export type TextMask = (text: string) => string;

/**
 * Masks texts by rules. It repeats until nothing is left to mask and never masks inside a placeholder, so that masking
 * a masked text changes nothing, even if the patterns look at the text around a match.
 */
function textMask(rules: readonly MaskRule[], placeholders: Placeholders): TextMask {
  if (rules.length === 0) return (text) => text;
  const names = [...new Set([...MASKED_IDS, ...rules.map(({ name }) => name)])].join("|");
  const placeholder = new RegExp(`(<(?:${names})(?:-\\d+)?>)`);
  return (text) => {
    let masked = text;
    for (let before = ""; before !== masked; ) {
      before = masked;
      for (const { name, pattern, numbered } of rules) {
        const placeholderOf = (value: string): string => (numbered ? placeholders.of(name, value) : name);
        // Splitting by a capture group leaves the placeholders at the odd indices.
        const pieces = masked
          .split(placeholder)
          .map((piece, index) =>
            index % 2 === 1 ? piece : piece.replace(pattern, (value) => `<${placeholderOf(value)}>`),
          );
        masked = pieces.join("");
      }
    }
    return masked;
  };
}

/** A placeholder in a text, or one that stands for a whole id. */
const ANY_PLACEHOLDER = /(?<![a-z-])[a-z]+(?:-[a-z]+)*-[1-9]\d*(?!\d)/g;

/**
 * Makes a placeholder for each value: its kind and a number, counted from 1 in order of first appearance, so that equal
 * values stay equal and different values stay different. A number that the input itself uses is skipped.
 */
class Placeholders {
  readonly #given = new Map<string, string>();
  readonly #taken: Set<string>;
  readonly #next = new Map<string, number>();

  /** @param input everything that will be masked, as one text. */
  constructor(input: string) {
    this.#taken = new Set(input.match(ANY_PLACEHOLDER) ?? []);
  }

  /** Returns the placeholder of a value, without brackets. It keeps the kind with which it first appeared. */
  of(kind: string, value: string): string {
    const given = this.#given.get(value);
    if (given !== undefined) return given;
    const placeholder = this.#free(kind);
    this.#given.set(value, placeholder);
    return placeholder;
  }

  #free(kind: string): string {
    for (let number = this.#next.get(kind) ?? 1; ; number++) {
      const placeholder = `${kind}-${number}`;
      if (this.#taken.has(placeholder)) continue;
      this.#next.set(kind, number + 1);
      return placeholder;
    }
  }
}

/**
 * The kinds of ids that are recognized by their field rather than by a pattern. Their placeholders have no brackets:
 * providers accept only letters, digits, hyphens and underscores in an id.
 */
const MASKED_IDS = ["thread", "message", "call", "pin", "item"] as const;
type MaskedId = (typeof MASKED_IDS)[number];

const PLACEHOLDER_ID = new RegExp(`^(?:${MASKED_IDS.join("|")})-\\d+$`);

/** True for an id that is already a placeholder. */
const isMaskedId = (id: string): boolean => PLACEHOLDER_ID.test(id);
