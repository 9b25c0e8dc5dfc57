import type { Part, ProviderAwareTokenizer, Steps } from "@threadfold/core";
import { type Calibration, learnedFactor } from "./calibration.ts";

/**
 * A counter whose figures are the base counter's times what was learned of a model. It is a value like its base: later
 * reports make a new calibration and so a new counter. The factor stands in the id, for instance `heuristic×1.12`, so
 * equal ids mean equal figures.
 */
export function calibratedTokenizer(
  base: ProviderAwareTokenizer,
  calibration: Calibration,
  model: string,
): ProviderAwareTokenizer {
  const { factor } = learnedFactor(calibration, model);
  const scale = (tokens: number): number => Math.round(tokens * factor);
  const countPartInSteps = base.countPartInSteps?.bind(base);
  const counter: ProviderAwareTokenizer = {
    id: `${base.id}×${factor.toFixed(2)}`,
    countTokens: (text) => scale(base.countTokens(text)),
    countPart: (part) => scale(base.countPart(part)),
    messageOverhead: (role) => scale(base.messageOverhead(role)),
    countMessage: ({ role, parts }) =>
      parts.reduce((sum, part) => sum + counter.countPart(part), counter.messageOverhead(role)),
    countToolSchemas: (tools) => scale(base.countToolSchemas(tools)),
    countRequest: ({ system, messages, tools }) =>
      messages.reduce(
        (sum, message) => sum + counter.countMessage(message),
        scale(base.countRequest({ system, messages: [], tools: [] })) + counter.countToolSchemas(tools),
      ),
    ...(countPartInSteps !== undefined && {
      *countPartInSteps(part: Part): Steps<number> {
        return scale(yield* countPartInSteps(part));
      },
    }),
  };
  return Object.freeze(counter);
}
