import type { FormatRequirements, OpaquePair } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, type PathNames, partLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import { GEMINI_COMMON } from "../gemini/common-requirements.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { interactionsView, partsOf } from "./interactions-view.ts";
import { lowerRequest } from "./lower.ts";
import { INTERACTIONS_RULES } from "./rules.ts";
import { interactionRequestSchema } from "./wire-schema.ts";

/** The provider's own tools, whose calls and results are steps. */
const HOSTED_TOOLS = [
  "code_execution",
  "file_search",
  "google_maps",
  "google_search",
  "mcp_server_tool",
  "processing",
  "retrieval",
  "url_context",
];

const pairOf = (tool: string): OpaquePair => ({
  call: `${tool}_call`,
  answer: `${tool}_result`,
  fields: ["id", "call_id"],
});

/** What Gemini's Interactions API requires of a request that carries the whole conversation. */
const INTERACTIONS_REQUIREMENTS = Object.freeze<FormatRequirements>({
  ...GEMINI_COMMON,
  reasoning: { replay: "signed", provider: "google", binding: "none", proofs: ["signature"] },
  opaqueFrom: ["google"],
  opaqueFields: ["type"],
  opaqueTypes: Object.fromEntries(
    HOSTED_TOOLS.flatMap((tool) => [
      [`${tool}_call`, ["id"]],
      [`${tool}_result`, ["call_id"]],
    ]),
  ),
  opaquePairs: HOSTED_TOOLS.map(pairOf),
});

const NAMES: PathNames = { messages: "input", blocks: "content" };

/**
 * Gemini's Interactions API, without state at the provider: `store: false` and the conversation as a list of steps,
 * which also contains `google_search_call` and the like.
 */
export const geminiInteractions: ProviderFormat = {
  id: "gemini-interactions",
  messagesField: "input",
  rules: { requirements: INTERACTIONS_REQUIREMENTS, rules: [SHAPE_RULE, ...INTERACTIONS_RULES] },
  lower: (request) => ({ payload: lowerRequest(request) }),
  check(payload, manifest) {
    const view = interactionsView(payload, manifest?.model);
    const shape = manifest === undefined ? checkShape(interactionRequestSchema, payload) : [];
    const counts = view.placed.map(partsOf);
    return [...shape, ...checkRules(INTERACTIONS_RULES, view, manifest, (known) => partLocator(counts, known), NAMES)];
  },
};
