import { type ChatMessage, type ChatRequest, type JsonObject, type Part, toSystemText } from "@threadfold/core";
import { hasResultText } from "../../cache/mark-request.ts";
import { checkRules, type PathNames } from "../../legality/check-rules.ts";
import { partLocator } from "../../legality/locate-part.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import { markOpenai, type OpenaiMarking } from "../openai-breakpoints.ts";
import type { CacheOptions, ProviderFormat } from "../provider-format.ts";
import { isSaid, itemCount } from "./lower/message.ts";
import { lowerRequest } from "./lower/request.ts";
import { OPENAI_RESPONSES_REQUIREMENTS } from "./requirements.ts";
import { partsOf, responsesView } from "./responses-view.ts";
import { OPENAI_RESPONSES_RULES } from "./rules.ts";
import { openaiResponsesRequestSchema } from "./wire-schema.ts";

const NAMES: PathNames = { messages: "input", blocks: "content" };

/**
 * OpenAI's Responses API, without state at the provider (`store: false`). A host that wants reasoning back asks for
 * `include: ["reasoning.encrypted_content"]` where its model does not send it anyway.
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
  check(payload, manifest) {
    const view = responsesView(payload);
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
  // Instructions are a plain text; system texts with a role of their own are items.
  carriesSystem: ({ system }) => system.some((entry) => toSystemText(entry).role !== undefined),
};

function mark(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject {
  return markOpenai(payload, request, cache, MARKING);
}

/** Only what goes in has a place for a breakpoint. */
function carriesMark(part: Part, { role }: ChatMessage): boolean {
  if (role === "assistant") return false;
  return part.type === "tool-result" ? hasResultText(part) : isSaid(part);
}
