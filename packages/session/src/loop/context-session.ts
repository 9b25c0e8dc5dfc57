import type { Authority, CompactionOutcome, MessageInput, PinId, ThreadId } from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import type { CompactionCall } from "@threadfold/renderer/native";
import { titleThread } from "@threadfold/stores";
import type { CompactOptions, LoggedCompaction, OverflowFigures, PlanPreview, UsageReport } from "@threadfold/turn";
import { ABANDONED, type BackgroundFold } from "../fold/background-folds.ts";
import { type Handoff, type HandoffOptions, handoff, handoffDefaults } from "../handoff/handoff.ts";
import { beginSubAgent, type SubAgent, type SubAgentOptions } from "../handoff/sub-agent.ts";
import {
  checkAppendOptions,
  checkCompactOptions,
  checkPrepareOptions,
  checkRendering,
} from "../host/checked-options.ts";
import { type CompletedResponse, checkResponse, type FailedCall, type ModelResponse } from "../host/model-response.ts";
import type { ModelTarget, PreparedRequest, PrepareOptions, RequestReference } from "../host/prepared-request.ts";
import type { OpenOptions, SessionOptions } from "../host/session-options.ts";
import { otherOptions, systemClock } from "../host/session-parts.ts";
import { prepareAgain } from "../replay/replay-thread.ts";
import { type ForkedThread, type ForkOptions, forkThread } from "../thread/fork-thread.ts";
import { closeInTime, TurnQueue } from "../waits/turn-queue.ts";
import { checkOnDemand, ModelAnswers } from "./model-answers.ts";
import { SessionReading } from "./session-reading.ts";
import { openServices, type SessionServices } from "./session-services.ts";

/**
 * One conversation in an agent loop: append messages, prepare the next request, and let folding happen in between. The
 * thread is append-only; a plan over it decides what the model sees.
 */
export class ContextSession extends SessionReading {
  readonly #options: SessionOptions;
  readonly #services: SessionServices;
  /** Runs requests and folds one at a time. Appends have a separate queue and never wait for these. */
  readonly #turns = new TurnQueue();
  readonly #answers: ModelAnswers;

  private constructor(options: SessionOptions, services: SessionServices) {
    super(options, services);
    this.#options = options;
    this.#services = services;
    this.#answers = new ModelAnswers(services);
  }

  /**
   * Opens a session on a thread: an existing one as the store has it, or a new one. For a folded thread, if the store
   * supports it, only the messages that its newest plan shows and those appended since are read (P9); the rest is read
   * when a fold or a search needs it. To walk the whole thread yourself, call {@link loadHistory} first.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
   */
  static async open(options: OpenOptions): Promise<ContextSession> {
    const opened = await openServices(options);
    return new ContextSession(opened.options, opened.services);
  }

  /**
   * Appends messages, pins the standing constraints found in them, and lifts the pins of constraints that they retract.
   * Never waits for a fold: messages appended during one stay in the prompt unchanged. Large appends yield to the event
   * loop.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT` when another writer appended first (see {@link refresh}), `ABORTED` when
   * the signal was aborted before anything was appended, or whatever `AgentThread.append` throws.
   */
  async append(messages: readonly MessageInput[], options?: { readonly signal?: AbortSignal }): Promise<void> {
    if (options !== undefined) checkAppendOptions(options);
    return this.#services.thread.append(messages, options?.signal);
  }

  /** Keeps a text in every request, word for word, until it is lifted with equal or higher authority. */
  pin(text: string, authority: Authority = "user"): Promise<PinId> {
    return this.#services.thread.pin(text, authority);
  }

  /**
   * Lifts a pin, or drops a candidate of {@link rules}, by its id.
   *
   * @throws ThreadfoldError `INVALID_PIN` when there is no such pin or candidate, or when the authority is too low.
   */
  liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    return this.#services.thread.liftPin(pinId, authority, reason);
  }

  /**
   * Sets the thread's title, which lists of threads show instead of its first request. It is not part of any prompt.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when the title is blank or longer than 200 characters.
   */
  async setTitle(title: string): Promise<void> {
    await titleThread(this.store, this.threadId, title, this.#options.clock ?? systemClock);
  }

  /** Loads what other sessions appended and committed. After a `VERSION_CONFLICT`, refresh and append again. */
  async refresh(): Promise<void> {
    await this.#services.history.refresh();
  }

  /**
   * Prepares the next request: folds first if the trigger fires, then renders, checks, and records the request's
   * digest. Calls on one session run one at a time. With a `summaryModel` or `summarizer`, a fold that is not urgent
   * starts after the request is returned, and takes effect with the first request after its commit; see the option
   * `background`. A failed fold is reported in `outcome` and throws nothing as long as the request fits its budget:
   * `maxInputTokens` minus output reserve and safety buffer. A request over its budget is not returned, unless
   * `onOverBudget` is `send`; the session stays usable, and the journal records the refusal. Aborting the signal ends a
   * fold at once, except a background fold, which only `close` ends; a request that fits is then made without it.
   *
   * @throws BudgetInfeasibleError `BUDGET_INFEASIBLE` when the request is over its budget, with a breakdown of the
   * tokens; the signal's reason, or what a store or other port threw, when that kept such a request from being folded;
   * what the store throws when it cannot record the request, including `CONTENT_ERASED` for an erased thread;
   * ThreadfoldError `INVALID_CONFIG` for unknown or invalid options, `ABORTED` when the store or an earlier call keeps
   * it from returning within one second after its signal is aborted.
   */
  async prepare(options: PrepareOptions = {}): Promise<PreparedRequest> {
    checkPrepareOptions(options);
    const made = { ...options, frame: options.frame ?? {} };
    return this.#turns.inTime(() => this.#services.prepareRequest(made), options.signal);
  }

  /**
   * Returns a request that `prepare` returned before, in this process or another: the same bytes, whatever was appended
   * or folded since. Returns null when the thread already has the model's answer to it, so that a durable engine that
   * reruns a step after a crash does not ask for the same answer twice. Records the request as one more call.
   *
   * @throws ThreadfoldError `REQUEST_NOT_FOUND` for a reference that this thread's journal does not have,
   * `REPLAY_MISMATCH` when another version of Threadfold recorded it and it now renders differently; what the store
   * throws.
   */
  async prepareAgain(reference: RequestReference): Promise<PreparedRequest | null> {
    return this.#turns.run(() => prepareAgain(this.#services, reference));
  }

  /** Renders the request under the current plan, without folding or checking the budget, and records its digest. */
  async render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    checkRendering(outcome, rehydrated);
    const { history, recorder } = this.#services;
    return history.whenNeeded(() => recorder.record(recorder.render(this.plan, rehydrated), outcome));
  }

  /**
   * Records what the next request would be, to store its system text and tools: they are not part of the thread, and
   * the store keeps them nowhere else. The request is not returned, so it counts as no call and is not billed.
   */
  async keepFrame(): Promise<void> {
    const { history, recorder } = this.#services;
    await history.whenNeeded(async () => {
      await recorder.catchUp(this.plan);
      return recorder.keep(recorder.render(this.plan, []));
    });
  }

  /** Folds if the trigger fires, or always with `force`, and waits for the summary. Failures are in the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    checkCompactOptions(options);
    const { signal } = options;
    const outcome = this.#turns.inTime(() => this.#services.folding.compact(options), signal);
    return outcome.catch((error: unknown) => (signal?.aborted === true ? ABANDONED : Promise.reject(error)));
  }

  /**
   * Starts a fold of the thread as it is now, without waiting for it. Its plan takes effect with the first request
   * after its commit; messages appended meanwhile stay. Only one runs at a time: a second call returns the first. If a
   * request exceeds the cap before the fold is done, it is folded at once, and this fold has no effect.
   */
  compactInBackground(options: CompactOptions = {}): BackgroundFold {
    checkCompactOptions(options);
    return this.#services.folding.background.start(options);
  }

  /**
   * Has the provider compact now, in a session with `providerCompaction: { when: "on-demand" }`. `send` must send the
   * payload that it is given to the given path with the given betas, and return the response as an assistant message.
   * The next requests begin with that message instead of everything before it; our own fold is committed alongside it.
   * If messages were appended in the meantime, the response is discarded. Requests wait until the compaction is done.
   * An error that `send` throws is not rethrown: see the outcome.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when the session was opened without that option; what the store throws.
   */
  async compactAtProvider(send: (call: CompactionCall) => Promise<MessageInput>): Promise<CompactionOutcome> {
    checkOnDemand(this.#options, send);
    return this.#turns.run(() => this.#answers.compactAtProvider(send));
  }

  /** Returns what `compact` would do now: plan, tokens, cost, savings, and what would be hidden. Stores nothing. */
  async dryRun(options: CompactOptions = {}): Promise<PlanPreview> {
    checkCompactOptions(options);
    return this.#services.folding.dryRun(options);
  }

  /**
   * Undoes folds: commits a new plan with the records of an earlier one. 0 shows the thread unfolded. If the request is
   * then above the trigger, it goes out unfolded until something is appended, and the next `prepare` after that folds
   * again; a request over its budget is folded at once. To keep it unfolded, raise the cap or switch folding off.
   *
   * @throws ThreadfoldError `PLAN_NOT_FOUND` when there is no such plan; what the store throws.
   */
  revert(planVersion: number): Promise<CompactionOutcome> {
    return this.#turns.run(() => this.#services.folding.changes.revert(planVersion));
  }

  /**
   * Applies the compactions of an imported session (`importSession(…).compactions`), so that prompts show what the tool
   * that recorded it showed: the summary of its newest compaction, the messages that it kept, and everything after.
   * Append the session's messages first. A thread that was already folded here keeps its own plan (`no-op`).
   *
   * @throws ThreadfoldError `MESSAGE_NOT_FOUND` when the thread lacks a compaction's message; what the store throws.
   */
  async applyCompactions(compactions: readonly LoggedCompaction[]): Promise<CompactionOutcome> {
    return this.#turns.run(() => this.#services.folding.changes.applyCompactions(compactions));
  }

  /**
   * Handles the model's answer: appends it, without the tool calls that the output limit cut off, and learns from the
   * usage. Safe to retry after an error: passing the same response again appends and counts nothing twice.
   *
   * @throws ThreadfoldError as {@link append} does, and `INVALID_CONFIG` for something that is not a response.
   */
  async complete(response: ModelResponse): Promise<CompletedResponse> {
    checkResponse(response);
    return this.#answers.complete(response);
  }

  /**
   * Handles a failed model call, and returns whether preparing the request again can help. A request refused as too
   * long is folded once, never in a loop (L19). Recognizes the SDKs' error classes, response bodies and error texts.
   */
  failed(error: unknown): Promise<FailedCall> {
    return this.#answers.failed(error);
  }

  /**
   * Records the usage that the provider reported for the newest request. The figure feeds the trigger as long as the
   * plan that it was measured under is current (L17), refines {@link calibration}, and is journaled. `complete` does
   * this too.
   */
  async reportUsage(report: UsageReport): Promise<void> {
    return this.#answers.reported(report);
  }

  /**
   * Records that the provider refused the newest request as too long: the next `prepare` folds for it, once (L19). The
   * limit learned from the refusal is believed until a larger request is answered, and for 64 answers at first, then
   * twice as many each time that it is confirmed; `switchModel({})` forgets it, for instance for another deployment of
   * the same model. It applies at once; the promise waits only for the journal record that makes it survive a restart.
   */
  async reportOverflow(report: OverflowFigures = {}): Promise<void> {
    return this.#answers.overflowed(report);
  }

  /**
   * Prepares the next requests for another model. If its window is smaller, the thread is folded before anything is
   * sent to it (L10). Without a cap in the target, the model's row (`MODELS`) sets it. What was learned about the
   * previous model is forgotten.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for an unknown field, or when the cap is not a positive number.
   */
  switchModel(target: ModelTarget): void {
    this.#services.request.retarget(target);
    this.#services.memory.modelSwitched(this.#services.request.model);
  }

  /**
   * Switches automatic folding on or off (like pi's `/autocompact`); `stats().autoCompaction` has the current setting.
   * `compact({ force: true })` folds either way.
   */
  setAutoCompaction(isOn: boolean): void {
    this.#services.folding.switchAutomatic(isOn);
  }

  /** Starts a new thread in this session's store with what a goal needs from this one, and a reference back to it. */
  async handoff(options: HandoffOptions): Promise<Handoff> {
    await this.loadHistory();
    const { thread, plan } = this;
    return handoff({ thread, plan, store: this.#services.store }, { ...handoffDefaults(this.#options), ...options });
  }

  /** Starts a separate thread with this one's first entries; see `forkThread`. */
  fork(options: ForkOptions): Promise<ForkedThread>;
  /**
   * Starts a sub-agent: a separate thread that continues from this one, with a session to work on it. With
   * `shared-prefix` its requests begin with this session's, byte for byte; with `scoped` its initial content is folded
   * for its goal and its own budget. Its `result` is one artifact of this thread, with a text of bounded size.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for invalid options; `VERSION_CONFLICT` when its thread already exists;
   * what the store throws.
   */
  fork(options: SubAgentOptions): Promise<SubAgent<ContextSession>>;
  fork(options: ForkOptions | SubAgentOptions): Promise<ForkedThread | SubAgent<ContextSession>> {
    if (Object(options).mode === undefined) {
      const { clock = systemClock } = this.#options;
      return forkThread(this.#services.store, this.threadId, { clock, ...(options as ForkOptions) });
    }
    return this.#subAgent(options as SubAgentOptions);
  }

  async #subAgent(options: SubAgentOptions): Promise<SubAgent<ContextSession>> {
    const { clock = systemClock, tenantId = null } = this.#options;
    const { thread, request, store } = this.#services;
    const parent = {
      threadId: this.threadId,
      store,
      config: this.config,
      tenantId,
      clock,
      tokenizer: thread.state.ledger.tokenizer,
    };
    const like = { ...this.#othersOptions(options.threadId), frame: request.frame };
    return beginSubAgent(parent, options, (more) =>
      ContextSession.open({ ...like, ...more, config: { ...like.config, ...more.config } }),
    );
  }

  #othersOptions(threadId: ThreadId): SessionOptions {
    const { config, store, calibration } = this;
    const { model } = this.#services.request;
    return otherOptions(this.#options, { threadId, store, config, model, calibration });
  }

  /**
   * Opens a session on another thread in this session's store, such as a fork: with the same options, the current model
   * and cap, and the calibration learned so far. Both share the store: closing one session closes it for the other.
   *
   * @throws ThreadfoldError as {@link open} does.
   */
  async openOther(threadId: ThreadId): Promise<ContextSession> {
    return ContextSession.open(this.#othersOptions(threadId));
  }

  /**
   * Ends a background fold, waits for work in progress, and closes the store, even one that the host passed in. To
   * share a store between sessions, pass each `{ ...store, close: async () => undefined }` and close it yourself.
   * Always settles: work that exceeds `closeTimeLimitMs` is aborted, and abandoned if it ignores that.
   *
   * @throws ThreadfoldError `TIMED_OUT`, naming what was abandoned; what the store throws.
   */
  close(): Promise<void> {
    const { folding } = this.#services;
    return closeInTime(
      {
        idle: () => Promise.all([folding.background.close(), this.#turns.run(async () => undefined)]),
        abort: () => folding.end(),
        close: () => this.store.close(),
      },
      this.#options.closeTimeLimitMs,
    );
  }
}
