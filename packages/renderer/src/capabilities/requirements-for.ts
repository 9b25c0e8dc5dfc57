import { derivation } from "../input/derivation.ts";
import type { HostFields } from "../input/host-fields.ts";
import { capabilitiesOf, type ModelCapabilities } from "../input/model-capabilities.ts";
import type { RenderInput } from "../input/render-input.ts";
import type { FormatRequirements, ReasoningRequirement } from "./format-requirements.ts";

type Target = Pick<RenderInput, "model" | "capabilities" | "host">;

/**
 * Returns a format's requirements for one model, or the format's own table if nothing is known about the model. Returns
 * the same object for the same model.
 */
export function requirementsFor(requirements: FormatRequirements, target: Target): FormatRequirements {
  const capabilities = knownCapabilities(target);
  const allowed = target.host?.systemInside === true ? withSystemInside(requirements, null) : requirements;
  if (capabilities !== null) return narrowed(allowed, capabilities);
  const binding = bindingFor(target);
  return binding === undefined ? allowed : bound(allowed, binding);
}

/** A host that writes such messages itself knows that its model takes them. */
const withSystemInside = derivation(
  (requirements: FormatRequirements, _key: null): FormatRequirements =>
    requirements.systemInside === "known-models" ? { ...requirements, systemInside: "before-answer" } : requirements,
);

/**
 * Returns what the model's reasoning is bound to, if known: from the table, or because the host asks for thinking with
 * a fixed budget, which no model that binds thinking to the prefix accepts.
 */
export function bindingFor(target: Target): ModelCapabilities["reasoning"] | undefined {
  return knownCapabilities(target)?.reasoning ?? (hasManualThinking(target.host) ? "last-turn" : undefined);
}

/** Checks whether the host asks Anthropic for thinking with a budget, which puts additional rules on the request. */
const hasManualThinking = (host: HostFields | undefined): boolean => host?.thinking?.["type"] === "enabled";

const knownCapabilities = ({ model, capabilities }: Target): ModelCapabilities | null =>
  model === undefined ? null : capabilitiesOf(model, capabilities);

const narrowed = derivation(
  (requirements: FormatRequirements, capabilities: ModelCapabilities): FormatRequirements => ({
    ...requirements,
    reasoning: reasoningFor(requirements.reasoning, capabilities),
    ...(requirements.cacheMarks?.refusedElsewhere === true &&
      !capabilities.cacheBreakpoints && { cacheMarks: { ...requirements.cacheMarks, most: 0 } }),
    ...(requirements.standIn !== undefined &&
      !capabilities.compaction && { standIn: { ...requirements.standIn, refused: true as const } }),
    ...(requirements.searches !== undefined &&
      !capabilities.toolSearch && { searches: { ...requirements.searches, refused: true as const } }),
    systemInside: systemInsideFor(requirements.systemInside, capabilities),
    mediaInResults: requirements.mediaInResults !== false && capabilities.multimodalResults,
  }),
);

const bound = derivation(
  (requirements: FormatRequirements, binding: ModelCapabilities["reasoning"]): FormatRequirements => {
    const { reasoning } = requirements;
    const isBound = reasoning.replay === "signed" && reasoning.binding !== "none";
    return isBound ? { ...requirements, reasoning: { ...reasoning, binding } } : requirements;
  },
);

/** A format of several providers has the places of the model's own. */
function systemInsideFor(
  required: FormatRequirements["systemInside"],
  { systemInside }: ModelCapabilities,
): FormatRequirements["systemInside"] {
  if (systemInside && (required === "known-models" || required === "native")) return "before-answer";
  return required === "known-models" ? "notice" : required;
}

function reasoningFor(required: ReasoningRequirement, capabilities: ModelCapabilities): ReasoningRequirement {
  const { provider, reasoning: binding, reasoningText } = capabilities;
  if (required.replay === "never" && reasoningText)
    return { replay: "signed", provider, binding: "none", unsigned: "kept", follower: "beside" };
  if (required.replay !== "signed" || required.binding === "none") return required;
  return { ...required, provider: required.provider === "*" ? provider : required.provider, binding };
}
