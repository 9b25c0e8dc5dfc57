import { type Mask, maskRules } from "./mask-rule.ts";
import { isMaskedId, type MaskedId } from "./masked-id.ts";
import { Placeholders } from "./placeholders.ts";
import { type TextMask, textMask } from "./text-mask.ts";

/** Masks the pieces of one conversation, with one numbering for all of them. */
export interface ConversationMask {
  readonly text: TextMask;
  id(kind: MaskedId, value: string): string;
  /** A time that stands in a field of its own. */
  time(value: string): string;
}

/**
 * The mask of one conversation.
 *
 * @param input the whole conversation as one text, so that placeholders can keep clear of what looks like one.
 * @param now what field times become, as ISO 8601.
 * @throws ThreadfoldError `INVALID_CONFIG` for a mask that is none.
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
