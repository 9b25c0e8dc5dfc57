import type { ChatRequest } from "@threadfold/core";
import { checkRules } from "../../legality/check-rules.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { LoweredRequest, ProviderFormat } from "../provider-format.ts";
import { anthropicView } from "./anthropic-view.ts";
import { blockLocator, blocksBeforeEdit } from "./locate-block.ts";
import { lowerMessages } from "./lower/messages.ts";
import { lowerTool } from "./lower/tools.ts";
import { ANTHROPIC_REQUIREMENTS } from "./requirements.ts";
import { ANTHROPIC_RULES } from "./rules.ts";
import { anthropicRequestSchema } from "./wire-schema.ts";

/** Anthropic's Messages API. */
export const anthropicMessages: ProviderFormat = {
  id: "anthropic-messages",
  rules: { requirements: ANTHROPIC_REQUIREMENTS, rules: [SHAPE_RULE, ...ANTHROPIC_RULES] },
  lower,
  check(payload, manifest) {
    const view = anthropicView(payload, manifest && blocksBeforeEdit(manifest));
    const shape = manifest === undefined ? checkShape(anthropicRequestSchema, payload) : [];
    return [...shape, ...checkRules(ANTHROPIC_RULES, view, manifest, (known) => blockLocator(view, known))];
  },
};

function lower({ system, tools, messages }: ChatRequest): LoweredRequest {
  return {
    payload: {
      ...(system.length > 0 && { system: system.map((text) => ({ type: "text", text })) }),
      ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
      messages: lowerMessages(messages),
    },
  };
}
