import {
  type CompletionModel,
  checkOptions,
  type JsonObject,
  type OptionKinds,
  refuseArgument,
  type SummarizeRequest,
  ThreadfoldError,
} from "@threadfold/core";
import type { CallLimits } from "./call/call-model.ts";
import { type PromptVariant, threadfoldPrompt } from "./prompts/prompts.ts";

/** Options of an {@link LLMSummarizer}. Only `model` is required. */
export interface LLMSummarizerOptions extends Partial<CallLimits> {
  /** The model that writes the summaries. */
  readonly model: CompletionModel;
  /** The prompt to use. The prompt for structured summaries by default. */
  readonly prompt?: PromptVariant;
  /** The model's window for input and output of one call, in tokens. 128 000 by default. */
  readonly contextWindow?: number;
  /**
   * Cap on an answer, in tokens. The default is at least 1 000: for prose the summary's limit, and for notes twice
   * that, but at most 8 000, because JSON takes more than text. Models that think before they answer may need more.
   */
  readonly maxOutputTokens?: number;
  /**
   * Sampling temperature, on the provider's scale. By default that of the prompt's source, if it sets one. A model that
   * rejects a temperature is called without one.
   */
  readonly temperature?: number;
  /**
   * The most tokens of folded messages to send for one summary, over all calls. Unlimited by default. Above it, the
   * longest messages are shortened first; if that is not enough, the oldest are left out. A prefix is sent unchanged.
   */
  readonly maxInputTokens?: number;
  /** The most tokens of a single message that the model is shown; its middle is left out. 4 000 by default. */
  readonly maxMessageTokens?: number;
  /** The most calls for one summary; a span that needs more is refused. 16 by default. */
  readonly maxCalls?: number;
  /** How long the whole summary may take before it counts as failed, in milliseconds. 180 000 by default. */
  readonly timeLimitMs?: number;
  /** Standing instructions of the host, in addition to those of a request. */
  readonly instructions?: string;
  /**
   * Returns the request that the host last sent, in its provider's format. The question is appended to it, so that the
   * call reads its prompt cache. Null, or no function, makes a call that quotes the span. The request must contain the
   * span's messages and fit the window.
   */
  readonly prefixFor?: (request: SummarizeRequest) => JsonObject | null;
}

/** The options with their defaults filled in. */
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

/** The kind of each option; figures are compared with their minimum besides. */
export const LLM_OPTIONS: OptionKinds<LLMSummarizerOptions> = {
  ...{ model: "any", prompt: "object", instructions: "text", prefixFor: "call" },
  ...{ contextWindow: "any", maxOutputTokens: "any", temperature: "any", maxInputTokens: "any" },
  ...{ maxMessageTokens: "any", maxCalls: "any", timeLimitMs: "any" },
  ...{ retries: "any", minRetryDelayMs: "any", maxRetryDelayMs: "any", callTimeoutMs: "any" },
};

/** Checks that an option is a model. @throws ThreadfoldError `INVALID_CONFIG` when it cannot complete anything. */
function checkModel(model: unknown): void {
  if (typeof (Object(model) as Partial<CompletionModel>).complete !== "function")
    refuseArgument(
      "model",
      "it has to be a model with a function complete.",
      "Pass what anthropicModel, openaiModel or aiSdkModel returns, or { id, complete }.",
    );
}

/**
 * Fills in defaults.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no model, no such option, or a figure is below its minimum.
 */
export function llmSettings(options: LLMSummarizerOptions): LLMSettings {
  checkOptions("options", options, LLM_OPTIONS);
  checkModel(options.model);
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
