import type { FormatRequirements } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, type PathNames, partLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { GEMINI_COMMON } from "./common-requirements.ts";
import { geminiView } from "./gemini-view.ts";
import { lowerRequest } from "./lower.ts";
import { GEMINI_RULES } from "./rules.ts";
import { geminiRequestSchema } from "./wire-schema.ts";

/** What Gemini's `generateContent` requires of a request. */
const GEMINI_REQUIREMENTS = Object.freeze<FormatRequirements>({
  ...GEMINI_COMMON,
  reasoning: { replay: "signed", provider: "google", binding: "none", proofs: ["signature"] },
  signatures: { provider: "google", fields: ["thoughtSignature", "textSignature"] },
  opaqueFrom: ["google"],
  opaqueFields: [],
  opaqueKeys: ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
});

const NAMES: PathNames = { messages: "contents", blocks: "parts" };

/** Gemini's `generateContent`, in its wire format. */
export const gemini: ProviderFormat = {
  id: "gemini",
  messagesField: "contents",
  rules: { requirements: GEMINI_REQUIREMENTS, rules: [SHAPE_RULE, ...GEMINI_RULES] },
  lower: (request) => ({ payload: lowerRequest(request) }),
  check(payload, manifest) {
    const view = geminiView(payload, manifest?.model);
    const shape = manifest === undefined ? checkShape(geminiRequestSchema, payload) : [];
    const counts = view.contents.map(({ parts }) => parts.length);
    return [...shape, ...checkRules(GEMINI_RULES, view, manifest, (known) => partLocator(counts, known), NAMES)];
  },
};
