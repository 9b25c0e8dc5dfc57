import type { ChatRequest } from "@threadfold/core";
import { checkRules } from "../../legality/check-rules.ts";
import { messageLocator } from "../../legality/locate-message.ts";
import { checkShape, SHAPE_RULE } from "../../legality/shape-rule.ts";
import type { LoweredRequest, ProviderFormat } from "../provider-format.ts";
import { neutralView } from "./neutral-view.ts";
import { NEUTRAL_REQUIREMENTS } from "./requirements.ts";
import { NEUTRAL_RULES } from "./rules.ts";
import { neutralRequestSchema } from "./wire-schema.ts";

/** Threadfold's own request, for people and golden files: what every provider's payload is lowered from. */
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
