import { afterReported, scaledTokens, type Usage } from "@threadfold/core";
import { isMaxOutputStop } from "@threadfold/renderer";
import { AS_COUNTED, type ProviderCount } from "../measure/provider-count.ts";

/** Totals of the usage that a provider reported for a session's requests. */
export interface UsageTotals {
  /** Number of requests with reported usage. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Share of prompt tokens that was read from the provider's cache; null while nothing was reported. */
  readonly cacheHitRate: number | null;
}

/** Totals before any report. */
export const NO_TOTALS: UsageTotals = Object.freeze({
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheHitRate: null,
});

/** Returns the totals with one more report. A report without prompt tokens is ignored. */
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

/** Why an answer ended, independent of any provider. Usage reported with `error` or `aborted` is not trusted (L18). */
export type StopReason = "end" | "max-output" | "error" | "aborted";

/** Values with which SDKs report that an answer was aborted or failed midway. */
const FAILED_STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["error", "error"],
  ["failed", "error"],
  ["aborted", "aborted"],
  ["cancelled", "aborted"],
  ["canceled", "aborted"],
]);

/**
 * Converts a provider's own value for why an answer ended (`max_tokens`, `length`, `tool_use`, …) to a stop reason.
 * Unknown values count as `end`.
 */
export function stopReasonOf(word: string | null | undefined): StopReason {
  if (isMaxOutputStop(word)) return "max-output";
  return FAILED_STOPS.get(word?.toLowerCase() ?? "") ?? "end";
}

/** What a report of usage needs to know about the request that was sent. */
export interface SentRequest {
  readonly planVersion: number;
  /** Tokens by our counter. */
  readonly counted: number;
}

/** Usage that a provider reported for the newest request. */
export interface UsageReport {
  /** Prompt tokens, including those read from and written to the cache. */
  readonly inputTokens: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Version of the plan that the request was rendered with; that of the newest request by default. */
  readonly planVersion?: number;
  /** `end` by default. */
  readonly stopReason?: StopReason;
  /**
   * Set when the provider compacted before it answered: the figures are those of a prompt that was not counted here.
   */
  readonly compacted?: true;
  /** Usage of that compaction, if reported separately; it is not included in the figures above. */
  readonly compaction?: Usage["compaction"];
}

/** Whether a problem that requires a fold was reported, and whether a fold was already made for it: one only (L19). */
type Reaction = "none" | "pending" | "answered" | "exhausted";

/** What has been learned from the provider's answers so far. */
export interface UsageState extends ProviderCount {
  /** The newest request that was rendered. */
  readonly sent: SentRequest | null;
  /**
   * Whether the provider counts invisible parts of an answer again in the next request; assumed until a report
   * disproves it.
   */
  readonly resends: boolean;
  readonly overflow: Reaction;
  readonly maxOutput: Reaction;
}

/** The state before any request or report. */
export const NO_USAGE: UsageState = Object.freeze({
  ...AS_COUNTED,
  sent: null,
  resends: true,
  overflow: "none",
  maxOutput: "none",
});

/** The state after a request was rendered. */
export const afterSending = (state: UsageState, sent: SentRequest): UsageState => ({ ...state, sent });

/**
 * The state after a report. A failed answer, or a report without prompt tokens, leaves the last figure in place (L18).
 *
 * @param shownTokens our count of the answer in the thread; undefined while it is not there.
 */
export function afterReport(state: UsageState, report: UsageReport, shownTokens?: number): UsageState {
  const { inputTokens, outputTokens = 0, stopReason = "end" } = report;
  if (stopReason === "error" || stopReason === "aborted" || !(inputTokens > 0) || state.sent === null) return state;
  const planVersion = report.planVersion ?? state.sent.planVersion;
  const next = afterAnswer(state, stopReason);
  // A count of another request says nothing about this one.
  if (planVersion !== state.sent.planVersion || report.compacted === true) return next;
  const { counted } = state.sent;
  const estimate = afterReported(state.estimate, { counted, reported: inputTokens });
  // An implausible figure, such as one that leaves out cached tokens, does not change the estimate and is not used.
  if (estimate === state.estimate) return next;
  const unshown = shownTokens === undefined ? 0 : Math.max(0, outputTokens - scaledTokens(estimate, shownTokens));
  const resends = resendsAfter(state, { planVersion, counted }, inputTokens);
  const measured = { planVersion, inputTokens, counted, unshown, resent: resends ? unshown : 0 };
  return { ...next, estimate, resends, measured };
}

/** Fewer invisible tokens than this cannot be told apart from the error of our counter. */
const TELLING = 200;

/** Checks whether the report of a request shows that it included the invisible part of the previous answer. */
function resendsAfter({ measured, estimate, resends }: UsageState, sent: SentRequest, inputTokens: number): boolean {
  if (measured === null || measured.planVersion !== sent.planVersion || measured.unshown < TELLING) return resends;
  const grown = inputTokens - measured.inputTokens - scaledTokens(estimate, sent.counted - measured.counted);
  return grown > measured.unshown / 2;
}

/**
 * The state after an answer without a usable measurement. An answer that came through settles earlier requests for a
 * fold.
 */
export function afterAnswer(state: UsageState, stopReason: StopReason): UsageState {
  if (stopReason === "error" || stopReason === "aborted") return state;
  return { ...state, overflow: "none", maxOutput: stopReason === "max-output" ? onceMore(state.maxOutput) : "none" };
}

/** The state after the newest request was refused as too long. @param inputTokens the provider's count, if reported. */
export function afterOverflow(state: UsageState, inputTokens = 0): UsageState {
  const { sent, estimate } = state;
  const overflow = onceMore(state.overflow);
  if (sent === null || !(inputTokens > 0)) return { ...state, overflow };
  return { ...state, overflow, estimate: afterReported(estimate, { counted: sent.counted, reported: inputTokens }) };
}

/** The state after a fold was tried: what required it does not require another until an answer comes through. */
export const afterFold = (state: UsageState): UsageState => ({
  ...state,
  overflow: answered(state.overflow),
  maxOutput: answered(state.maxOutput),
});

const onceMore = (reaction: Reaction): Reaction =>
  reaction === "none" ? "pending" : reaction === "answered" ? "exhausted" : reaction;

const answered = (reaction: Reaction): Reaction => (reaction === "pending" ? "answered" : reaction);
