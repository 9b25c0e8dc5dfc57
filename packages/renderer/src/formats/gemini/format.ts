import { checkRules, type PathNames } from "../../legality/check-rules.ts";
import { partLocator } from "../../legality/locate-part.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { ProviderFormat } from "../provider-format.ts";
import { geminiView } from "./gemini-view.ts";
import { lowerRequest } from "./lower/request.ts";
import { GEMINI_REQUIREMENTS } from "./requirements.ts";
import { GEMINI_RULES } from "./rules.ts";
import { geminiRequestSchema } from "./wire-schema.ts";

const NAMES: PathNames = { messages: "contents", blocks: "parts" };

/** Gemini's `generateContent`, as it goes over the wire. */
export const gemini: ProviderFormat = {
  id: "gemini",
  messagesField: "contents",
  rules: { requirements: GEMINI_REQUIREMENTS, rules: [SHAPE_RULE, ...GEMINI_RULES] },
  lower: (request) => ({ payload: lowerRequest(request) }),
  check(payload, manifest) {
    const view = geminiView(payload);
    const shape = manifest === undefined ? checkShape(geminiRequestSchema, payload) : [];
    const counts = view.contents.map(({ parts }) => parts.length);
    return [...shape, ...checkRules(GEMINI_RULES, view, manifest, (known) => partLocator(counts, known), NAMES)];
  },
};
