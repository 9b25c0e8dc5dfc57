import { capabilitiesOf } from "../../../capabilities/capabilities-of.ts";
import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import type { AnthropicView } from "../anthropic-view.ts";
import { isPaused } from "./server-tools.ts";

export const endsOnUser: LegalityRule<AnthropicView> = {
  id: "W9",
  description:
    "The last message is of the user, unless the model may go on with a text of its own or with a server tool that it paused.",
  reference: "Last message",
  find(view) {
    const { payload, messages } = view;
    const model = asText(payload.model);
    if (model !== undefined && capabilitiesOf(model)?.prefill === true) return [];
    const last = messages.length - 1;
    return messages[last]?.role === "assistant" && !isPaused(view)
      ? [{ place: at(last), problem: "the request ends on an assistant turn" }]
      : [];
  },
};

export const startsOnUser: LegalityRule<AnthropicView> = {
  id: "W10",
  description: "The first message is of the user, or a server-side compaction block.",
  reference: "First message",
  find({ messages, blocks }) {
    const isIllegal = messages[0]?.role === "assistant" && blocks[0]?.block.type !== "compaction";
    return isIllegal ? [{ place: at(0), problem: "the request starts on an assistant turn" }] : [];
  },
};
