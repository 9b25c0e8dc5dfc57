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

/** The thread and model that a memory belongs to. */
export interface MemoryOwner {
  readonly threadId: ThreadId;
  /** The model that requests go to; undefined while it has no name. */
  readonly model: string | undefined;
  /** What earlier sessions learned about models' token counting. */
  readonly learned: Calibration;
}

/** The key of the unnamed model in a calibration. */
const UNNAMED = "";

/** What the memory of a session depends on. */
export interface MemoryPorts {
  /** Returns what is known about how a model counts before any report. */
  readonly estimateOf: (model: string | undefined) => TokenEstimate;
  /** Null for a session without a journal. */
  readonly journal: AuditJournal | null;
  readonly clock: Clock;
  readonly emit: (event: ContextCompactionEvent) => void;
  /** Called with a record that could not be written. */
  readonly onFailure: WriteFailure;
}

/**
 * What a session remembers from one fold to the next: what was tried, sent and reported. It holds one state, which the
 * functions of `memory-state.ts` advance, and carries out the side effects that these return. What survives a restart
 * is in the journal, whose end is read when it is first needed.
 */
export class SessionMemory {
  readonly #threadId: ThreadId;
  readonly #ports: MemoryPorts;
  #state: MemoryState;
  #learned: Calibration;
  #isLoaded = false;
  /** Sequence number of the newest known journal entry; lookups start there. */
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

  /** Reads what an earlier session left in the journal, once. */
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

  /** The learned token limit of the model; infinite while nothing is known. */
  get limit(): number {
    return this.#state.limit.tokens;
  }

  /** The reported usage of all requests of this session. */
  get totals(): UsageTotals {
    return this.#state.totals;
  }

  /** What this and earlier sessions learned about how models count tokens. */
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

  /** Returns what was tried under a plan. */
  history(plan: CompactionPlan): FoldHistory {
    return historyUnder(this.#state, plan);
  }

  /** Returns the outcome of the same fold if nothing has changed since; see {@link settledOutcome}. */
  settled(turn: Turn): CompactionOutcome | undefined {
    return settledOutcome(this.#state, turn);
  }

  /** Returns the summarizer for the next fold; see {@link nextSummarizer}. */
  summarizer(summarizers: FoldSummarizers, forced: boolean): Summarizer {
    return nextSummarizer(this.#state, summarizers, forced);
  }

  /** Records a fold that the stand-in summarized. */
  summarizerRested(): void {
    const summarizerFailures = countRest(this.#state.summarizerFailures);
    this.#state = { ...this.#state, summarizerFailures };
  }

  /**
   * Records how the summarizer did in a fold, however the fold ended, and reports once if it failed too often (S18).
   */
  summarizerAsked(problem: string | null, budgetLimit: number): Promise<void> {
    return this.#take(afterSummary(this.#state, problem, { threadId: this.#threadId, budgetLimit }));
  }

  requestSent(sent: SentRequest): void {
    this.#state = afterRequest(this.#state, sent, this.#ports.clock.now());
  }

  /**
   * Records reported usage.
   *
   * @param shownTokens our count of the answer in the thread; undefined while it is not there.
   */
  async usageReported(report: UsageReport, shownTokens?: number): Promise<void> {
    await this.load();
    const { estimate: before } = this.usage;
    const heard = afterUsage(this.#state, { report, shownTokens });
    const { estimate } = usageOf(heard.state);
    if (estimate !== before)
      this.#learned = Object.freeze({ ...this.#learned, [this.#state.model ?? UNNAMED]: estimate });
    await this.#take(heard);
  }

  /** Records an answer, with its usage if it has any. */
  async answered(
    stopReason: StopReason,
    usage: Omit<UsageReport, "stopReason"> | undefined,
    shownTokens?: number,
  ): Promise<void> {
    if (usage !== undefined && usage.inputTokens > 0) return this.usageReported({ ...usage, stopReason }, shownTokens);
    await this.load();
    this.#state = afterUnmeasured(this.#state, stopReason);
  }

  /** Records a refusal. @param room maximum tokens of a request. */
  overflowed(report: OverflowFigures, room: number): Promise<void> {
    return this.#take(afterRefused(this.#state, report, room));
  }

  /** Records that a requested fold was not made. */
  declined(): void {
    this.#state = afterDeclined(this.#state);
  }

  /** Records a fold that a port's failure ended. */
  broken(turn: Turn, forced: boolean): void {
    this.#state = afterBreak(this.#state, turn, forced);
  }

  /** Forgets the previous model's limit and measurements, and starts with what is known about the new one. */
  modelSwitched(model: string | undefined): void {
    this.#state = afterSwitch(this.#state, model ?? null, this.#knownOf(model));
  }

  /** Remembers the outcome of a fold, journals it when no plan was committed, and reports when the breaker opens. */
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

  /** Writes a record that is useful but not required, so a failing journal must not break the agent loop. */
  async #write(record: JournalRecord["type"], write: () => Promise<number>): Promise<void> {
    try {
      this.#sequence = await write();
    } catch (cause) {
      this.#ports.onFailure(record, false, cause);
    }
  }
}
