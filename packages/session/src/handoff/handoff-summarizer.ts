import type { Summarizer } from "@threadfold/core";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  ExtractiveSummarizer,
  fallbackSummarizer,
  redactingSummarizer,
} from "@threadfold/summarizers";
import type { SessionOptions } from "../session-options.ts";

/** What a handoff is summarized with, as a session's options have it. */
export type HandoffSummaryOptions = Pick<SessionOptions, "summarizer" | "summaryChecks" | "redactSecrets">;

/**
 * What summarizes a thread for a handoff. A summarizer of the host's own is checked as it is in a fold, and the extractive
 * one stands in for it when it fails: a handoff has no further rung. Redaction is outermost.
 */
export function handoffSummarizer({
  summarizer,
  summaryChecks = DEFAULT_CHECKS,
  redactSecrets = true,
}: HandoffSummaryOptions): Summarizer {
  const reader =
    summarizer === undefined
      ? new ExtractiveSummarizer()
      : fallbackSummarizer(checkedSummarizer(summarizer, summaryChecks));
  return redactSecrets ? redactingSummarizer(reader) : reader;
}
