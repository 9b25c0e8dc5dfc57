import type {
  AuditJournal,
  Calibration,
  Clock,
  CompactionOutcome,
  CompactionPlan,
  ContextCompactionEvent,
  JournalEntry,
  JournalRecord,
  Summarizer,
  ThreadId,
  TokenEstimate,
} from "@threadfold/core";
import {
  countRest,
  type FoldHistory,
  type OverflowFigures,
  type SentRequest,
  type StopReason,
  type Turn,
  type TurnResult,
  type UsageReport,
  type UsageState,
  type UsageTotals,
} from "@threadfold/turn";
import type { WriteFailure } from "../journal/session-journal.ts";
import { NO_PAST, readSessionPast, recordRequestEnd } from "../journal/session-past.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import {
  afterBreak,
  afterDeclined,
  afterReading,
  afterRefused,
  afterRequest,
  afterSummary,
  afterSwitch,
  afterTurn,
  afterUnmeasured,
  afterUsage,
  emptyMemory,
  historyUnder,
  type MemoryEffect,
  type MemoryState,
  nextSummarizer,
  type Remembered,
  settledOutcome,
  usageOf,
} from "./memory-state.ts";

/** Whose memory it is. */
export interface MemoryOwner {
  readonly threadId: ThreadId;
  /** The model that requests go to; undefined while it has no name. */
  readonly model: string | undefined;
  /** What earlier sessions learned of models. */
  readonly learned: Calibration;
}

/** The name of the model that has none, in a calibration. */
const UNNAMED = "";

/** What the memory of a session reaches the outside with. */
export interface MemoryPorts {
  /** What is known of a model's counter before any report. */
  readonly estimateOf: (model: string | undefined) => TokenEstimate;
  /** Null for a session that keeps none. */
  readonly journal: AuditJournal | null;
  readonly clock: Clock;
  readonly emit: (event: ContextCompactionEvent) => void;
  /** Called with a record that could not be written. */
  readonly onFailure: WriteFailure;
}

/**
 * What a session remembers from one fold to the next: what was tried, sent and reported. It holds one state, which
 * `memory-state.ts` moves on, and carries out what follows from it. What outlives a restart stands in the journal and is
 * read from its end when it is first needed.
 */
export class SessionMemory {
  readonly #threadId: ThreadId;
  readonly #ports: MemoryPorts;
  #state: MemoryState;
  #learned: Calibration;
  #isLoaded = false;
  /** The number of the newest entry of the journal that is known; a lookup begins there. */
  #sequence = 0;

  constructor({ threadId, model, learned }: MemoryOwner, ports: MemoryPorts) {
    this.#threadId = threadId;
    this.#ports = ports;
    this.#learned = learned;
    this.#state = emptyMemory(this.#knownOf(model), model);
  }

  #knownOf(model: string | undefined): TokenEstimate {
    const name = model ?? UNNAMED;
    const learned = Object.hasOwn(this.#learned, name) ? this.#learned[name] : undefined;
    return learned ?? this.#ports.estimateOf(model);
  }

  /** Reads what an earlier session left, once. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    const { journal } = this.#ports;
    const past = journal === null ? NO_PAST : await readSessionPast(journal, this.#threadId);
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.#state = afterReading(this.#state, past);
  }

  get usage(): UsageState {
    return usageOf(this.#state);
  }

  /** The most tokens that the model was found to take; infinite while nothing is known. */
  get limit(): number {
    return this.#state.limit.tokens;
  }

  /** What was reported of all requests of this session. */
  get totals(): UsageTotals {
    return this.#state.totals;
  }

  /** What was learned of models' counters, by this session and those before it. */
  get calibration(): Calibration {
    return this.#learned;
  }

  /** The newest requests of an earlier session, oldest first. */
  get requestsBefore(): readonly JournalEntry[] {
    return (this.#state.past ?? NO_PAST).requests;
  }

  /** Seconds since the last request; undefined before the first one. */
  get idleSeconds(): number | undefined {
    const { requestedAt } = this.#state.past ?? NO_PAST;
    return requestedAt === null ? undefined : Math.max(0, (this.#ports.clock.now() - requestedAt) / 1_000);
  }

  /** What was tried under a plan. */
  history(plan: CompactionPlan): FoldHistory {
    return historyUnder(this.#state, plan);
  }

  /** The outcome of the same fold when nothing has changed since; see {@link settledOutcome}. */
  settled(turn: Turn): CompactionOutcome | undefined {
    return settledOutcome(this.#state, turn);
  }

  /** The summarizer for the next fold; see {@link nextSummarizer}. */
  summarizer(summarizers: FoldSummarizers, forced: boolean): Summarizer {
    return nextSummarizer(this.#state, summarizers, forced);
  }

  /** Takes note of a fold that the stand-in summarized. */
  summarizerRested(): void {
    const summarizerFailures = countRest(this.#state.summarizerFailures);
    this.#state = { ...this.#state, summarizerFailures };
  }

  /** Counts how the summarizer did in a fold, however the fold ended, and reports once when it failed too often (S18). */
  summarizerAsked(problem: string | null, budgetLimit: number): Promise<void> {
    return this.#take(afterSummary(this.#state, problem, { threadId: this.#threadId, budgetLimit }));
  }

  requestSent(sent: SentRequest): void {
    this.#state = afterRequest(this.#state, sent, this.#ports.clock.now());
  }

  /** @param shownTokens what of the answer stands in the thread by our count; undefined while it is not there. */
  async usageReported(report: UsageReport, shownTokens?: number): Promise<void> {
    await this.load();
    const { estimate: before } = this.usage;
    const heard = afterUsage(this.#state, { report, shownTokens });
    const { estimate } = usageOf(heard.state);
    if (estimate !== before)
      this.#learned = Object.freeze({ ...this.#learned, [this.#state.model ?? UNNAMED]: estimate });
    await this.#take(heard);
  }

  /** Takes note of an answer, and of its figures where it has any. */
  async answered(
    stopReason: StopReason,
    usage: Omit<UsageReport, "stopReason"> | undefined,
    shownTokens?: number,
  ): Promise<void> {
    if (usage !== undefined && usage.inputTokens > 0) return this.usageReported({ ...usage, stopReason }, shownTokens);
    await this.load();
    this.#state = afterUnmeasured(this.#state, stopReason);
  }

  /** Takes note of a refusal. @param room the tokens that a request may have. */
  overflowed(report: OverflowFigures, room: number): Promise<void> {
    return this.#take(afterRefused(this.#state, report, room));
  }

  /** Takes note that a request for a fold was met without one. */
  declined(): void {
    this.#state = afterDeclined(this.#state);
  }

  /** Takes note of a fold that a port's failure ended. */
  broken(turn: Turn, forced: boolean): void {
    this.#state = afterBreak(this.#state, turn, forced);
  }

  /** Forgets what was found of a model, its limit and what it measured, and begins with what is known of this one. */
  modelSwitched(model: string | undefined): void {
    this.#state = afterSwitch(this.#state, model ?? null, this.#knownOf(model));
  }

  /** Takes note of the outcome of a fold, records it when no plan was committed, and reports when the breaker opens. */
  folded(turn: Turn, result: TurnResult, forced: boolean): Promise<void> {
    return this.#take(afterTurn(this.#state, turn, result, forced));
  }

  async #take({ state, effects }: Remembered): Promise<void> {
    this.#state = state;
    for (const effect of effects) await this.#perform(effect);
  }

  async #perform(effect: MemoryEffect): Promise<void> {
    const { journal, emit } = this.#ports;
    if (effect.type === "emit") return emit(effect.event);
    if (journal === null) return;
    const threadId = this.#threadId;
    const at = new Date(this.#ports.clock.now()).toISOString();
    if (effect.type === "record-fold") {
      const { record } = effect;
      await this.#write(record.type, async () => (await journal.append(threadId, record, at)).sequence);
    } else {
      const { end } = effect;
      await this.#write(end.type, () => recordRequestEnd(journal, threadId, end, at, this.#sequence));
    }
  }

  /** Writes a record that is useful and not required: a journal that fails must not break the loop because of it. */
  async #write(record: JournalRecord["type"], write: () => Promise<number>): Promise<void> {
    try {
      this.#sequence = await write();
    } catch (cause) {
      this.#ports.onFailure(record, false, cause);
    }
  }
}
