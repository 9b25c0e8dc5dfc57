import {
  type AgentThread,
  type Authority,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionConfig,
  type Explanation,
  type MessageId,
  type MessageInput,
  type PinId,
  type RecallPage,
  type RecallRequest,
  roomTokens,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadRules,
  threadRules,
  type UnsourcedItem,
  unsourcedInPlan,
  withinLimit,
} from "@threadfold/core";
import {
  type CompactionQualityMetrics,
  compactionQuality,
  type ReadArtifactTool,
  type RehydrationResult,
  type SearchThreadTool,
} from "@threadfold/rehydration";
import type { ProviderFormat } from "@threadfold/renderer";
import type { OverflowFigures } from "@threadfold/strategies";
import type { Calibration } from "@threadfold/tokenizers";
import { calibratedParts } from "./answer/calibrated-parts.ts";
import { type CompletedResponse, type ModelResponse, withoutTruncatedCalls } from "./answer/complete-response.ts";
import { type FailedCall, overflowIn } from "./answer/failed-call.ts";
import { TakenAnswers } from "./answer/taken-answers.ts";
import type { UsageReport } from "./answer/usage-state.ts";
import { checkCompactOptions, checkPrepareOptions, checkResponse, checkTarget } from "./checked-arguments.ts";
import type { CompactOptions } from "./fold/compact-options.ts";
import type { PlanPreview } from "./fold/preview-plan.ts";
import { ABANDONED, type BackgroundFold } from "./fold/session-folding.ts";
import { ABORT_GRACE_MS, untilGivenUp } from "./given-up.ts";
import { type Handoff, type HandoffOptions, handoff } from "./handoff/handoff.ts";
import { handoffDefaults } from "./handoff/handoff-defaults.ts";
import { type ReplayedRequest, replayThread } from "./journal/replay-thread.ts";
import type { PrepareOptions } from "./request/prepare-options.ts";
import type { PreparedRequest } from "./request/prepared-request.ts";
import type { RequestFrame } from "./request/request-frame.ts";
import type { ModelTarget } from "./request/request-scene.ts";
import { SerialQueue } from "./serial-queue.ts";
import type { SessionOptions } from "./session-options.ts";
import { sessionParts } from "./session-parts.ts";
import { type SessionRooms, sessionRooms } from "./session-rooms.ts";
import { type SessionStats, sessionStats } from "./session-stats.ts";
import { type ForkedThread, type ForkOptions, forkThread } from "./thread/fork-thread.ts";
import { openThread } from "./thread/session-history.ts";
import { SessionThread } from "./thread/session-thread.ts";

/** How long `close` waits by default, in milliseconds. */
const CLOSE_TIME_LIMIT_MS = 10_000;

/**
 * One conversation in an agent loop: append what was said, prepare the next request, and let folding happen in between.
 * The thread is only ever appended to; what the model sees is a plan over it.
 */
export class ContextSession {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly #options: SessionOptions;
  readonly #rooms: SessionRooms;
  readonly #handoffDefaults: ReturnType<typeof handoffDefaults>;
  /** Requests and folds, one after the other. Appends have a queue of their own and never wait for these. */
  readonly #turns = new SerialQueue();
  readonly #taken = new TakenAnswers();
  readonly #closeTimeLimitMs: number;

  private constructor(options: SessionOptions, rooms: SessionRooms) {
    this.threadId = options.threadId;
    this.store = rooms.givenStore;
    this.#options = options;
    this.#rooms = rooms;
    this.#closeTimeLimitMs = options.closeTimeLimitMs ?? CLOSE_TIME_LIMIT_MS;
    this.#handoffDefaults = handoffDefaults(options);
  }

  /**
   * Opens a session on a thread: an existing one as the store has it, or a new one. Of a thread that was folded only what
   * its newest plan shows is read, and what came since, where the store can do that (P9); the rest is read when a fold or a
   * search needs it. To walk the whole thread yourself, call {@link loadHistory} first.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
   */
  static async open(options: SessionOptions): Promise<ContextSession> {
    const parts = calibratedParts(sessionParts(options), options.calibration);
    const { thread, plan } = await openThread(parts.store, options.threadId, parts.config.policyVersion);
    return new ContextSession(
      options,
      sessionRooms(options, parts, await SessionThread.count(thread, parts, plan), plan),
    );
  }

  /** Brings the whole thread and its plan into memory, for who walks {@link thread} or {@link plan}. Does nothing when they are. */
  loadHistory(): Promise<void> {
    return this.#rooms.history.load();
  }

  /** The thread as this session knows it; of one that was resumed some of it is in the store, see {@link loadHistory}. */
  get thread(): AgentThread {
    return this.#rooms.thread.state.thread;
  }

  /** The plan that the next request is rendered with. */
  get plan(): CompactionPlan {
    return this.#rooms.plan.current;
  }

  /** The figures that hold now. */
  get config(): ContextCompactionConfig {
    return this.#rooms.request.config;
  }

  /** System text and tools that the session was opened with; a call of {@link prepare} may go before them. */
  get frame(): RequestFrame {
    return this.#rooms.request.ownFrame;
  }

  /** The provider's request format. */
  get format(): ProviderFormat {
    return this.#rooms.request.format;
  }

  /**
   * Appends messages, pins for the standing constraints among them, and liftings for those that they take back. Never
   * waits for a fold: what is appended while one is made stays in the prompt as it is.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT` when another writer appended first (see {@link refresh}), or what
   * `AgentThread.append` throws.
   */
  async append(messages: readonly MessageInput[]): Promise<void> {
    return this.#rooms.thread.append(messages);
  }

  /** Makes a text stay in every request, word for word, until it is lifted by equal or higher authority. */
  pin(text: string, authority: Authority = "user"): Promise<PinId> {
    return this.#rooms.thread.pin(text, authority);
  }

  /**
   * Lifts a pin, or drops a candidate of {@link rules}, by its id.
   *
   * @throws ThreadfoldError `INVALID_PIN` when there is none or the authority is too low.
   */
  liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    return this.#rooms.thread.liftPin(pinId, authority, reason);
  }

  /**
   * The rules of the thread: those that hold, with who said them and since when; those that were lifted, and why; those
   * that found no room; and candidates, which may be rules or retractions. Confirm a candidate with `pin(text, authority)`,
   * lift the rule that it takes back with {@link liftPin}, or drop it with `liftPin(candidate.id, …)`. Walks the thread.
   */
  async rules(): Promise<ThreadRules> {
    await this.loadHistory();
    return threadRules(this.thread);
  }

  /**
   * What stands in the summaries of {@link plan} as if a user had asked, ruled or allowed it, and that no message of a user
   * or of the system bears out. The prompt marks these items as the agent's own notes. Walks the thread.
   */
  async unsourcedItems(): Promise<readonly UnsourcedItem[]> {
    await this.loadHistory();
    return unsourcedInPlan(this.plan, (id) => this.thread.message(id));
  }

  /** Takes in what other sessions appended and committed to the thread. After a `VERSION_CONFLICT`: refresh, and append again. */
  async refresh(): Promise<void> {
    await this.#rooms.history.refresh();
  }

  /**
   * Makes the next request: folds first when the trigger fires, renders, checks, and records the request's digest. Calls
   * of one session are answered one after the other. A fold that fails is told in `outcome` and throws nothing while the
   * request fits its budget, `maxInputTokens` less `outputReserveTokens`. What does not fit is not handed out, unless
   * `onOverBudget` is `send`; the session goes on as it was, and the journal says what was refused. A signal ends a fold at
   * once, whatever it waits for; a request that fits is then made without it.
   *
   * @throws BudgetInfeasibleError `BUDGET_INFEASIBLE` for a request over its budget, with what takes the room; the reason of
   * the signal, or what a store or another port threw, when that kept such a request from being folded; what the store throws
   * when the request cannot be recorded, `CONTENT_ERASED` of an erased thread among it; ThreadfoldError `INVALID_CONFIG` for
   * options that are none, `ABORTED` when the store or an earlier call does not let it answer within a second after its
   * signal was aborted.
   */
  async prepare(options: PrepareOptions = {}): Promise<PreparedRequest> {
    checkPrepareOptions(options);
    const turn = (givenUp: AbortSignal): Promise<PreparedRequest> =>
      this.#turns.run(async () => {
        givenUp.throwIfAborted();
        return this.#rooms.prepareRequest({ ...options, frame: options.frame ?? {} });
      });
    return untilGivenUp(turn, options.signal);
  }

  /**
   * Renders the request under the current plan, without folding, and records its digest. `rehydrated` is shown in it alone.
   * Does not look at the budget: see `overBudget`.
   */
  render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    const { history, recorder } = this.#rooms;
    return history.whenNeeded(() => recorder.record(recorder.render(this.plan, rehydrated), outcome));
  }

  /** Folds when the trigger fires, or in any case with `force`. Never throws for the sake of folding: see the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    checkCompactOptions(options);
    const turn = (givenUp: AbortSignal): Promise<CompactionOutcome> =>
      this.#turns.run(async () => (givenUp.aborted ? ABANDONED : this.#rooms.folding.compact(options)));
    return untilGivenUp(turn, options.signal).catch((error: unknown) => {
      if (options.signal?.aborted === true) return ABANDONED;
      throw error;
    });
  }

  /**
   * Starts a fold of the thread as it is now, and goes on: appends and requests do not wait for it. Its plan holds from the
   * request after its commit on; what was appended meanwhile stays. One is under way at a time, a second call gives the
   * first. A request that is over the cap before it is done is folded at once, and the background fold then comes to nothing.
   */
  compactInBackground(options: CompactOptions = {}): BackgroundFold {
    checkCompactOptions(options);
    return this.#rooms.folding.compactInBackground(options);
  }

  /**
   * Says what `compact` would do now: the plan, its tokens, what the commit costs and saves, and what the model would no
   * longer see. Nothing is stored: no artifact, no plan, no journal entry.
   */
  async dryRun(options: CompactOptions = {}): Promise<PlanPreview> {
    checkCompactOptions(options);
    return this.#rooms.folding.dryRun(options);
  }

  /**
   * Undoes folds: the records of an earlier plan hold again, as a new plan. 0 shows the thread unfolded. When the request is
   * above the trigger then, it goes out unfolded until something is appended, and the `prepare` behind that folds again; one
   * that does not fit its room is folded at once. Raise the cap or switch folding off to keep it.
   *
   * @throws ThreadfoldError `PLAN_NOT_FOUND`, or what the store throws.
   */
  revert(planVersion: number): Promise<CompactionOutcome> {
    return this.#turns.run(() => this.#rooms.folding.revert(planVersion));
  }

  /**
   * Takes in what the model answered: appends it without the calls that the output limit cut off, and learns from the
   * usage. Handing in the same response again, after an error whose effect is not known, appends and counts nothing twice.
   *
   * @throws ThreadfoldError as {@link append} does, and `INVALID_CONFIG` for what is no response.
   */
  async complete(response: ModelResponse): Promise<CompletedResponse> {
    checkResponse(response);
    const { usage, stopReason = "end" } = response;
    const { messages, discarded } = withoutTruncatedCalls(response);
    if (messages.length > 0) await this.append(messages);
    await this.#taken.once(messages, () => this.#rooms.memory.answered(stopReason, usage));
    const appended = await this.#rooms.history.whenNeeded(() =>
      messages.flatMap(({ id }) => this.thread.message(id) ?? []),
    );
    const retry = stopReason === "max-output" && (await this.#rooms.folding.foldsNext());
    return { appended, discarded, retry };
  }

  /**
   * Takes in that the call of the model failed, and says whether preparing the request again can help. A request that was
   * refused as too long is folded for once, and never in a loop (L19). Knows the error classes of the SDKs, bodies and texts.
   */
  async failed(error: unknown): Promise<FailedCall> {
    const overflow = overflowIn(error);
    if (overflow === null) return { kind: "other", retry: false };
    await this.#rooms.memory.load();
    this.reportOverflow(overflow);
    return { kind: "overflow", retry: await this.#rooms.folding.foldsNext() };
  }

  /**
   * Takes note of what the provider reported of the newest request. The figure feeds the trigger while the plan that it
   * was measured under holds (L17), teaches {@link calibration}, and goes into the journal. `complete` does this as well.
   */
  reportUsage(report: UsageReport): Promise<void> {
    return this.#rooms.memory.usageReported(report);
  }

  /**
   * Takes note that the provider refused the newest request as too long: the next `prepare` folds for it, once (L19). What
   * the refusal teaches of the model's limit holds until a larger request is answered, and for 64 answers at first, then for
   * twice as many each time that it is found to be true; `switchModel({})` forgets it, as for another deployment.
   */
  reportOverflow(report: OverflowFigures = {}): void {
    this.#rooms.memory.overflowed(report, roomTokens(this.config));
  }

  /**
   * Makes the next requests for another model, as a router or a user chooses. A smaller window is folded for before
   * anything is sent to it (L10). What was found of the model before is forgotten.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for a cap that is none.
   */
  switchModel(target: ModelTarget): void {
    checkTarget(target);
    this.#rooms.request.retarget(target);
    this.#rooms.memory.modelSwitched();
  }

  /** What is known of the model's counter by now. Keep it and open the next session with it. */
  get calibration(): Calibration {
    return this.#rooms.memory.calibration;
  }

  /** Finds passages of the thread by their words, folded or not. @throws ThreadfoldError `INVALID_QUERY`. */
  search(request: RecallRequest): Promise<RecallPage> {
    return this.#rooms.unfolding.search(request);
  }

  /** `read_artifact` and `search_thread`: the model's own ways to what is folded, for a host to offer. */
  tools(): readonly [ReadArtifactTool, SearchThreadTool] {
    return this.#rooms.unfolding.tools();
  }

  /** Begins a fresh thread in this session's store with what a goal needs of this one, and a reference back (seed 001). */
  async handoff(options: HandoffOptions): Promise<Handoff> {
    await this.loadHistory();
    const { thread, plan } = this;
    return handoff({ thread, plan, store: this.#rooms.store }, { ...this.#handoffDefaults, ...options });
  }

  /** Begins a thread of its own with this one's first entries; see `forkThread`. */
  fork(options: ForkOptions): Promise<ForkedThread> {
    return forkThread(this.#rooms.store, this.threadId, options);
  }

  /**
   * Opens a session on another thread of this session's store, such as a fork: as this one was opened, for the model and
   * the cap that hold now, with what was learned of its counter. Both share the store: closing one closes it for the other.
   *
   * @throws ThreadfoldError as {@link open} does.
   */
  openOther(threadId: ThreadId): Promise<ContextSession> {
    const { config, calibration } = this.#options;
    const { model } = this.#rooms.request;
    return ContextSession.open({
      ...this.#options,
      threadId,
      store: this.store,
      config: { ...config, maxInputTokens: this.config.maxInputTokens },
      ...(model !== undefined && { model }),
      ...(calibration !== undefined && { calibration: { ...calibration, learned: this.calibration } }),
    });
  }

  /** Renders every recorded request of the thread again and compares the bytes (P2). @throws ThreadfoldError `THREAD_NOT_FOUND`. */
  replay(): Promise<readonly ReplayedRequest[]> {
    return replayThread(this.#rooms.store, this.threadId);
  }

  /** Signs that the newest fold took away what was still needed (seed 002). Walks the thread. */
  async quality(taskCompletionSuccess: boolean | null = null): Promise<CompactionQualityMetrics> {
    await this.loadHistory();
    return compactionQuality(this.thread, this.plan, taskCompletionSuccess);
  }

  /** Says why a message is, or is not, in the prompt. @throws ThreadfoldError `MESSAGE_NOT_FOUND`. */
  explain(messageId: MessageId): Promise<Explanation> {
    return this.#rooms.history.explain(messageId);
  }

  /** How full the window is under the current plan, what folding did, and what the provider reported. */
  stats(): SessionStats {
    return sessionStats(this.#rooms);
  }

  /**
   * Ends a fold in the background, waits for what is under way, and closes the store, also one that was handed in. Of
   * sessions that share a store, hand each `{ ...store, close: async () => undefined }`, and close the store yourself. It
   * always answers: what does not end within `closeTimeLimitMs` is aborted, and given up when it does not hear that.
   *
   * @throws ThreadfoldError `TIMED_OUT` that names what was given up; what the store throws.
   */
  async close(): Promise<void> {
    const { folding } = this.#rooms;
    const milliseconds = this.#closeTimeLimitMs;
    const limit = { milliseconds, option: "closeTimeLimitMs", timers: globalThis };
    const idle = (): Promise<unknown> => Promise.all([folding.close(), this.#turns.run(async () => undefined)]);
    let givenUp: unknown;
    try {
      await withinLimit(idle, { ...limit, waitedFor: "what was under way in the session" });
    } catch (late) {
      folding.end();
      await withinLimit(idle, { ...limit, milliseconds: ABORT_GRACE_MS, waitedFor: "it" }).catch(
        () => (givenUp = late),
      );
    }
    await withinLimit(() => this.store.close(), { ...limit, waitedFor: "the store's close" });
    if (givenUp !== undefined) throw givenUp;
  }
}
