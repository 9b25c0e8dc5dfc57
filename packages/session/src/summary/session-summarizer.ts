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

/** What summarizes the folds of a session. */
export interface FoldSummarizers {
  readonly summarizer: Summarizer;
  /** Takes its place for a while when it keeps failing; asks no model. */
  readonly standIn: Summarizer;
}

/**
 * What summarizes the folds of a session. A model gets the prompt that the preset names, and all that {@link modelSummarizer}
 * puts around it; a summarizer of the host's own is checked, so that not even a hostile one takes a rule out; and without
 * either the extractive one works alone. None of them sees a secret.
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
    // The model has its own end; what checks and keeps its summaries is the host's as well.
    return limitedSummarizer(model, 2 * timeLimitMs);
  }
  const own =
    summarizer === undefined ? new ExtractiveSummarizer() : limitedSummarizer(checked(summarizer, checks), timeLimitMs);
  return redact ? redactingSummarizer(own) : own;
}

/** What summarizes while the session's summarizer is left alone. */
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
      hint: "Give `summaryModel` alone, or build the summarizer with `modelSummarizer` and give `summarizer` alone.",
    },
  );
