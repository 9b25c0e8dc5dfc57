import type { Summarizer } from "@threadfold/core";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  ExtractiveSummarizer,
  fallbackSummarizer,
  redactingSummarizer,
} from "@threadfold/summarizers";
import type { SessionOptions } from "../session-options.ts";
import { limitedSummarizer } from "../summary/limited-summarizer.ts";

/** What a handoff is summarized with, as a session's options have it. */
export type HandoffSummaryOptions = Pick<
  SessionOptions,
  "summarizer" | "summaryTimeLimitMs" | "summaryChecks" | "redactSecrets"
>;

/**
 * What summarizes a thread for a handoff. A summarizer of the host's own is checked as it is in a fold, and the extractive
 * one stands in for it when it fails: a handoff has no further rung. Redaction is outermost.
 */
export function handoffSummarizer({
  summarizer,
  summaryTimeLimitMs,
  summaryChecks = DEFAULT_CHECKS,
  redactSecrets = true,
}: HandoffSummaryOptions): Summarizer {
  const reader =
    summarizer === undefined
      ? new ExtractiveSummarizer()
      : fallbackSummarizer(limitedSummarizer(checkedSummarizer(summarizer, summaryChecks), summaryTimeLimitMs));
  return redactSecrets ? redactingSummarizer(reader) : reader;
}
