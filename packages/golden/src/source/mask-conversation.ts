import { asThreadId, systemText, withSystemText } from "@threadfold/core";
import { conversationMask } from "../mask/conversation-mask.ts";
import { maskEntries } from "../mask/mask-entries.ts";
import type { Mask } from "../mask/mask-rule.ts";
import type { GoldenConversation } from "./golden-conversation.ts";

/**
 * Masks a conversation before it is folded. Folding sees what the golden prompt shows, so that token counts, digests and
 * what follows from them do not change with a value that is masked.
 *
 * @param now what field times become, as ISO 8601.
 * @throws ThreadfoldError `INVALID_CONFIG` for a mask that is none.
 */
export function maskConversation(
  conversation: GoldenConversation,
  masks: readonly Mask[],
  now: string,
): GoldenConversation {
  const { threadId, frame, entries, pinned } = conversation;
  const mask = conversationMask(masks, JSON.stringify([threadId, frame, entries]), now);
  return {
    threadId: asThreadId(mask.id("thread", threadId)),
    frame: {
      system: frame.system.map((entry) => withSystemText(entry, mask.text(systemText(entry)))),
      tools: frame.tools.map((tool) =>
        tool.description === undefined ? tool : { ...tool, description: mask.text(tool.description) },
      ),
    },
    entries: masks.length === 0 ? entries : maskEntries(entries, mask),
    pinned,
  };
}
