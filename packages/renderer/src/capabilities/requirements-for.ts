import type { FormatRequirements, ReasoningRequirement } from "../conform/format-requirements.ts";
import { derivation } from "../neutral/derivation.ts";
import type { ModelCapabilities } from "./model-capabilities.ts";

/**
 * What a format asks of a request for one model: the format's own table where nothing is known of the model. The same
 * object for the same model.
 */
export const requirementsFor = (
  requirements: FormatRequirements,
  capabilities: ModelCapabilities | null,
): FormatRequirements => (capabilities === null ? requirements : narrowed(requirements, capabilities));

const narrowed = derivation(
  (requirements: FormatRequirements, capabilities: ModelCapabilities): FormatRequirements => ({
    ...requirements,
    reasoning: reasoningFor(requirements.reasoning, capabilities),
    ...(requirements.cacheMarks?.refusedElsewhere === true &&
      !capabilities.cacheBreakpoints && { cacheMarks: { ...requirements.cacheMarks, most: 0 } }),
    mediaInResults: requirements.mediaInResults && capabilities.multimodalResults,
  }),
);

function reasoningFor(required: ReasoningRequirement, capabilities: ModelCapabilities): ReasoningRequirement {
  const { provider, reasoning: binding, reasoningText } = capabilities;
  if (required.replay === "never" && reasoningText)
    return { replay: "signed", provider, binding: "none", unsigned: "kept" };
  if (required.replay !== "signed" || required.binding === "none") return required;
  return { ...required, provider: required.provider === "*" ? provider : required.provider, binding };
}
