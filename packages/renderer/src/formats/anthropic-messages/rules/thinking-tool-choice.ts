import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, isPlainObject } from "../../../legality/plain-object.ts";
import type { AnthropicView } from "../anthropic-view.ts";

export const thinkingToolChoice: LegalityRule<AnthropicView> = {
  id: "thinking-tool-choice",
  description: "With a budget for thinking, no tool use is forced: `tool_choice` is auto or none.",
  reference: "Reasoning",
  find({ thinking, toolChoice }) {
    const isManual = isPlainObject(thinking) && thinking.type === "enabled";
    const choice = isPlainObject(toolChoice) ? asText(toolChoice.type) : undefined;
    return isManual && (choice === "any" || choice === "tool")
      ? [{ place: { path: "$.tool_choice" }, problem: "tool use is forced while thinking is enabled" }]
      : [];
  },
};
