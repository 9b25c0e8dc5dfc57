import { checkRules, type PathNames } from "../../legality/check-rules.ts";
import { partLocator } from "../../legality/locate-part.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { ProviderFormat } from "../provider-format.ts";
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
  lower: (request) => ({ payload: lowerRequest(request) }),
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
