import { checkArgument, type Part, type ProviderAwareTokenizer, type Steps } from "@threadfold/core";
import { countBounded, countSlices } from "./bounded-count.ts";
import { composeTokenizer, countPartInSteps, type TokenOverheads } from "./composed-tokenizer.ts";
import type { TokenCount } from "./encodings/token-count.ts";
import { ANTHROPIC_MEDIA, GEMINI_MEDIA, OPENAI_MEDIA } from "./media-tokens.ts";

/** The model families that have their own counter. */
export type ProviderFamily = "openai" | "claude" | "gemini";

/** The overheads of Chat Completions and Responses, which render tool schemas as a TypeScript namespace. */
export const OPENAI_OVERHEADS: TokenOverheads = Object.freeze({
  request: 6,
  message: 4,
  toolCall: 7,
  toolResult: 4,
  anyTool: 16,
  tool: 6,
  ...OPENAI_MEDIA,
});

/** The encoding that approximates a family's own, the correction of its figures, and the charges beyond the text. */
export interface ProviderProfile {
  readonly encoding: "o200k_base" | "claude";
  /** The family's tokens per token of the encoding, measured. */
  readonly multiplier: number;
  readonly overheads: TokenOverheads;
}

/**
 * One row per family. Message and tool figures follow what `ai-tokenizer` fitted to the providers' own counts; for
 * `claude`, the multiplier and the figures for calls and results are fitted to the usage reported in 13 recorded Sonnet
 * 4.5 sessions.
 */
export const PROVIDER_PROFILES: Readonly<Record<ProviderFamily, ProviderProfile>> = Object.freeze({
  openai: { encoding: "o200k_base", multiplier: 1, overheads: OPENAI_OVERHEADS },
  claude: {
    encoding: "claude",
    multiplier: 1.08,
    overheads: {
      request: 6,
      message: 3,
      toolCall: 40,
      toolResult: 30,
      anyTool: 500,
      tool: 12,
      ...ANTHROPIC_MEDIA,
    },
  },
  gemini: {
    encoding: "o200k_base",
    multiplier: 1.11,
    overheads: { request: 0, message: 2, toolCall: 8, toolResult: 8, anyTool: 18, tool: 10, ...GEMINI_MEDIA },
  },
});

const ENCODINGS: Readonly<Record<ProviderProfile["encoding"], () => Promise<TokenCount>>> = {
  o200k_base: async () => (await import("./encodings/o200k-base.ts")).countO200k,
  claude: async () => (await import("./encodings/claude.ts")).countClaude,
};

/**
 * Loads the counter `openai`, `claude` or `gemini`. It counts with the nearest public encoding, corrected by the
 * family's own ratio, and adds the family's overhead per message, call, result and tool. Exact for OpenAI's text;
 * within a few percent for the others, whose encodings are not public. Nothing is loaded before this is called.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for another family.
 */
export async function loadProviderTokenizer(family: ProviderFamily): Promise<ProviderAwareTokenizer> {
  checkArgument("family", family, Object.keys(PROVIDER_PROFILES));
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
