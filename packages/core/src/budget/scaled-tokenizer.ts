import type { Part } from "../model/part.ts";
import type { Steps } from "../time/steps.ts";
import type { ProviderAwareTokenizer } from "./tokenizer.ts";

/** The scaled counters made so far: a counter is used far more often than its factor changes. */
const known = new WeakMap<
  ProviderAwareTokenizer,
  { readonly factor: number; readonly scaled: ProviderAwareTokenizer }
>();

/**
 * Returns a counter whose figures are another counter's times a factor. The factor is part of the id, such as
 * `heuristic×1.12`, so that equal ids mean equal figures.
 */
export function scaledTokenizer(base: ProviderAwareTokenizer, factor: number): ProviderAwareTokenizer {
  if (factor === 1) return base;
  const before = known.get(base);
  if (before?.factor === factor) return before.scaled;
  const scaled = times(base, factor);
  known.set(base, { factor, scaled });
  return scaled;
}

function times(base: ProviderAwareTokenizer, factor: number): ProviderAwareTokenizer {
  const scale = (tokens: number): number => Math.round(tokens * factor);
  const countPartInSteps = base.countPartInSteps?.bind(base);
  const counter: ProviderAwareTokenizer = {
    id: `${base.id}×${factor}`,
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
