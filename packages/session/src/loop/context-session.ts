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
  checkOnDemand,
  checkPrepareOptions,
  checkResponse,
  checkTarget,
} from "../host/checked-options.ts";
import type { CompletedResponse, FailedCall, ModelResponse } from "../host/model-response.ts";
import type { ModelTarget, PreparedRequest, PrepareOptions, RequestReference } from "../host/prepared-request.ts";
import type { OpenOptions, SessionOptions } from "../host/session-options.ts";
import { otherOptions, systemClock } from "../host/session-parts.ts";
import { prepareAgain } from "../replay/replay-thread.ts";
import { type ForkedThread, type ForkOptions, forkThread } from "../thread/fork-thread.ts";
import { closeInTime, TurnQueue } from "../waits/turn-queue.ts";
import { ModelAnswers } from "./model-answers.ts";
import { SessionReading } from "./session-reading.ts";
import { openServices, type SessionServices } from "./session-services.ts";

/**
 * One conversation in an agent loop: append what was said, prepare the next request, and let folding happen in between.
 * The thread is only ever appended to; what the model sees is a plan over it.
 */
export class ContextSession extends SessionReading {
  readonly #options: SessionOptions;
  readonly #services: SessionServices;
  /** Requests and folds, one after the other. Appends have a queue of their own and never wait for these. */
  readonly #turns = new TurnQueue();
  readonly #answers: ModelAnswers;

  private constructor(options: SessionOptions, services: SessionServices) {
    super(options, services);
    this.#options = options;
    this.#services = services;
    this.#answers = new ModelAnswers(services);
  }

  /**
   * Opens a session on a thread: an existing one as the store has it, or a new one. Of a thread that was folded only what
   * its newest plan shows is read, and what came since, where the store can do that (P9); the rest is read when a fold or a
   * search needs it. To walk the whole thread yourself, call {@link loadHistory} first.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
   */
  static async open(options: OpenOptions): Promise<ContextSession> {
    const opened = await openServices(options);
    return new ContextSession(opened.options, opened.services);
  }

  /**
   * Appends messages, pins for the standing constraints among them, and liftings for those that they take back. Never
   * waits for a fold: what is appended while one is made stays in the prompt as it is. Many of them let the event loop turn.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT` when another writer appended first (see {@link refresh}), `ABORTED` when the
   * signal ended it and nothing was appended, or what `AgentThread.append` throws.
   */
  async append(messages: readonly MessageInput[], options?: { readonly signal?: AbortSignal }): Promise<void> {
    if (options !== undefined) checkAppendOptions(options);
    return this.#services.thread.append(messages, options?.signal);
  }

  /** Makes a text stay in every request, word for word, until it is lifted by equal or higher authority. */
  pin(text: string, authority: Authority = "user"): Promise<PinId> {
    return this.#services.thread.pin(text, authority);
  }

  /**
   * Lifts a pin, or drops a candidate of {@link rules}, by its id.
   *
   * @throws ThreadfoldError `INVALID_PIN` when there is none or the authority is too low.
   */
  liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    return this.#services.thread.liftPin(pinId, authority, reason);
  }

  /**
   * Gives the thread a title, which is shown in the place of its first request where threads are listed. It is in no prompt.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for one that is blank or longer than 200 characters.
   */
  async setTitle(title: string): Promise<void> {
    await titleThread(this.store, this.threadId, title, this.#options.clock ?? systemClock);
  }

  /** Loads what other sessions appended and committed to the thread. After a `VERSION_CONFLICT`: refresh, and append again. */
  async refresh(): Promise<void> {
    await this.#services.history.refresh();
  }

  /**
   * Makes the next request: folds first when the trigger fires, renders, checks, and records the request's digest.
   * With a model or summarizer of the host's it waits for neither: a fold that does not press begins when the request is
   * handed out, and holds from the request after its commit; see the option `background`. Calls of one session are answered one after the other. A fold that fails is reported in `outcome` and throws
   * nothing while the request fits its budget, `maxInputTokens` less answer and safety buffer. What does not fit is not
   * handed out, unless `onOverBudget` is `send`; the session goes on as it was, and the journal says what was refused.
   * A signal ends a fold at once, whatever it waits for, though not one in the background, which `close` ends; a request that
   * fits is then made without it.
   *
   * @throws BudgetInfeasibleError `BUDGET_INFEASIBLE` for a request over its budget, with what takes the room; the reason of
   * the signal, or what a store or another port threw, when that kept such a request from being folded; what the store throws
   * when the request cannot be recorded, `CONTENT_ERASED` of an erased thread among it; ThreadfoldError `INVALID_CONFIG` for
   * unknown or impossible options, `ABORTED` when the store or an earlier call does not let it answer within a second after its
   * signal was aborted.
   */
  async prepare(options: PrepareOptions = {}): Promise<PreparedRequest> {
    checkPrepareOptions(options);
    const made = { ...options, frame: options.frame ?? {} };
    return this.#turns.inTime(() => this.#services.prepareRequest(made), options.signal);
  }

  /**
   * Hands out again a request that `prepare` handed out before, in this process or in another: the same bytes, whatever was
   * appended or folded since. Null when the model's answer stands behind it in the thread, so that a step of a durable engine
   * that is run again after a crash asks nothing twice that was answered. Records the request as one more call.
   *
   * @throws ThreadfoldError `REQUEST_NOT_FOUND` for a reference that this thread's journal does not have, `REPLAY_MISMATCH`
   * where another version of Threadfold recorded it and renders other bytes; what the store throws.
   */
  async prepareAgain(reference: RequestReference): Promise<PreparedRequest | null> {
    return this.#turns.run(() => prepareAgain(this.#services, reference));
  }

  /** Renders the request under the current plan, without folding, and records its digest. Does not check the budget: see `overBudget`. */
  render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    const { history, recorder } = this.#services;
    return history.whenNeeded(() => recorder.record(recorder.render(this.plan, rehydrated), outcome));
  }

  /**
   * Records what the next request would be, for the sake of its system text and tools: they are no part of the thread, and a
   * store has them nowhere else. Nobody gets the request, so it is no call, and nothing bills it.
   */
  async keepFrame(): Promise<void> {
    const { history, recorder } = this.#services;
    await history.whenNeeded(async () => {
      await recorder.catchUp(this.plan);
      return recorder.keep(recorder.render(this.plan, []));
    });
  }

  /** Folds when the trigger fires, or in any case with `force`, and waits for the summary. Never throws for the sake of folding: see the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    checkCompactOptions(options);
    const { signal } = options;
    const outcome = this.#turns.inTime(() => this.#services.folding.compact(options), signal);
    return outcome.catch((error: unknown) => (signal?.aborted === true ? ABANDONED : Promise.reject(error)));
  }

  /**
   * Starts a fold of the thread as it is now, and goes on. Its plan holds from the request after its commit on; what was
   * appended meanwhile stays. One is under way at a time; a second call returns the first. A request that is over the cap
   * before it is done is folded at once, and this fold has no effect.
   */
  compactInBackground(options: CompactOptions = {}): BackgroundFold {
    checkCompactOptions(options);
    return this.#services.folding.background.start(options);
  }

  /**
   * Has the provider compact now, in a session with `providerCompaction: { when: "on-demand" }`: `send` sends the payload that it
   * is given to the path, asks for the betas, and returns the assistant message with what came back. The next requests begin
   * with that in the place of everything before it; our own fold is committed beside it. Nothing is kept where messages came
   * meanwhile. Requests wait until it is done. Never throws for what `send` throws: see the outcome.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` in a session without that option; what the store throws.
   */
  async compactAtProvider(send: (call: CompactionCall) => Promise<MessageInput>): Promise<CompactionOutcome> {
    checkOnDemand(this.#options, send);
    return this.#turns.run(() => this.#answers.compactAtProvider(send));
  }

  /** Says what `compact` would do now: plan, tokens, cost and saving, and what the model would no longer see. Stores nothing. */
  async dryRun(options: CompactOptions = {}): Promise<PlanPreview> {
    checkCompactOptions(options);
    return this.#services.folding.dryRun(options);
  }

  /**
   * Undoes folds: the records of an earlier plan hold again, as a new plan. 0 shows the thread unfolded. When the request is
   * above the trigger then, it goes out unfolded until something is appended, and the `prepare` behind that folds again; one
   * that does not fit its room is folded at once. Raise the cap or switch folding off to keep it.
   *
   * @throws ThreadfoldError `PLAN_NOT_FOUND`, or what the store throws.
   */
  revert(planVersion: number): Promise<CompactionOutcome> {
    return this.#turns.run(() => this.#services.folding.changes.revert(planVersion));
  }

  /**
   * Shows of an imported session what the tool that wrote it would: the summary of its newest compaction, the messages that it
   * kept, and what came after (`importSession(…).compactions`). Append its messages first. A thread that was folded here keeps
   * its own plan (`no-op`).
   *
   * @throws ThreadfoldError `MESSAGE_NOT_FOUND`, or what the store throws.
   */
  applyCompactions(compactions: readonly LoggedCompaction[]): Promise<CompactionOutcome> {
    return this.#turns.run(() => this.#services.folding.changes.applyCompactions(compactions));
  }

  /**
   * Handles the answer of the model: appends it without the calls that the output limit cut off, and learns from the
   * usage. Handing in the same response again, after an error whose effect is not known, appends and counts nothing twice.
   *
   * @throws ThreadfoldError as {@link append} does, and `INVALID_CONFIG` for something that is not a response.
   */
  async complete(response: ModelResponse): Promise<CompletedResponse> {
    checkResponse(response);
    return this.#answers.complete(response);
  }

  /**
   * Handles a failed call of the model, and says whether preparing the request again can help. One that was refused as too
   * long is folded for once, and never in a loop (L19). Knows the error classes of the SDKs, bodies and texts.
   */
  failed(error: unknown): Promise<FailedCall> {
    return this.#answers.failed(error);
  }

  /**
   * Takes note of what the provider reported of the newest request. The figure feeds the trigger while the plan that it
   * was measured under holds (L17), teaches {@link calibration}, and goes into the journal. `complete` does this as well.
   */
  reportUsage(report: UsageReport): Promise<void> {
    return this.#answers.reported(report);
  }

  /**
   * Takes note that the provider refused the newest request as too long: the next `prepare` folds for it, once (L19). What
   * the refusal teaches of the model's limit holds until a larger request is answered, and for 64 answers at first, then for
   * twice as many each time that it is found to be true; `switchModel({})` forgets it, as for another deployment. It holds at
   * once; what is awaited is its record in the journal, by which it outlives a restart.
   */
  reportOverflow(report: OverflowFigures = {}): Promise<void> {
    return this.#answers.overflowed(report);
  }

  /**
   * Makes the next requests for another model. A smaller window is folded for before anything is sent to it (L10): what is
   * known of the model (`MODELS`) sets the cap where the target does not. What was found of the model before is forgotten.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for a cap that is not a positive number.
   */
  switchModel(target: ModelTarget): void {
    checkTarget(target);
    this.#services.request.retarget(target);
    this.#services.memory.modelSwitched(this.#services.request.model);
  }

  /**
   * Switches folding by itself on or off (pi's `/autocompact`); `stats().autoCompaction` says which. What somebody asks for
   * with `compact({ force: true })` is folded either way.
   */
  setAutoCompaction(isOn: boolean): void {
    this.#services.folding.switchAutomatic(isOn);
  }

  /** Begins a fresh thread in this session's store with what a goal needs of this one, and a reference back. */
  async handoff(options: HandoffOptions): Promise<Handoff> {
    await this.loadHistory();
    const { thread, plan } = this;
    return handoff({ thread, plan, store: this.#services.store }, { ...handoffDefaults(this.#options), ...options });
  }

  /** Begins a thread of its own with this one's first entries; see `forkThread`. */
  fork(options: ForkOptions): Promise<ForkedThread>;
  /**
   * Begins a sub-agent: a thread of its own that goes on from this one, with a session to work on it. `shared-prefix` makes its
   * requests begin with this session's, byte for byte; `scoped` folds what it begins with for its goal and its own budget.
   * Its `result` is one artifact of this thread with a bounded text.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`; `VERSION_CONFLICT` when its thread is there already; what the store throws.
   */
  fork(options: SubAgentOptions): Promise<SubAgent<ContextSession>>;
  fork(options: ForkOptions | SubAgentOptions): Promise<ForkedThread | SubAgent<ContextSession>> {
    if (Object(options).mode === undefined) {
      const { clock = systemClock } = this.#options;
      return forkThread(this.#services.store, this.threadId, { clock, ...(options as ForkOptions) });
    }
    return this.#subAgent(options as SubAgentOptions);
  }

  #subAgent(options: SubAgentOptions): Promise<SubAgent<ContextSession>> {
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
   * Opens a session on another thread of this session's store, such as a fork: as this one was opened, for the model and
   * the cap that hold now, with what was learned of its counter. Both share the store: closing one closes it for the other.
   *
   * @throws ThreadfoldError as {@link open} does.
   */
  openOther(threadId: ThreadId): Promise<ContextSession> {
    return ContextSession.open(this.#othersOptions(threadId));
  }

  /**
   * Ends a fold in the background, waits for what is under way, and closes the store, also one that was handed in. Of
   * sessions that share a store, hand each `{ ...store, close: async () => undefined }`, and close the store yourself.
   * It always answers: what does not end within `closeTimeLimitMs` is aborted, and given up when it ignores that.
   *
   * @throws ThreadfoldError `TIMED_OUT` that names what was given up; what the store throws.
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
