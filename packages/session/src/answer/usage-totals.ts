import type { UsageReport } from "./usage-state.ts";

/** What a provider reported of all requests of a session, added up. */
export interface UsageTotals {
  /** Requests of which something was reported. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Share of the prompt tokens that was read from the provider's cache; null while nothing was reported. */
  readonly cacheHitRate: number | null;
}

export const NO_TOTALS: UsageTotals = Object.freeze({
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheHitRate: null,
});

/** The totals with one more report. One without prompt tokens says nothing. */
export function addUsage(totals: UsageTotals, report: UsageReport): UsageTotals {
  if (!(report.inputTokens > 0)) return totals;
  const inputTokens = totals.inputTokens + report.inputTokens;
  const cacheReadTokens = totals.cacheReadTokens + (report.cacheReadTokens ?? 0);
  return {
    requests: totals.requests + 1,
    inputTokens,
    outputTokens: totals.outputTokens + (report.outputTokens ?? 0),
    cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens + (report.cacheWriteTokens ?? 0),
    cacheHitRate: cacheReadTokens / inputTokens,
  };
}
