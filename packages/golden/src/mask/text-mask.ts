import type { MaskRule } from "./mask-rule.ts";
import { MASKED_IDS } from "./masked-id.ts";
import type { Placeholders } from "./placeholders.ts";

/** Masks what is inside a text. */
export type TextMask = (text: string) => string;

/**
 * Masks texts by rules. It goes over a text until nothing is left to mask, and never into a placeholder, so that masking
 * a masked text changes nothing whatever the patterns look at around them.
 */
export function textMask(rules: readonly MaskRule[], placeholders: Placeholders): TextMask {
  if (rules.length === 0) return (text) => text;
  const names = [...new Set([...MASKED_IDS, ...rules.map(({ name }) => name)])].join("|");
  const placeholder = new RegExp(`(<(?:${names})(?:-\\d+)?>)`);
  return (text) => {
    let masked = text;
    for (let before = ""; before !== masked; ) {
      before = masked;
      for (const { name, pattern, numbered } of rules) {
        const placeholderOf = (value: string): string => (numbered ? placeholders.of(name, value) : name);
        // Splitting by a group leaves the placeholders at the odd places.
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
