import { afterReported, scaledTokens, type Usage } from "@threadfold/core";
import { isMaxOutputStop } from "@threadfold/renderer";
import { AS_COUNTED, type ProviderCount } from "../measure/provider-count.ts";

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

/** Why an answer ended, in the words of no provider: what `error` and `aborted` measured is not to be trusted (L18). */
export type StopReason = "end" | "max-output" | "error" | "aborted";

/** Words by which SDKs say that an answer was given up or failed half-way. */
const FAILED_STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["error", "error"],
  ["failed", "error"],
  ["aborted", "aborted"],
  ["cancelled", "aborted"],
  ["canceled", "aborted"],
]);

/** A provider's word for why an answer ended (`max_tokens`, `length`, `tool_use`, …) as a stop reason. Words that are not known end an answer in order. */
export function stopReasonOf(word: string | null | undefined): StopReason {
  if (isMaxOutputStop(word)) return "max-output";
  return FAILED_STOPS.get(word?.toLowerCase() ?? "") ?? "end";
}

/** A request as it was sent, as far as a report of its usage needs it. */
export interface SentRequest {
  readonly planVersion: number;
  /** Tokens by our counter. */
  readonly counted: number;
}

/** What a provider reported of the newest request. */
export interface UsageReport {
  /** Prompt tokens, those read from and written to the cache included. */
  readonly inputTokens: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The plan under which the request was rendered; that of the newest request when it is left out. */
  readonly planVersion?: number;
  /** `end` when it is left out. */
  readonly stopReason?: StopReason;
  /** Set when the provider compacted before it answered: the figure is that of a prompt which nobody here has counted. */
  readonly compacted?: true;
  /** What that took, where the provider tells it apart: none of the figures above has it. */
  readonly compaction?: Usage["compaction"];
}

/** Whether something that asks for a fold was reported, and whether a fold has answered it: once, and never again (L19). */
type Reaction = "none" | "pending" | "answered" | "exhausted";

/** What the provider's answers have taught so far. */
export interface UsageState extends ProviderCount {
  /** The newest request that was rendered. */
  readonly sent: SentRequest | null;
  /** Whether the provider counts in the next request what nobody sees of an answer. So it is taken until a report says otherwise. */
  readonly resends: boolean;
  readonly overflow: Reaction;
  readonly maxOutput: Reaction;
}

export const NO_USAGE: UsageState = Object.freeze({
  ...AS_COUNTED,
  sent: null,
  resends: true,
  overflow: "none",
  maxOutput: "none",
});

export const afterSending = (state: UsageState, sent: SentRequest): UsageState => ({ ...state, sent });

/**
 * The state after a report. A failed answer, and one that reports nothing, leaves the last figure in place (L18).
 *
 * @param shownTokens what of the answer stands in the thread, by our counter; undefined while it is not there.
 */
export function afterReport(state: UsageState, report: UsageReport, shownTokens?: number): UsageState {
  const { inputTokens, outputTokens = 0, stopReason = "end" } = report;
  if (stopReason === "error" || stopReason === "aborted" || !(inputTokens > 0) || state.sent === null) return state;
  const planVersion = report.planVersion ?? state.sent.planVersion;
  const next = afterAnswer(state, stopReason);
  // What was counted of another request says nothing about this one.
  if (planVersion !== state.sent.planVersion || report.compacted === true) return next;
  const { counted } = state.sent;
  const estimate = afterReported(state.estimate, { counted, reported: inputTokens });
  // What cannot be a count of the request, such as one without what was cached, is no figure to go by.
  if (estimate === state.estimate) return next;
  const unshown = shownTokens === undefined ? 0 : Math.max(0, outputTokens - scaledTokens(estimate, shownTokens));
  const resends = resendsAfter(state, { planVersion, counted }, inputTokens);
  const measured = { planVersion, inputTokens, counted, unshown, resent: resends ? unshown : 0 };
  return { ...next, estimate, resends, measured };
}

/** Less than this of an answer, in tokens, is lost in what the counter is wrong by. */
const TELLING = 200;

/** Whether a report of the next request shows that it held what nobody saw of the answer before. */
function resendsAfter({ measured, estimate, resends }: UsageState, sent: SentRequest, inputTokens: number): boolean {
  if (measured === null || measured.planVersion !== sent.planVersion || measured.unshown < TELLING) return resends;
  const grown = inputTokens - measured.inputTokens - scaledTokens(estimate, sent.counted - measured.counted);
  return grown > measured.unshown / 2;
}

/** The state after an answer of which nothing was measured. One that came through settles what was asked for before it. */
export function afterAnswer(state: UsageState, stopReason: StopReason): UsageState {
  if (stopReason === "error" || stopReason === "aborted") return state;
  return { ...state, overflow: "none", maxOutput: stopReason === "max-output" ? onceMore(state.maxOutput) : "none" };
}

/** The state after a provider refused the newest request as too long. @param inputTokens what it counted of it, if it says so. */
export function afterOverflow(state: UsageState, inputTokens = 0): UsageState {
  const { sent, estimate } = state;
  const overflow = onceMore(state.overflow);
  if (sent === null || !(inputTokens > 0)) return { ...state, overflow };
  return { ...state, overflow, estimate: afterReported(estimate, { counted: sent.counted, reported: inputTokens }) };
}

/** The state after a fold was tried: what asked for it does not ask again until an answer came through. */
export const afterFold = (state: UsageState): UsageState => ({
  ...state,
  overflow: answered(state.overflow),
  maxOutput: answered(state.maxOutput),
});

const onceMore = (reaction: Reaction): Reaction =>
  reaction === "none" ? "pending" : reaction === "answered" ? "exhausted" : reaction;

const answered = (reaction: Reaction): Reaction => (reaction === "pending" ? "answered" : reaction);
