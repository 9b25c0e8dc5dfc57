import {
  checkCalls,
  checkOptions,
  type OptionKinds,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  ThreadfoldError,
} from "@threadfold/core";
import { cachedSummarizer, type SummaryCacheOptions } from "./cache/cached-summarizer.ts";
import { checkedSummarizer, DEFAULT_CHECKS, type SummaryCheck } from "./checks/summary-checks.ts";
import { ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
import { LLMSummarizer } from "./llm/llm-summarizer.ts";
import { LLM_OPTIONS, type LLMSummarizerOptions } from "./llm/llm-summarizer-options.ts";
import { promptByVersion } from "./llm/prompts/prompts.ts";
import { redactingSummarizer } from "./redaction/redacting-summarizer.ts";

/** Settings for summaries by a model: cap and temperature of its answer, and how much it is sent. */
export type SummaryModelSettings = Pick<
  LLMSummarizerOptions,
  "maxOutputTokens" | "temperature" | "maxInputTokens" | "maxMessageTokens" | "contextWindow"
>;

/** Options of {@link modelSummarizer}. Only `model` is required. */
export interface ModelSummarizerOptions extends LLMSummarizerOptions {
  /**
   * Name of the prompt, as in presets, such as `codex-v2`. `prompt` takes precedence; the default is `threadfold-v2`.
   */
  readonly promptVersion?: string;
  /** Caches summaries. Off by default, because a cache must know its tenant. */
  readonly cache?: SummaryCacheOptions;
  /** False to show the model the messages unchanged, including secrets. True by default. */
  readonly redact?: boolean;
  /** Checks that a summary must pass to be accepted; {@link DEFAULT_CHECKS} by default. */
  readonly checks?: readonly SummaryCheck[];
  /** Used when the model fails; the extractive summarizer by default. Null to fail instead. */
  readonly fallback?: Summarizer | null;
}

/**
 * Returns a summarizer that uses a model, with everything that a production system wants: secrets are removed before
 * anything reads the span, an equal span is answered from the cache, the answer is checked, and when the model fails, a
 * summary made without one replaces it and says so.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no model, no such option or prompt, or a figure is below its
 * minimum.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  checkOptions("options", options, OPTIONS);
  const { promptVersion, cache, redact = true, checks = DEFAULT_CHECKS, fallback, ...settings } = options;
  const prompt = settings.prompt ?? (promptVersion === undefined ? undefined : promptByVersion(promptVersion));
  const model = new LLMSummarizer({ ...settings, ...(prompt !== undefined && { prompt }) });
  const checked = checks.length === 0 ? model : checkedSummarizer(model, checks);
  const remembered = cache === undefined ? checked : cachedSummarizer(checked, { checks, ...cache });
  const whole = fallback === null ? remembered : fallbackSummarizer(remembered, fallback ?? new ExtractiveSummarizer());
  // Outermost, so that the cache, the fallback and error messages are free of secrets as well.
  return redact ? redactingSummarizer(whole) : whole;
}

const OPTIONS: OptionKinds<ModelSummarizerOptions> = {
  ...LLM_OPTIONS,
  ...{ promptVersion: "any", cache: "object", redact: "flag", checks: "list", fallback: "any" },
};

/**
 * Returns a summarizer that falls back to a second one, by default the extractive one, when the first fails. The fold
 * then has a real summary, and its outcome still says that the first one failed. An abort is not a failure and is
 * rethrown.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when one of them is no summarizer.
 */
export function fallbackSummarizer(first: Summarizer, second: Summarizer = new ExtractiveSummarizer()): Summarizer {
  checkCalls("first", first, ["summarize"]);
  checkCalls("second", second, ["summarize"]);
  return {
    id: `${first.id} else ${second.id}`,
    identity: { summarizer: "fallback", first: first.identity ?? first.id, second: second.identity ?? second.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      try {
        return await first.summarize(request);
      } catch (error) {
        if (request.signal?.aborted || (ThreadfoldError.isInstance(error) && error.code === "ABORTED")) throw error;
        const problem = `${first.id}: ${error instanceof Error ? error.message : "failed"}`;
        return { by: second.id, ...(await second.summarize(request)), problem };
      }
    },
  };
}
