import { type ChatMessage, type ChatRequest, type JsonObject, type Part, toSystemText } from "@threadfold/core";
import { hasResultText } from "../../cache/mark-request.ts";
import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, type PathNames, partLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import { markOpenai, type OpenaiMarking, openaiPlaces } from "../openai-breakpoints.ts";
import type { CacheOptions, ProviderFormat } from "../provider-format.ts";
import { REASONED_ITEMS } from "./item-ids.ts";
import { isSaid, itemCount, lowerRequest } from "./lower.ts";
import { partsOf, responsesView } from "./responses-view.ts";
import { OPENAI_RESPONSES_RULES } from "./rules.ts";
import { openaiResponsesRequestSchema } from "./wire-schema.ts";

const CALL_ID = ["call_id", "call_id"] as const;

/** What OpenAI's Responses API requires of a request that stores nothing. */
export const OPENAI_RESPONSES_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "signed", provider: "openai", binding: "none", proofs: ["encrypted"], follower: "own" },
  opaqueFrom: ["openai"],
  opaqueFields: ["type"],
  opaqueTypes: {
    compaction: ["encrypted_content"],
    web_search_call: [],
    file_search_call: ["id"],
    code_interpreter_call: ["id"],
    image_generation_call: ["id"],
    mcp_call: ["id"],
    mcp_list_tools: ["id"],
    mcp_approval_request: ["id"],
    mcp_approval_response: ["approval_request_id"],
    computer_call: ["call_id"],
    computer_call_output: ["call_id"],
    shell_call: ["call_id"],
    shell_call_output: ["call_id"],
    apply_patch_call: ["call_id"],
    apply_patch_call_output: ["call_id"],
    tool_search_call: [],
    tool_search_output: [],
    program: ["call_id", "fingerprint"],
    program_output: ["call_id"],
    configuration_update: [],
  },
  opaquePairs: [
    { call: "mcp_approval_request", answer: "mcp_approval_response", fields: ["id", "approval_request_id"] },
    { call: "computer_call", answer: "computer_call_output", fields: CALL_ID },
    { call: "shell_call", answer: "shell_call_output", fields: CALL_ID },
    { call: "apply_patch_call", answer: "apply_patch_call_output", fields: CALL_ID },
    { call: "program", answer: "program_output", fields: CALL_ID, mayBeOpen: true },
    // A search that the provider runs itself has no id: its output is the next one.
    { call: "tool_search_call", answer: "tool_search_output", fields: CALL_ID },
  ],
  searches: { types: ["tool_search_call", "tool_search_output"] },
  opaqueReasoned: REASONED_ITEMS,
  callers: { provider: "openai", field: "caller", reference: "caller_id", item: ["program", "call_id"] },
  opaqueOnce: "id",
  standIn: { type: "compaction", contents: ["encrypted_content"], keeps: "user" },
  image: {
    base64: ["image/jpeg", "image/png", "image/gif", "image/webp"],
    urls: ["http", "https", "data"],
    fileIds: true,
  },
  file: { base64: ["application/pdf"], urls: ["http", "https"], fileIds: true },
  mediaRoles: ["user"],
  mediaInResults: true,
  toolInput: "object",
  freeTextCalls: true,
  marksFailures: false,
  callIds: { refused: null, maxLength: 64, uniqueIn: "request" },
  toolNames: { refused: /[^a-zA-Z0-9_-]/, maxLength: 64 },
  toolNamespaces: true,
  cacheMarks: { provider: "openai", field: "prompt_cache_breakpoint", most: 80, refusedElsewhere: true },
  fields: { texts: { openai: ["prompt_cache_breakpoint"] }, messages: { openai: ["role"] } },
  declaresTools: false,
});

const NAMES: PathNames = { messages: "input", blocks: "content" };

/**
 * OpenAI's Responses API, without state at the provider (`store: false`). A host that wants reasoning back requests
 * `include: ["reasoning.encrypted_content"]`, unless its model sends it anyway.
 */
export const openaiResponses: ProviderFormat = {
  id: "openai-responses",
  messagesField: "input",
  rules: { requirements: OPENAI_RESPONSES_REQUIREMENTS, rules: [SHAPE_RULE, ...OPENAI_RESPONSES_RULES] },
  lower: (request, { cache } = {}) => {
    const payload = lowerRequest(request);
    return { payload: cache === undefined ? payload : mark(payload, request, cache) };
  },
  mark,
  places: (request, cache) => openaiPlaces(request, cache, MARKING),
  check(payload, manifest) {
    const view = responsesView(payload, manifest?.host, manifest?.model);
    const shape = manifest === undefined ? checkShape(openaiResponsesRequestSchema, payload) : [];
    const found = checkRules(
      OPENAI_RESPONSES_RULES,
      view,
      manifest,
      (known) => partLocator(view.items.map(partsOf), known),
      NAMES,
    );
    return [...shape, ...found];
  },
};

const MARKING: OpenaiMarking = {
  field: "input",
  lower: lowerRequest,
  itemsOf: itemCount,
  carries: carriesMark,
  // Instructions are a plain text; system texts with their own role are items.
  carriesSystem: ({ system }) => system.some((entry) => toSystemText(entry).role !== undefined),
};

function mark(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject {
  return markOpenai(payload, request, cache, MARKING);
}

/** Only input has a place for a breakpoint. */
function carriesMark(part: Part, { role }: ChatMessage): boolean {
  if (role === "assistant") return false;
  return part.type === "tool-result" ? hasResultText(part) : isSaid(part);
}
