import type { ChatRequest, JsonObject, Part } from "@threadfold/core";
import { hasResultText } from "../../cache/mark-request.ts";
import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, messageLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import { markOpenai, type OpenaiMarking, openaiPlaces } from "../openai-breakpoints.ts";
import type { CacheOptions, ProviderFormat } from "../provider-format.ts";
import { audioOf, isRefusal, lowerMessage, lowerSystem, lowerTool } from "./lower.ts";
import { openaiChatView } from "./openai-chat-view.ts";
import { OPENAI_CHAT_RULES } from "./rules.ts";
import { openaiChatRequestSchema } from "./wire-schema.ts";

/** What OpenAI's Chat Completions API requires of a request. */
const OPENAI_CHAT_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "never" },
  opaqueFrom: [],
  opaqueFields: [],
  image: {
    base64: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    urls: ["http", "https", "data"],
    fileIds: false,
  },
  file: { base64: ["application/pdf", "audio/wav", "audio/mp3"], urls: [], fileIds: true },
  mediaRoles: ["user"],
  mediaInResults: false,
  toolInput: "object",
  freeTextCalls: true,
  marksFailures: false,
  callIds: { refused: null, maxLength: 40, uniqueIn: "batch" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  cacheMarks: { provider: "openai", field: "prompt_cache_breakpoint", most: 80, refusedElsewhere: true },
  fields: {
    texts: { openai: ["prompt_cache_breakpoint"] },
    messages: { openai: ["name", "role", "reasoning_details", "thinking_blocks", "annotations"] },
  },
  declaresTools: false,
});

/** The request format of OpenAI's Chat Completions API. */
export const openaiChat: ProviderFormat = {
  id: "openai-chat",
  messagesField: "messages",
  rules: { requirements: OPENAI_CHAT_REQUIREMENTS, rules: [SHAPE_RULE, ...OPENAI_CHAT_RULES] },
  lower: (request, { cache } = {}) => {
    const payload = lower(request);
    return { payload: cache === undefined ? payload : mark(payload, request, cache) };
  },
  mark,
  places: (request, cache) => openaiPlaces(request, cache, MARKING),
  check(payload, manifest) {
    const view = openaiChatView(payload, manifest?.host);
    const shape = manifest === undefined ? checkShape(openaiChatRequestSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(OPENAI_CHAT_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

/** Lowers a request. System texts are the first messages. */
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

/** Text can carry a breakpoint anywhere, media in user messages; a refusal cannot. */
function carriesMark(part: Part): boolean {
  if (part.type === "text") return !isRefusal(part.providerMetadata) && audioOf(part) === undefined;
  return part.type === "image" || part.type === "file" || (part.type === "tool-result" && hasResultText(part));
}
