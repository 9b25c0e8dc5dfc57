import type { ChatRequest, JsonObject, Part } from "@threadfold/core";
import { hasResultText } from "../../cache/mark-request.ts";
import { checkRules } from "../../legality/check-rules.ts";
import { messageLocator } from "../../legality/locate-message.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import { markOpenai, type OpenaiMarking } from "../openai-breakpoints.ts";
import type { CacheOptions, ProviderFormat } from "../provider-format.ts";
import { lowerMessage } from "./lower/message.ts";
import { isRefusal } from "./lower/part-fields.ts";
import { lowerSystem } from "./lower/system.ts";
import { lowerTool } from "./lower/tool.ts";
import { openaiChatView } from "./openai-chat-view.ts";
import { OPENAI_CHAT_REQUIREMENTS } from "./requirements.ts";
import { OPENAI_CHAT_RULES } from "./rules.ts";
import { openaiChatRequestSchema } from "./wire-schema.ts";

/** OpenAI's Chat Completions API. */
export const openaiChat: ProviderFormat = {
  id: "openai-chat",
  messagesField: "messages",
  rules: { requirements: OPENAI_CHAT_REQUIREMENTS, rules: [SHAPE_RULE, ...OPENAI_CHAT_RULES] },
  lower: (request, { cache } = {}) => {
    const payload = lower(request);
    return { payload: cache === undefined ? payload : mark(payload, request, cache) };
  },
  mark,
  check(payload, manifest) {
    const view = openaiChatView(payload);
    const shape = manifest === undefined ? checkShape(openaiChatRequestSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(OPENAI_CHAT_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

/** System texts are messages, first. */
function lower({ system, tools, messages }: ChatRequest): JsonObject {
  return {
    messages: [...lowerSystem(system), ...messages.map(lowerMessage)],
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
  };
}

const MARKING: OpenaiMarking = {
  field: "messages",
  lower,
  itemsOf: () => 1,
  carries: carriesMark,
  carriesSystem: ({ system }) => system.length > 0,
};

function mark(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject {
  return markOpenai(payload, request, cache, MARKING);
}

/** Text has a place for a breakpoint wherever it is, media where the user sends them; a refusal has none. */
function carriesMark(part: Part): boolean {
  if (part.type === "text") return !isRefusal(part.providerMetadata);
  return part.type === "image" || part.type === "file" || (part.type === "tool-result" && hasResultText(part));
}
