import { type SummarizeRequest, type SummarizeResult, type Summarizer, ThreadfoldError } from "@threadfold/core";
import { cachedSummarizer, type SummaryCacheOptions } from "./cache/cached-summarizer.ts";
import { checkedSummarizer, DEFAULT_CHECKS, type SummaryCheck } from "./checks/summary-checks.ts";
import { ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";
import { LLMSummarizer } from "./llm/llm-summarizer.ts";
import type { LLMSummarizerOptions } from "./llm/llm-summarizer-options.ts";
import { promptByVersion } from "./llm/prompts/prompts.ts";
import { redactingSummarizer } from "./redaction/redacting-summarizer.ts";

/** How a model is asked for a summary: the length and freedom of its answer, and how much it is sent. */
export type SummaryModelSettings = Pick<
  LLMSummarizerOptions,
  "maxOutputTokens" | "temperature" | "maxInputTokens" | "maxMessageTokens" | "contextWindow"
>;

/** How a {@link modelSummarizer} works. Only the model has no default. */
export interface ModelSummarizerOptions extends LLMSummarizerOptions {
  /**
   * The prompt by the name that presets use, such as `codex-v2`. `prompt` takes precedence; `threadfold-v1` without
   * either.
   */
  readonly promptVersion?: string;
  /** Which tenant's summaries are remembered, and where. Without it none are: a cache must know its tenant. */
  readonly cache?: SummaryCacheOptions;
  /** False to show the model what the messages say, secrets included. True by default. */
  readonly redact?: boolean;
  /** What a summary must pass before it is taken; {@link DEFAULT_CHECKS} by default. */
  readonly checks?: readonly SummaryCheck[];
  /** Stands in when the model fails; the extractive summarizer by default. Null to fail. */
  readonly fallback?: Summarizer | null;
}

/**
 * Summarizes with a model, with everything around it that a production system wants: secrets are taken out before
 * anything reads the span, an equal span is answered from the cache, the answer is checked, and when the model fails a
 * summary without one takes its place and says so.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { promptVersion, cache, redact = true, checks = DEFAULT_CHECKS, fallback, ...settings } = options;
  const prompt = settings.prompt ?? (promptVersion === undefined ? undefined : promptByVersion(promptVersion));
  const model = new LLMSummarizer({ ...settings, ...(prompt !== undefined && { prompt }) });
  const checked = checks.length === 0 ? model : checkedSummarizer(model, checks);
  const remembered = cache === undefined ? checked : cachedSummarizer(checked, { checks, ...cache });
  const whole = fallback === null ? remembered : fallbackSummarizer(remembered, fallback ?? new ExtractiveSummarizer());
  // Outermost, so that the cache, the fallback and the words of a failure are without secrets as well.
  return redact ? redactingSummarizer(whole) : whole;
}

/**
 * Falls back to a second summarizer, the extractive one by default, when the first one fails: the fold then has a real
 * summary, and its outcome still says that the first one failed. An abort is not a failure and is rethrown.
 */
export function fallbackSummarizer(first: Summarizer, second: Summarizer = new ExtractiveSummarizer()): Summarizer {
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
