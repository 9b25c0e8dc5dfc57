import type { Part } from "../model/part.ts";
import type { Steps } from "../time/steps.ts";
import type { ProviderAwareTokenizer } from "./tokenizer.ts";

/** The counters that are scaled already: a counter is asked for its figures far more often than its factor changes. */
const known = new WeakMap<
  ProviderAwareTokenizer,
  { readonly factor: number; readonly scaled: ProviderAwareTokenizer }
>();

/**
 * A counter whose figures are those of another one times a factor. The factor stands in the id, for instance
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
