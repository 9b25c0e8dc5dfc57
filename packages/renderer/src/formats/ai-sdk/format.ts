import type { ChatRequest, JsonObject } from "@threadfold/core";
import { checkRules } from "../../legality/check-rules.ts";
import { messageLocator } from "../../legality/locate-message.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { RenderManifest } from "../../manifest/render-manifest.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { aiSdkView, type MessageRange } from "./ai-sdk-view.ts";
import { lowerMessage } from "./lower/message.ts";
import { lowerSystem } from "./lower/system.ts";
import { lowerTool } from "./lower/tool.ts";
import { markAiSdk } from "./mark-ai-sdk.ts";
import { AI_SDK_REQUIREMENTS } from "./requirements.ts";
import { AI_SDK_RULES } from "./rules.ts";
import { aiSdkPromptSchema } from "./wire-schema.ts";

/** The AI SDK's `ModelMessage[]`, with instructions and tools beside it. */
export const aiSdk: ProviderFormat = {
  id: "ai-sdk",
  messagesField: "messages",
  rules: { requirements: AI_SDK_REQUIREMENTS, rules: [SHAPE_RULE, ...AI_SDK_RULES] },
  lower: (request, { cache } = {}) => {
    const payload = lower(request);
    return { payload: cache === undefined ? payload : markAiSdk(payload, request, cache, lower) };
  },
  mark: (payload, request, cache) => markAiSdk(payload, request, cache, lower),
  check(payload, manifest) {
    const view = aiSdkView(payload, editedMessages(manifest));
    const shape = manifest === undefined ? checkShape(aiSdkPromptSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(AI_SDK_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

/** The messages behind an edit that reasoning is bound to; undefined when only the payload can tell. */
function editedMessages(manifest: RenderManifest | undefined): MessageRange | null | undefined {
  if (manifest === undefined) return undefined;
  const { reasoningBinding = "prefix-bound", firstEdited: from, firstUnedited: to } = manifest;
  return reasoningBinding !== "prefix-bound" || from === null || to === null ? null : { from, to };
}

/** System text is instructions: the SDK refuses system messages among the others unless it is told to let them pass. */
function lower({ system, tools, messages }: ChatRequest): JsonObject {
  return {
    ...(system.length > 0 && { instructions: system.map(lowerSystem) }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    messages: messages.map(lowerMessage),
  };
}
