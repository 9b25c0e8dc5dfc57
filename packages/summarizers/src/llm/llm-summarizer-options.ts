import { type CompletionModel, type JsonObject, type SummarizeRequest, ThreadfoldError } from "@threadfold/core";
import type { CallLimits } from "./call/call-model.ts";
import type { PromptVariant } from "./prompts/prompt-variant.ts";
import { threadfoldPrompt } from "./prompts/prompts.ts";

/** How an {@link LLMSummarizer} works. Only the model has no default. */
export interface LLMSummarizerOptions extends Partial<CallLimits> {
  /** The model that writes the summaries. */
  readonly model: CompletionModel;
  /** What it is asked with. The prompt for structured summaries by default. */
  readonly prompt?: PromptVariant;
  /** What the model can read and write in one call, in tokens. 128 000 by default. */
  readonly contextWindow?: number;
  /**
   * Cap of an answer, in tokens. By default the summary's limit for prose, at least 1 000, and twice of it for notes, at most
   * 8 000: JSON takes more than text. Models that think before they answer may need more.
   */
  readonly maxOutputTokens?: number;
  /**
   * How freely the model chooses its words, as its provider counts it. By default what the prompt's source says, if it
   * says anything. A model that refuses a temperature is asked without one.
   */
  readonly temperature?: number;
  /**
   * How much of the folded messages is sent for one summary, in tokens over all calls. Everything by default. Above it the
   * longest messages are shortened first; what is too much even then is left out, the oldest first. A prefix is sent as it is.
   */
  readonly maxInputTokens?: number;
  /** No message is shown to the model at greater length: its middle is left out. In tokens; 4 000 by default. */
  readonly maxMessageTokens?: number;
  /** A span that would take more calls than this is refused. 16 by default. */
  readonly maxCalls?: number;
  /** How long the whole summary may take before it counts as failed, in milliseconds. 180 000 by default. */
  readonly timeLimitMs?: number;
  /** Standing instructions of the host, besides those of a request. */
  readonly instructions?: string;
  /**
   * The request that the host last sent, in its provider's format: the call goes behind it and reads its prompt cache.
   * Null, or no function, for a call that quotes the span. It must hold the span's messages, and be within the window.
   */
  readonly prefixFor?: (request: SummarizeRequest) => JsonObject | null;
}

/** The options with their defaults. */
export interface LLMSettings extends CallLimits {
  readonly model: CompletionModel;
  readonly prompt: PromptVariant;
  readonly contextWindow: number;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly maxInputTokens: number | null;
  readonly maxMessageTokens: number;
  readonly maxCalls: number;
  readonly timeLimitMs: number;
  readonly instructions: string | null;
  readonly prefixFor: ((request: SummarizeRequest) => JsonObject | null) | null;
}

/** Fills in what is left out. @throws ThreadfoldError `INVALID_CONFIG` for a figure below its minimum. */
export function llmSettings(options: LLMSummarizerOptions): LLMSettings {
  const settings: LLMSettings = {
    model: options.model,
    prompt: options.prompt ?? threadfoldPrompt,
    contextWindow: atLeast(2_000, options.contextWindow ?? 128_000, "contextWindow"),
    maxOutputTokens:
      options.maxOutputTokens === undefined ? null : atLeast(100, options.maxOutputTokens, "maxOutputTokens"),
    temperature:
      options.temperature === undefined
        ? (options.prompt?.temperature ?? null)
        : atLeast(0, options.temperature, "temperature"),
    maxInputTokens:
      options.maxInputTokens === undefined ? null : atLeast(400, options.maxInputTokens, "maxInputTokens"),
    maxMessageTokens: atLeast(50, options.maxMessageTokens ?? 4_000, "maxMessageTokens"),
    maxCalls: atLeast(1, options.maxCalls ?? 16, "maxCalls"),
    timeLimitMs: atLeast(1, options.timeLimitMs ?? 180_000, "timeLimitMs"),
    instructions: options.instructions ?? null,
    prefixFor: options.prefixFor ?? null,
    retries: atLeast(0, options.retries ?? 3, "retries"),
    minRetryDelayMs: atLeast(1, options.minRetryDelayMs ?? 1_000, "minRetryDelayMs"),
    maxRetryDelayMs: atLeast(1, options.maxRetryDelayMs ?? 30_000, "maxRetryDelayMs"),
    callTimeoutMs: atLeast(1, options.callTimeoutMs ?? 90_000, "callTimeoutMs"),
  };
  return settings;
}

function atLeast(least: number, value: number, name: string): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new ThreadfoldError("INVALID_CONFIG", `${name} must be at least ${least}; it is ${value}.`, {
    details: { name },
  });
}
