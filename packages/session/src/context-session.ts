import type {
  AgentThread,
  Authority,
  CompactionOutcome,
  CompactionPlan,
  ContextCompactionConfig,
  Explanation,
  MessageId,
  MessageInput,
  PinId,
  RecallPage,
  RecallRequest,
  ThreadfoldStore,
  ThreadId,
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
import { checkFrame, checkResponse, checkTarget } from "./checked-arguments.ts";
import type { CompactOptions } from "./fold/compact-options.ts";
import type { PlanPreview } from "./fold/preview-plan.ts";
import type { BackgroundFold } from "./fold/session-folding.ts";
import { type Handoff, type HandoffOptions, handoff } from "./handoff/handoff.ts";
import { handoffDefaults } from "./handoff/handoff-defaults.ts";
import { type ReplayedRequest, replayThread } from "./journal/replay-thread.ts";
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

/**
 * One conversation in an agent loop: append what was said, prepare the next request, and let folding happen in between.
 * The thread is only ever appended to; what the model sees is a plan over it.
 */
export class ContextSession {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly #rooms: SessionRooms;
  readonly #handoffDefaults: ReturnType<typeof handoffDefaults>;
  /** Requests and folds, one after the other. Appends have a queue of their own and never wait for these. */
  readonly #turns = new SerialQueue();
  readonly #taken = new TakenAnswers();

  private constructor(options: SessionOptions, rooms: SessionRooms) {
    this.threadId = options.threadId;
    this.store = rooms.store;
    this.#rooms = rooms;
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
    return new ContextSession(options, sessionRooms(options, parts, thread, plan));
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

  /** The provider's request format. */
  get format(): ProviderFormat {
    return this.#rooms.request.format;
  }

  /**
   * Appends messages, and pins for the standing constraints among them. Never waits for a fold: what is appended while one
   * is made stays in the prompt as it is.
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

  /** Lifts a pin. @throws ThreadfoldError `INVALID_PIN` when there is none or the authority is too low. */
  liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    return this.#rooms.thread.liftPin(pinId, authority, reason);
  }

  /** Takes in what other sessions appended and committed to the thread. After a `VERSION_CONFLICT`: refresh, and append again. */
  async refresh(): Promise<void> {
    await this.#rooms.history.refresh();
  }

  /**
   * Makes the next request: folds first when the trigger fires, renders, checks, and records the request's digest. Calls
   * of one session are answered one after the other. Folding never makes it throw: see `outcome`.
   *
   * @throws what the store throws when the request cannot be recorded, `CONTENT_ERASED` of an erased thread among it;
   * ThreadfoldError `INVALID_CONFIG` for a frame that is none.
   */
  async prepare(
    options: { readonly frame?: RequestFrame; readonly signal?: AbortSignal } = {},
  ): Promise<PreparedRequest> {
    checkFrame(options.frame);
    const { folding, rehydrate } = this.#rooms;
    return this.#turns.run(async () => {
      const outcome = await folding.compact(options);
      return this.render(outcome, await rehydrate());
    });
  }

  /** Renders the request under the current plan, without folding, and records its digest. `rehydrated` is shown in it alone. */
  render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    const { history, prepareRequest } = this.#rooms;
    return history.whenNeeded(() => prepareRequest(this.plan, outcome, rehydrated));
  }

  /** Folds when the trigger fires, or in any case with `force`. Never throws for the sake of folding: see the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    checkFrame(options.frame);
    return this.#turns.run(() => this.#rooms.folding.compact(options));
  }

  /**
   * Starts a fold of the thread as it is now, and goes on: appends and requests do not wait for it. Its plan holds from the
   * request after its commit on; what was appended meanwhile stays. One is under way at a time, a second call gives the
   * first. A request that is over the cap before it is done is folded at once, and the background fold then comes to nothing.
   */
  compactInBackground(options: CompactOptions = {}): BackgroundFold {
    checkFrame(options.frame);
    return this.#rooms.folding.compactInBackground(options);
  }

  /**
   * Says what `compact` would do now: the plan, its tokens, what the commit costs and saves, and what the model would no
   * longer see. Nothing is stored: no artifact, no plan, no journal entry.
   */
  async dryRun(options: CompactOptions = {}): Promise<PlanPreview> {
    checkFrame(options.frame);
    return this.#rooms.folding.dryRun(options);
  }

  /**
   * Undoes folds: the records of an earlier plan hold again, as a new plan. 0 shows the thread unfolded. When the request is
   * above the trigger then, the next `prepare` folds again; raise the cap or switch folding off to keep it.
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
    this.#rooms.memory.overflowed(report, this.config.maxInputTokens);
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
    return handoff(this, { ...this.#handoffDefaults, ...options });
  }

  /** Begins a thread of its own with this one's first entries; see `forkThread`. */
  fork(options: ForkOptions): Promise<ForkedThread> {
    return forkThread(this.store, this.threadId, options);
  }

  /** Renders every recorded request of the thread again and compares the bytes (P2). @throws ThreadfoldError `THREAD_NOT_FOUND`. */
  replay(): Promise<readonly ReplayedRequest[]> {
    return replayThread(this.store, this.threadId);
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
   * sessions that share a store, hand each `{ ...store, close: async () => undefined }`, and close the store yourself.
   */
  async close(): Promise<void> {
    await this.#rooms.folding.close();
    await this.#turns.run(() => this.store.close());
  }
}
