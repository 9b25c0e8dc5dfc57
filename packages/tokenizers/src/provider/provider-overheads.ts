import type { TokenOverheads } from "../counting/overheads.ts";

/** The families that have a counter of their own. */
export type ProviderFamily = "openai" | "claude" | "gemini";

/** Chat Completions and Responses: three tokens of role and separators per message, schemas as a TypeScript namespace. */
export const OPENAI_OVERHEADS: TokenOverheads = Object.freeze({
  request: 6,
  message: 4,
  toolCall: 7,
  toolResult: 4,
  anyTool: 16,
  tool: 6,
  image: 1_105,
  file: 2_000,
});

/** Which encoding stands in for the family's own, how far its figures are off, and what is charged beyond the text. */
export interface ProviderProfile {
  readonly encoding: "o200k_base" | "claude";
  /** Tokens of the family per token of the encoding, measured. */
  readonly multiplier: number;
  readonly overheads: TokenOverheads;
}

/**
 * One row per family. Message and tool figures follow what `ai-tokenizer` fitted to the providers' own counts; ratio, call
 * and result of `claude` are fitted to the usage that 13 recorded Sonnet 4.5 sessions report.
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
      image: 1_600,
      file: 3_000,
    },
  },
  gemini: {
    encoding: "o200k_base",
    multiplier: 1.11,
    overheads: { request: 0, message: 2, toolCall: 8, toolResult: 8, anyTool: 18, tool: 10, image: 1_290, file: 2_580 },
  },
});
