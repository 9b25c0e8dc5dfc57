import type {
  AuditJournal,
  Clock,
  CompactionOutcome,
  CompactionPlan,
  FoldAttemptedRecord,
  JournalRecord,
  Summarizer,
} from "@threadfold/core";
import { type Calibration, learnedFactor, NO_CALIBRATION, observeUsage } from "@threadfold/tokenizers";
import type { StopReason, Turn, TurnResult } from "@threadfold/turn";
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
  countRest,
  type FoldHistory,
  foldHistory,
  isSettled,
  limitAfterOverflow,
  NO_LIMIT,
  NO_SUMMARIZER_FAILURES,
  NO_TOTALS,
  type OverflowFigures,
  type SentRequest,
  summarizerAfter,
  type UsageReport,
  type UsageState,
  type UsageTotals,
} from "@threadfold/turn";
import type { SessionOptions } from "../host/session-options.ts";
import type { WriteFailure } from "../journal/session-journal.ts";
import { NO_PAST, readSessionPast, recordUsage, type SessionPast } from "../journal/session-past.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";

/**
 * While folds are held back, or find nothing, their record is written anew after this many calls, so that it stays near
 * the journal's end.
 */
const CALLS_BETWEEN_RECORDS = 8;

/**
 * What a session remembers from one fold to the next: what was tried, sent and reported. What outlives a restart stands
 * in the journal and is read from its end when it is first needed.
 */
export class SessionMemory {
  readonly #journal: AuditJournal | null;
  readonly #options: Pick<SessionOptions, "threadId" | "calibration">;
  readonly #clock: Clock;
  #past: SessionPast | undefined;
  #isLoaded = false;
  #history: FoldHistory | undefined;
  #calibration: Calibration;
  #limit = NO_LIMIT;
  #failed: { readonly key: string; readonly outcome: CompactionOutcome } | undefined;
  #summarizerFailures = NO_SUMMARIZER_FAILURES;
  #recordedAtStep = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #totals = NO_TOTALS;
  readonly #onFailure: WriteFailure;

  /** @param journal null for a session that keeps none. */
  constructor(
    options: Pick<SessionOptions, "threadId" | "calibration">,
    journal: AuditJournal | null,
    clock: Clock,
    onFailure: WriteFailure = () => undefined,
  ) {
    this.#options = options;
    this.#journal = journal;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#calibration = options.calibration?.learned ?? NO_CALIBRATION;
  }

  /** Reads what an earlier session left, once. What happened in this session before counts for more. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    const past = this.#journal === null ? NO_PAST : await readSessionPast(this.#journal, this.#options.threadId);
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#past = this.#past === undefined ? past : { ...this.#past, attempt: past.attempt };
  }

  get usage(): UsageState {
    return (this.#past ?? NO_PAST).usage;
  }

  /** The most tokens that the model was found to take; infinite while nothing is known. */
  get limit(): number {
    return this.#limit.tokens;
  }

  /** What was reported of all requests of this session. */
  get totals(): UsageTotals {
    return this.#totals;
  }

  /** What was learned of the model's counter, by this session and those before it. */
  get calibration(): Calibration {
    return this.#calibration;
  }

  /** Seconds since the last request; undefined before the first one. */
  get idleSeconds(): number | undefined {
    const { requestedAt } = this.#past ?? NO_PAST;
    return requestedAt === null ? undefined : Math.max(0, (this.#clock.now() - requestedAt) / 1_000);
  }

  history(plan: CompactionPlan): FoldHistory {
    return foldHistory(plan.version, this.#history ?? this.#past?.attempt);
  }

  /**
   * The outcome of the same fold when nothing has changed since: it is not made again, and does not count twice (L29).
   */
  settled(turn: Turn): CompactionOutcome | undefined {
    return this.#failed?.key === attemptKey(turn) ? this.#failed.outcome : undefined;
  }

  /** The summarizer for the next fold: after many failures in a row its stand-in for a while, unless it is asked for (S33). */
  summarizer({ summarizer, standIn }: FoldSummarizers, forced: boolean): Summarizer {
    return summarizerAfter(this.#summarizerFailures, summarizer, forced, standIn);
  }

  /** Takes note of a fold that the stand-in summarized. */
  summarizerRested(): void {
    this.#summarizerFailures = countRest(this.#summarizerFailures);
  }

  /**
   * Counts how the summarizer did in a fold, however the fold ended, and reports once when it failed too often (S18).
   */
  summarizerAsked(problem: string | null, emit: (failures: number, problem: string) => void): void {
    const { failures, escalate } = countFailure(this.#summarizerFailures, problem);
    this.#summarizerFailures = failures;
    if (escalate && problem !== null) emit(failures.consecutive, problem);
  }

  requestSent(sent: SentRequest): void {
    const { attempt } = this.#past ?? NO_PAST;
    this.#past = { attempt, usage: afterSending(this.usage, sent), requestedAt: this.#clock.now() };
  }

  async usageReported(report: UsageReport): Promise<void> {
    await this.load();
    const before = this.usage.measured;
    this.#setUsage(afterReport(this.usage, report));
    this.#totals = addUsage(this.#totals, report);
    const { measured } = this.usage;
    if (measured === null || measured === before) return;
    this.#accepted();
    this.#calibrate(measured.counted, measured.inputTokens);
    const journal = this.#journal;
    if (journal === null) return;
    const { threadId } = this.#options;
    await this.#write("usage-reported", () => recordUsage(journal, threadId, report, this.#now(), this.#sequence));
  }

  /** Takes note of an answer, and of its figures where it has any. */
  async answered(stopReason: StopReason, usage: Omit<UsageReport, "stopReason"> | undefined): Promise<void> {
    if (usage !== undefined && usage.inputTokens > 0) return this.usageReported({ ...usage, stopReason });
    await this.load();
    this.#setUsage(afterAnswer(this.usage, stopReason));
    if (stopReason !== "error" && stopReason !== "aborted") this.#accepted();
  }

  /** Takes note of a refusal; only the first one in a row teaches a limit and asks for a fold (L19). */
  overflowed(report: OverflowFigures, room: number): void {
    const usage = afterOverflow(this.usage);
    if (usage.overflow === "pending" && usage.sent !== null)
      this.#limit = afterRefusal(this.#limit, limitAfterOverflow(room, usage.sent.tokens, report));
    this.#setUsage(usage);
  }

  /** Takes note that a request for a fold was met without one: it does not ask again until an answer came through. */
  declined(): void {
    this.#setUsage(afterFold(this.usage));
  }

  /** Takes note of a fold that a port's failure ended. It counts for the breaker, because the next one spends as much. */
  broken(turn: Turn, forced: boolean): void {
    const { step } = turn.state.thread.position;
    const { breakerFailures } = turn.config;
    this.#history = afterAttempt(turn.history, "failed", { step, forced, breakerFailures });
    this.declined();
  }

  /** Forgets what was found of a model: its limit, and what it measured. */
  modelSwitched(): void {
    this.#limit = NO_LIMIT;
    this.#setUsage({ ...this.usage, measured: null });
  }

  /** Takes note of the outcome of a fold, records it when no plan was committed, and reports when the breaker opens. */
  async folded(turn: Turn, result: TurnResult, forced: boolean): Promise<void> {
    const { outcome, history, attempted } = result;
    const failed = attempted && !forced && isSettled(outcome);
    this.#failed = failed ? { key: attemptKey(turn), outcome } : undefined;
    this.#history = history;
    if (attempted) this.#setUsage(afterFold(this.usage));
    if (outcome.type === "summarizer-failed-floor-used" || outcome.type === "committed") return;
    await this.#record(turn, result, outcome.type);
    const { failures } = history;
    if (failures !== turn.config.breakerFailures || turn.history.failures === failures) return;
    turn.emit({
      threadId: turn.threadId,
      budgetLimit: turn.config.maxInputTokens,
      type: "compaction_breaker_opened",
      failures,
      reason: `${failures} folds in a row had no effect; the last one ended as "${outcome.type}"`,
    });
  }

  async #record(
    { state }: Turn,
    { history, attempted, outcome: { type } }: TurnResult,
    outcome: FoldAttemptedRecord["outcome"],
  ): Promise<void> {
    const { step } = state.thread.position;
    // What found nothing to fold changes nothing that the next look depends on, and may happen at every call.
    const isNew = attempted && type !== "no-op";
    const isDue = step - this.#recordedAtStep >= CALLS_BETWEEN_RECORDS;
    const isHeldBack = isDue && (type === "postponed" || (type === "no-op" && history.failures > 0));
    if (this.#journal === null || !(isNew || isHeldBack)) return;
    this.#recordedAtStep = step;
    const threadVersion = state.thread.version;
    const record = { type: "fold-attempted", outcome, threadVersion, step, ...history } as const;
    const journal = this.#journal;
    await this.#write(record.type, async () => {
      return (await journal.append(this.#options.threadId, record, this.#now())).sequence;
    });
  }

  /** Writes a record that is useful and not required: a journal that fails must not break the loop because of it. */
  async #write(record: JournalRecord["type"], write: () => Promise<number>): Promise<void> {
    try {
      this.#sequence = await write();
    } catch (cause) {
      this.#onFailure(record, false, cause);
    }
  }

  /** Takes note that the provider took the newest request. */
  #accepted(): void {
    const { sent } = this.usage;
    if (sent !== null) this.#limit = afterAcceptance(this.#limit, sent.tokens);
  }

  /** Learns from a report; the figures of a calibrated counter are taken back to those of its base. */
  #calibrate(counted: number, reportedTokens: number): void {
    const { calibration } = this.#options;
    if (calibration === undefined) return;
    const { model, learned = NO_CALIBRATION } = calibration;
    const countedTokens = counted / learnedFactor(learned, model).factor;
    this.#calibration = observeUsage(this.#calibration, { model, countedTokens, reportedTokens });
  }

  #setUsage(usage: UsageState): void {
    this.#past = { ...(this.#past ?? NO_PAST), usage };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
