import type { ChatRequest, JsonObject } from "@threadfold/core";
import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import type { RenderManifest } from "../../input/render-manifest.ts";
import { checkRules, checkShape, messageLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { aiSdkView, type MessageRange } from "./ai-sdk-view.ts";
import { lowerMessage, lowerSystem, lowerTool } from "./lower.ts";
import { aiSdkPlaces, markAiSdk } from "./mark-ai-sdk.ts";
import { AI_SDK_RULES } from "./rules.ts";
import { aiSdkPromptSchema } from "./wire-schema.ts";

/**
 * Requirements of an AI SDK prompt. The SDK passes it to any provider, so it requires what every one of them requires:
 * complete pairs, a user first and last, ids and names of plain characters.
 */
const AI_SDK_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "user",
  systemInside: "notice",
  reasoning: { replay: "signed", provider: "*", binding: "prefix-bound", leads: ["*"], unsigned: "kept" },
  opaqueFrom: ["ai-sdk"],
  opaqueFields: ["type"],
  image: { base64: ["image/jpeg", "image/png", "image/gif", "image/webp"], urls: ["http", "https"], fileIds: false },
  file: { base64: ["application/pdf", "text/plain"], urls: ["http", "https"], fileIds: false },
  mediaRoles: ["user"],
  mediaInResults: true,
  textInFailures: true,
  toolInput: "object",
  marksFailures: true,
  callIds: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  fields: { texts: { "*": "all" }, messages: { "*": "all", openai: [] } },
  declaresTools: false,
});

/** The AI SDK's `ModelMessage[]`, with instructions and tools next to it. */
export const aiSdk: ProviderFormat = {
  id: "ai-sdk",
  messagesField: "messages",
  rules: { requirements: AI_SDK_REQUIREMENTS, rules: [SHAPE_RULE, ...AI_SDK_RULES] },
  lower: (request, { cache } = {}) => {
    const payload = lower(request);
    return { payload: cache === undefined ? payload : markAiSdk(payload, request, cache, lower) };
  },
  mark: (payload, request, cache) => markAiSdk(payload, request, cache, lower),
  places: aiSdkPlaces,
  check(payload, manifest) {
    const view = aiSdkView(payload, editedMessages(manifest));
    const shape = manifest === undefined ? checkShape(aiSdkPromptSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(AI_SDK_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

/** Returns the messages after an edit that reasoning is bound to; undefined when only the payload can tell. */
function editedMessages(manifest: RenderManifest | undefined): MessageRange | null | undefined {
  if (manifest === undefined) return undefined;
  const { reasoningBinding = "prefix-bound", firstEdited: from, firstUnedited: to } = manifest;
  return reasoningBinding !== "prefix-bound" || from === null || to === null ? null : { from, to };
}

/** Sends system text as instructions: the SDK rejects system messages among the others unless told to allow them. */
function lower({ system, tools, messages }: ChatRequest): JsonObject {
  return {
    ...(system.length > 0 && { instructions: system.map(lowerSystem) }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    messages: messages.map(lowerMessage),
  };
}
