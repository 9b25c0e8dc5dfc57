import { modelName } from "@threadfold/core";
import type { ProviderFamily } from "./provider-tokenizer.ts";

/** What is known about a counter's error for a family of models before any usage is reported. */
export interface KnownCount {
  /** The provider's tokens per token of the counter, in a typical session. */
  readonly slope: number;
  /** How much more the provider may count, as a share of the counter's figure. */
  readonly margin: number;
}

/** For a host's own counter, whose error is not known here: its figures are taken as exact. */
const TAKEN_AT_ITS_WORD: KnownCount = Object.freeze({ slope: 1, margin: 0 });

const row = (slope: number, margin: number): KnownCount => Object.freeze({ slope, margin });

type Families = Readonly<Record<ProviderFamily | "other", KnownCount>>;

/**
 * Slopes are medians over the recorded sessions that report usage (`npm run bench:tokens`). Margins cover the session
 * of the family with the provider's highest count and, for `heuristic`, which reads no text, also logs and JSON.
 */
const BY_COUNTER: Readonly<Record<string, Families>> = Object.freeze({
  "character-classes": {
    claude: row(1.31, 0.45),
    gemini: row(1.15, 0.25),
    openai: row(1.08, 0.3),
    other: row(1.15, 0.45),
  },
  heuristic: { claude: row(1.46, 0.7), gemini: row(1.18, 0.5), openai: row(1.15, 0.6), other: row(1.2, 0.7) },
  "tiktoken:o200k_base": {
    claude: row(1.29, 0.4),
    gemini: row(1.17, 0.25),
    openai: TAKEN_AT_ITS_WORD,
    other: row(1.15, 0.4),
  },
  openai: {
    claude: row(1.29, 0.4),
    gemini: row(1.17, 0.25),
    openai: TAKEN_AT_ITS_WORD,
    other: row(1.15, 0.4),
  },
  claude: { claude: row(1, 0.1), gemini: row(1, 0.1), openai: row(1, 0), other: row(1, 0.1) },
  gemini: { claude: row(1.17, 0.25), gemini: row(1.05, 0.1), openai: row(1, 0), other: row(1, 0.25) },
});

/**
 * Returns what is known about a counter's error for a model or, without a model name, for those of a request format.
 */
export function knownCount(counter: string, model: string | undefined, format: string): KnownCount {
  if (!Object.hasOwn(BY_COUNTER, counter)) return TAKEN_AT_ITS_WORD;
  return (BY_COUNTER[counter] as Families)[model === undefined ? familyOfFormat(format) : familyOfModel(model)];
}

function familyOfModel(model: string): ProviderFamily | "other" {
  const name = modelName(model);
  if (name.startsWith("claude")) return "claude";
  if (name.startsWith("gemini")) return "gemini";
  return /^(?:gpt|chatgpt|codex|o\d)/.test(name) ? "openai" : "other";
}

function familyOfFormat(format: string): ProviderFamily | "other" {
  if (format.startsWith("anthropic")) return "claude";
  if (format.startsWith("gemini")) return "gemini";
  return format.startsWith("openai") ? "openai" : "other";
}
