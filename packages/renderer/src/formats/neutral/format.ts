import type { ChatRequest } from "@threadfold/core";
import { ANY_MEDIA, type FormatRequirements } from "../../capabilities/format-requirements.ts";
import { checkRules, checkShape, messageLocator, SHAPE_RULE } from "../../legality/check-rules.ts";
import type { LoweredRequest, ProviderFormat } from "../provider-format.ts";
import { NEUTRAL_RULES, neutralView } from "./rules.ts";
import { neutralRequestSchema } from "./wire-schema.ts";

/** What every provider requires: complete pairs, no blank text, a last turn to answer. Nothing else is changed. */
const NEUTRAL_REQUIREMENTS = Object.freeze<FormatRequirements>({
  opening: "anyone",
  systemInside: "native",
  reasoning: { replay: "always" },
  opaqueFrom: ["*"],
  opaqueFields: [],
  image: ANY_MEDIA,
  file: ANY_MEDIA,
  mediaRoles: ["user", "assistant"],
  mediaInResults: true,
  toolInput: "any",
  marksFailures: true,
  callIds: { refused: null, maxLength: null, uniqueIn: "batch" },
  toolNames: { refused: null, maxLength: null },
  fields: { texts: { "*": "all" }, messages: { "*": "all" } },
  declaresTools: false,
});

/** Threadfold's own request, for people and golden files; every provider's payload is lowered from it. */
export const neutral: ProviderFormat = {
  id: "neutral",
  messagesField: "messages",
  rules: { requirements: NEUTRAL_REQUIREMENTS, rules: [SHAPE_RULE, ...NEUTRAL_RULES] },
  lower,
  check(payload, manifest) {
    const view = neutralView(payload);
    const shape = manifest === undefined ? checkShape(neutralRequestSchema, payload) : [];
    return [
      ...shape,
      ...checkRules(NEUTRAL_RULES, view, manifest, (known) => messageLocator(view.messages.length, known)),
    ];
  },
};

function lower({ system, tools, messages }: ChatRequest): LoweredRequest {
  const lowered = messages.map(({ role, parts, synthetic, providerMetadata }) => ({
    role,
    parts,
    ...(synthetic !== undefined && { synthetic }),
    ...(providerMetadata !== undefined && { providerMetadata }),
  }));
  // Parts and definitions are JSON by their schemas; interfaces without an index signature need the cast.
  return { payload: { system, tools, messages: lowered } as unknown as LoweredRequest["payload"] };
}
