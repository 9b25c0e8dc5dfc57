import type { Summarizer } from "@threadfold/core";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  ExtractiveSummarizer,
  fallbackSummarizer,
  handoffPrompt,
  modelSummarizer,
  redactingSummarizer,
} from "@threadfold/summarizers";
import type { SessionOptions } from "../session-options.ts";
import { limitedSummarizer, SUMMARY_TIME_LIMIT_MS } from "../summary/limited-summarizer.ts";

/** What a handoff is summarized with, as a session's options have it. */
export type HandoffSummaryOptions = Pick<
  SessionOptions,
  "summarizer" | "summaryModel" | "summaryModelSettings" | "summaryTimeLimitMs" | "summaryChecks" | "redactSecrets"
>;

/**
 * What summarizes a thread for a handoff: a summarizer of the host's own, else a model, which is asked for what the goal
 * needs. Either is checked as it is in a fold, and the extractive one stands in when it fails: a handoff has no further
 * rung. Redaction is outermost.
 */
export function handoffSummarizer({
  summarizer,
  summaryModel,
  summaryModelSettings,
  summaryTimeLimitMs: timeLimitMs = SUMMARY_TIME_LIMIT_MS,
  summaryChecks = DEFAULT_CHECKS,
  redactSecrets = true,
}: HandoffSummaryOptions): Summarizer {
  if (summarizer === undefined && summaryModel !== undefined) {
    const asked = { ...summaryModelSettings, model: summaryModel, prompt: handoffPrompt, timeLimitMs };
    return limitedSummarizer(
      modelSummarizer({ ...asked, checks: summaryChecks, redact: redactSecrets }),
      2 * timeLimitMs,
    );
  }
  const reader =
    summarizer === undefined
      ? new ExtractiveSummarizer()
      : fallbackSummarizer(limitedSummarizer(checkedSummarizer(summarizer, summaryChecks), timeLimitMs));
  return redactSecrets ? redactingSummarizer(reader) : reader;
}
