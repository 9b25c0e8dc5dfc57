import {
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionEvent,
  type FoldAttemptedRecord,
  handedOn,
  type LearnedOfModel,
  requestTokens,
  type Summarizer,
  type TokenEstimate,
  unreported,
} from "@threadfold/core";
import {
  addUsage,
  afterAcceptance,
  afterAnswer,
  afterAttempt,
  afterFold,
  afterOverflow,
  afterRefusal,
  afterReport,
  afterSending,
  attemptKey,
  countFailure,
  type FoldHistory,
  foldHistory,
  isSettled,
  type LearnedLimit,
  limitAfterOverflow,
  NO_LIMIT,
  NO_SUMMARIZER_FAILURES,
  NO_TOTALS,
  NO_USAGE,
  type OverflowFigures,
  type SentRequest,
  type StopReason,
  type SummarizerFailures,
  summarizerAfter,
  type Turn,
  type TurnResult,
  type UsageReport,
  type UsageState,
  type UsageTotals,
} from "@threadfold/turn";
import { NO_PAST, type RequestEnd, type SessionPast } from "../journal/session-past.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";

/**
 * While folds are held back, or find nothing to fold, their record is written again after this many calls, so that it
 * stays near the journal's end.
 */
const CALLS_BETWEEN_RECORDS = 8;

/** What a session remembers from one fold to the next. */
export interface MemoryState {
  /** The model that requests go to; null while it has no name. */
  readonly model: string | null;
  /** The initial estimate of how the provider counts. */
  readonly begun: TokenEstimate;
  /**
   * What was tried, sent and measured last; undefined until something was, or until an earlier session's past is read.
   */
  readonly past: SessionPast | undefined;
  /** What was tried under the current plan in this session; undefined before the first fold. */
  readonly history: FoldHistory | undefined;
  readonly limit: LearnedLimit;
  /** The newest fold that had no effect, and a key of what it depended on. */
  readonly failed: { readonly key: string; readonly outcome: CompactionOutcome } | undefined;
  readonly summarizerFailures: SummarizerFailures;
  readonly totals: UsageTotals;
  /** The step at which a fold without effect was last recorded. */
  readonly recordedAtStep: number;
}

/** A side effect to carry out because of a state change. */
export type MemoryEffect =
  | { readonly type: "record-end"; readonly end: RequestEnd }
  | { readonly type: "record-fold"; readonly record: FoldAttemptedRecord }
  | { readonly type: "emit"; readonly event: ContextCompactionEvent };

/** A new state, and the side effects to carry out because of it. */
export interface Remembered {
  readonly state: MemoryState;
  readonly effects: readonly MemoryEffect[];
}

const NO_EFFECTS: readonly MemoryEffect[] = Object.freeze([]);

/** Returns the initial state. @param begun what is known at first about how the model counts. */
export const emptyMemory = (begun: TokenEstimate = unreported(), model: string | null = null): MemoryState => ({
  model,
  begun: handedOn(begun),
  past: undefined,
  history: undefined,
  limit: NO_LIMIT,
  failed: undefined,
  summarizerFailures: NO_SUMMARIZER_FAILURES,
  totals: NO_TOTALS,
  recordedAtStep: Number.NEGATIVE_INFINITY,
});

export const usageOf = ({ past, begun }: MemoryState): UsageState => past?.usage ?? { ...NO_USAGE, estimate: begun };

const withUsage = (state: MemoryState, usage: UsageState): MemoryState => ({
  ...state,
  past: { ...(state.past ?? NO_PAST), usage },
});

/** The state after reading what an earlier session left. What already happened in this session takes precedence. */
export function afterReading(state: MemoryState, read: SessionPast): MemoryState {
  if (state.past !== undefined) return { ...state, past: { ...state.past, attempt: read.attempt } };
  // What another model counted, accepted or refused says nothing about this one.
  const { learned } = read;
  const isSameModel = learned === undefined || learned.model === state.model;
  if (!isSameModel)
    return { ...state, past: { ...read, usage: { ...NO_USAGE, sent: read.usage.sent, estimate: state.begun } } };
  const estimate = learned?.estimate ?? state.begun;
  return { ...state, limit: learned?.limit ?? state.limit, past: { ...read, usage: { ...read.usage, estimate } } };
}

/** What the next session should know about the model. */
function learnedIn(state: MemoryState): LearnedOfModel {
  const { limit, model } = state;
  return {
    model,
    estimate: usageOf(state).estimate,
    limit: limit === NO_LIMIT || !Number.isFinite(limit.tokens) ? null : limit,
  };
}

/** What was tried under a plan, in this session or the one before it. */
export const historyUnder = ({ history, past }: MemoryState, plan: CompactionPlan): FoldHistory =>
  foldHistory(plan.version, history ?? past?.attempt);

/**
 * The outcome of the same fold if nothing has changed since it had no effect: it is not made or counted again (L29).
 */
export const settledOutcome = ({ failed }: MemoryState, turn: Turn): CompactionOutcome | undefined =>
  failed?.key === attemptKey(turn) ? failed.outcome : undefined;

/** The summarizer for the next fold: after many failures in a row, the stand-in for a while, unless forced (S33). */
export const nextSummarizer = (
  { summarizerFailures }: MemoryState,
  { summarizer, standIn }: FoldSummarizers,
  forced: boolean,
): Summarizer => summarizerAfter(summarizerFailures, summarizer, forced, standIn);

/** The state after a fold that used the summarizer: `problem` is why it failed, null when it succeeded (S18). */
export function afterSummary(
  state: MemoryState,
  problem: string | null,
  { threadId, budgetLimit }: Pick<ContextCompactionEvent, "threadId" | "budgetLimit">,
): Remembered {
  const { failures, escalate } = countFailure(state.summarizerFailures, problem);
  const next = { ...state, summarizerFailures: failures };
  if (!escalate || problem === null) return { state: next, effects: NO_EFFECTS };
  const { consecutive } = failures;
  const event = { threadId, budgetLimit, type: "summarizer_failing", failures: consecutive, problem } as const;
  return { state: next, effects: [{ type: "emit", event }] };
}

/** The state after a request was rendered. @param now milliseconds since the epoch. */
export const afterRequest = (state: MemoryState, sent: SentRequest, now: number): MemoryState => ({
  ...state,
  past: { ...(state.past ?? NO_PAST), usage: afterSending(usageOf(state), sent), requestedAt: now },
});

/**
 * The usage that a provider reported for the newest request, and our token count of its answer if that is in the
 * thread.
 */
interface ReportedAnswer {
  readonly report: UsageReport;
  readonly shownTokens: number | undefined;
}

/** The state after a provider reported the usage of a request. The report is recorded even if it cannot be true. */
export function afterUsage(before: MemoryState, { report, shownTokens }: ReportedAnswer): Remembered {
  const earlier = usageOf(before);
  const usage = afterReport(earlier, report, shownTokens);
  const state = { ...withUsage(before, usage), totals: addUsage(before.totals, report) };
  const { planVersion = earlier.sent?.planVersion } = report;
  if (usage === earlier || planVersion !== earlier.sent?.planVersion) return { state, effects: NO_EFFECTS };
  const isMeasured = usage.measured !== earlier.measured;
  const next = accepted(state, isMeasured ? usage.measured?.inputTokens : undefined);
  const end = { type: "usage-reported", report, learned: learnedIn(next) } as const;
  return { state: next, effects: [{ type: "record-end", end }] };
}

/** The state after an answer without reported usage. */
export function afterUnmeasured(before: MemoryState, stopReason: StopReason): MemoryState {
  const state = withUsage(before, afterAnswer(usageOf(before), stopReason));
  return stopReason === "error" || stopReason === "aborted" ? state : accepted(state);
}

/** The state after a refusal; only the first of several in a row teaches a limit and requests a fold (L19). */
export function afterRefused(before: MemoryState, report: OverflowFigures, room: number): Remembered {
  const usage = afterOverflow(usageOf(before), report.inputTokens);
  const { overflow, sent, estimate } = usage;
  const heard = withUsage(before, usage);
  if (overflow !== "pending" || sent === null) return { state: heard, effects: NO_EFFECTS };
  const taught = limitAfterOverflow(room, requestTokens(estimate, sent.counted), report);
  const state = { ...heard, limit: afterRefusal(before.limit, taught) };
  const end = { type: "request-overflowed", report, learned: learnedIn(state) } as const;
  return { state, effects: [{ type: "record-end", end }] };
}

/** The state after a requested fold was not made: it is not requested again until an answer comes through. */
export const afterDeclined = (state: MemoryState): MemoryState => withUsage(state, afterFold(usageOf(state)));

/**
 * The state after a port's failure ended a fold. It counts for the breaker, because the next attempt would cost as
 * much.
 */
export function afterBreak(state: MemoryState, turn: Turn, forced: boolean): MemoryState {
  const { step } = turn.state.thread.position;
  const { breakerFailures } = turn.config;
  const history = afterAttempt(turn.history, "failed", { step, forced, breakerFailures });
  return afterDeclined({ ...state, history });
}

/** The state for another model, or another deployment of the same one: no known limit and no measurements. */
export function afterSwitch(state: MemoryState, model: string | null, begun: TokenEstimate): MemoryState {
  const estimate = handedOn(begun);
  const switched = { ...state, limit: NO_LIMIT, model, begun: estimate };
  return withUsage(switched, { ...usageOf(state), measured: null, estimate });
}

/** The state after a turn: a turn without a new plan is recorded, and an event is emitted when the breaker opens. */
export function afterTurn(before: MemoryState, turn: Turn, result: TurnResult, forced: boolean): Remembered {
  const { outcome, history, attempted } = result;
  const isFailed = attempted && !forced && isSettled(outcome);
  const failed = isFailed ? { key: attemptKey(turn), outcome } : undefined;
  const held = { ...before, failed, history };
  const state = attempted ? afterDeclined(held) : held;
  const record = attemptRecord(state, turn, result);
  return {
    state: record === null ? state : { ...state, recordedAtStep: record.step },
    effects: [
      ...(record === null ? NO_EFFECTS : [{ type: "record-fold", record } as const]),
      ...breakerOpened(turn, result),
    ],
  };
}

/** Returns the record of a turn without a new plan; null when none need be written. */
function attemptRecord(
  { recordedAtStep }: MemoryState,
  { state: { thread } }: Turn,
  { history, attempted, outcome: { type } }: TurnResult,
): FoldAttemptedRecord | null {
  if (type === "summarizer-failed-floor-used" || type === "committed") return null;
  const { step } = thread.position;
  // A turn that found nothing to fold does not affect the next check, and may happen at every call.
  const isNew = attempted && type !== "no-op";
  const isDue = step - recordedAtStep >= CALLS_BETWEEN_RECORDS;
  const isHeldBack = isDue && (type === "postponed" || (type === "no-op" && history.failures > 0));
  if (!isNew && !isHeldBack) return null;
  return { type: "fold-attempted", outcome: type, threadVersion: thread.version, step, ...history };
}

function breakerOpened(turn: Turn, { outcome: { type }, history: { failures } }: TurnResult): readonly MemoryEffect[] {
  if (type === "summarizer-failed-floor-used" || type === "committed") return NO_EFFECTS;
  if (failures !== turn.config.breakerFailures || turn.history.failures === failures) return NO_EFFECTS;
  const reason = `${failures} folds in a row had no effect; the last one ended as "${type}"`;
  const { threadId, config } = turn;
  const base = { threadId, budgetLimit: config.maxInputTokens };
  return [{ type: "emit", event: { ...base, type: "compaction_breaker_opened", failures, reason } }];
}

/**
 * The state after the provider accepted the newest request.
 *
 * @param inputTokens its count of it; estimated if absent.
 */
function accepted(state: MemoryState, inputTokens?: number): MemoryState {
  const { sent, estimate } = usageOf(state);
  if (sent === null) return state;
  return { ...state, limit: afterAcceptance(state.limit, inputTokens ?? requestTokens(estimate, sent.counted)) };
}
