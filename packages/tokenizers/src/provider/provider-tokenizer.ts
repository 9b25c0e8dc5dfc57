import type { Part, ProviderAwareTokenizer, Steps } from "@threadfold/core";
import { countBounded, countSlices } from "../counting/bounded-pieces.ts";
import { composeTokenizer, countPartInSteps } from "../counting/composed-tokenizer.ts";
import type { TokenCount } from "../encodings/token-count.ts";
import { PROVIDER_PROFILES, type ProviderFamily, type ProviderProfile } from "./provider-overheads.ts";

const ENCODINGS: Readonly<Record<ProviderProfile["encoding"], () => Promise<TokenCount>>> = {
  o200k_base: async () => (await import("../encodings/o200k-base.ts")).countO200k,
  claude: async () => (await import("../encodings/claude.ts")).countClaude,
};

/**
 * Counts as a family of models does, id `openai`, `claude` or `gemini`: the nearest public encoding, corrected by the
 * family's own ratio, with the family's overhead per message, call, result and tool. Exact for OpenAI's text; within a
 * few per cent for the others, whose encodings are not public. Nothing is loaded before this is called.
 */
export async function loadProviderTokenizer(family: ProviderFamily): Promise<ProviderAwareTokenizer> {
  const { encoding, multiplier, overheads } = PROVIDER_PROFILES[family];
  const count = await ENCODINGS[encoding]();
  const text = (value: string): number => Math.ceil(countBounded(value, count) * multiplier);
  function* textInSteps(value: string): Steps<number> {
    return Math.ceil((yield* countSlices(value, count)) * multiplier);
  }
  return Object.freeze({
    ...composeTokenizer(family, text, overheads),
    countPartInSteps: (part: Part) => countPartInSteps(part, textInSteps, overheads),
  });
}
