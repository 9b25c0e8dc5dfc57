import { type Summarizer, ThreadfoldError } from "@threadfold/core";
import {
  checkedSummarizer,
  DEFAULT_CHECKS,
  ExtractiveSummarizer,
  modelSummarizer,
  redactingSummarizer,
} from "@threadfold/summarizers";
import { limitedSummarizer, SUMMARY_TIME_LIMIT_MS } from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";
import type { SessionParts } from "../host/session-parts.ts";

type SummaryOptions = Pick<
  SessionOptions,
  | "summarizer"
  | "summaryModel"
  | "summaryModelSettings"
  | "summaryTimeLimitMs"
  | "summaryCache"
  | "summaryChecks"
  | "redactSecrets"
  | "tenantId"
>;

/** The summarizers of a session's folds. */
export interface FoldSummarizers {
  readonly summarizer: Summarizer;
  /** Replaces it for a while when it keeps failing; uses no model. */
  readonly standIn: Summarizer;
}

/**
 * Returns the summarizer of a session's folds. A model gets the preset's prompt and everything that
 * {@link modelSummarizer} adds around it; a host's own summarizer is checked, so that not even a hostile one can remove
 * a rule; without either, the extractive summarizer is used. With redaction, which is the default, none of them sees a
 * secret.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when both a model and a summarizer are given.
 */
export function sessionSummarizer(options: SummaryOptions, { preset, config }: SessionParts): Summarizer {
  const { summarizer, summaryModel, summaryCache, summaryChecks: checks = DEFAULT_CHECKS } = options;
  const { summaryTimeLimitMs: timeLimitMs = SUMMARY_TIME_LIMIT_MS } = options;
  const redact = options.redactSecrets ?? true;
  if (summaryModel !== undefined) {
    if (summarizer !== undefined) throw twoSummarizers();
    const cache = {
      tenantId: options.tenantId ?? null,
      policyVersion: config.policyVersion,
      ...(summaryCache !== undefined && { store: summaryCache }),
    };
    const { promptVersion } = preset;
    const asked = { ...options.summaryModelSettings, model: summaryModel, promptVersion };
    const model = modelSummarizer({ ...asked, cache, redact, checks, timeLimitMs });
    // The model has its own time limit; this one also covers the checks and the cache, which may be the host's.
    return limitedSummarizer(model, 2 * timeLimitMs);
  }
  const own =
    summarizer === undefined ? new ExtractiveSummarizer() : limitedSummarizer(checked(summarizer, checks), timeLimitMs);
  return redact ? redactingSummarizer(own) : own;
}

/** Returns the summarizer to use while the session's own is not used. */
export function standInSummarizer({ redactSecrets = true }: SummaryOptions): Summarizer {
  const own = new ExtractiveSummarizer();
  return redactSecrets ? redactingSummarizer(own) : own;
}

const checked = (summarizer: Summarizer, checks: NonNullable<SummaryOptions["summaryChecks"]>): Summarizer =>
  checks.length === 0 ? summarizer : checkedSummarizer(summarizer, checks);

const twoSummarizers = (): ThreadfoldError =>
  new ThreadfoldError(
    "INVALID_CONFIG",
    "summaryModel: a session has a model or a summarizer for its folds, not both.",
    {
      details: { name: "summaryModel" },
      hint: "Pass only `summaryModel`, or build the summarizer with `modelSummarizer` and pass only `summarizer`.",
    },
  );
