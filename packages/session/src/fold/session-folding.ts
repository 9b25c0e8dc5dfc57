import { type AgentThread, type CompactionOutcome, checkArgument, EventLoopTurns, problemOf } from "@threadfold/core";
import {
  type CompactOptions,
  decide,
  type FoldDecision,
  foldTurn,
  isAsked,
  meteredSummarizer,
  type PlanPreview,
  planFloor,
  planTurn,
  previewPlan,
  type Turn,
  type TurnCommit,
  type TurnResult,
} from "@threadfold/turn";
import { askedSummaries, causeOf, type FoldAttempt, FoldEvents, type FoldPlace } from "../events/session-events.ts";
import { FoldHooks } from "../hooks/fold-hooks.ts";
import { SWITCHED_OFF } from "../host/compaction-switch.ts";
import type { SessionRecorder } from "../journal/session-journal.ts";
import type { BackgroundOptions } from "../queue/compaction-queue.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import { BackgroundFolds, either } from "./background-folds.ts";
import { PlanChanges } from "./plan-changes.ts";
import { type SessionTurnPorts, SessionTurns } from "./session-turns.ts";
import { Upkeep } from "./upkeep.ts";
import { WorkerFolds } from "./worker-folds.ts";

/** What a session's folds are made with. */
export interface FoldingPorts extends SessionTurnPorts, FoldSummarizers {
  readonly plan: SessionPlan;
  readonly journal: SessionRecorder;
  /** Why automatic folding was off when the session was opened; null when it was on. */
  readonly disabled: string | null;
  /** Reads history that a resumed session left in the store. */
  readonly history: HistoryReader;
  /** How workers are asked to fold; absent when the session makes its own folds. */
  readonly background?: Required<BackgroundOptions>;
  /** True if no request waits for the summarizer: urgent folds do without it, and others run in the background. */
  readonly behind: boolean;
}

/** A turn whose hooks agreed, and the decision to fold if it is still valid. */
interface ReadyTurn {
  readonly turn: Turn;
  readonly options: CompactOptions;
  readonly decision?: FoldDecision;
}

/**
 * Folds a session's thread: checks, asks the hooks, folds, commits, and reports. No failure here breaks the agent loop:
 * every attempt ends in an outcome (P6).
 */
export class SessionFolding {
  readonly #ports: FoldingPorts;
  readonly #plan: SessionPlan;
  readonly #turns: SessionTurns;
  readonly #upkeep: Upkeep;
  readonly #events: FoldEvents;
  readonly #hooks: FoldHooks;
  readonly #workers: WorkerFolds | undefined;
  /** Folds that nobody waits for. */
  readonly background = new BackgroundFolds((options) => this.#attempt(options, "behind"));
  readonly #ending = new AbortController();
  /** Why automatic folding is off; null while it is on. Forced folds are made either way. */
  disabled: string | null;

  constructor(ports: FoldingPorts) {
    const { options, events, clock, thread } = ports;
    this.disabled = ports.disabled;
    this.#ports = ports;
    this.#plan = ports.plan;
    this.#turns = new SessionTurns(ports);
    this.#upkeep = new Upkeep(ports, this.#turns);
    const budgetLimit = (): number => this.#turns.config.maxInputTokens;
    this.#events = new FoldEvents(options, events, budgetLimit, clock);
    this.#hooks = new FoldHooks(options, thread);
    this.#workers =
      ports.background === undefined ? undefined : new WorkerFolds(ports.background, { ...ports, budgetLimit });
  }

  /**
   * Folds if a fold is due, or always with `force`.
   *
   * @param place `request` for a request that is about to be sent.
   */
  async compact(options: CompactOptions, place: "request" | "asked" = "asked"): Promise<CompactionOutcome> {
    await this.#workers?.takeCommitted();
    const heard = { ...options, signal: either(options.signal, this.#ending.signal) };
    const folds = place === "request" && this.#ports.behind ? "without-model" : "at-once";
    const outcome = await this.#attempt(heard, folds);
    return outcome.type === "no-op" && (await this.#upkeep.isDue(heard, this.disabled))
      ? this.#attempt({ ...heard, ...this.#ports.preset.upkeep }, folds)
      : outcome;
  }

  /**
   * Folds down to the deterministic floor: without the preset's ladder, a model or hooks. Used for a request that is
   * over its budget after a failed fold.
   */
  foldToFloor(options: CompactOptions): Promise<CompactionOutcome> {
    return this.#attempt(options, "at-once", async (turn, attempt) => {
      const summarizer = this.#ports.standIn;
      return this.#commit({ turn: { ...turn, summarizer }, options }, attempt, planFloor);
    });
  }

  /** Aborts all folds in progress, including those that a caller is waiting for. */
  end(): void {
    this.#ending.abort();
  }

  /** Returns what a fold would do now; stores nothing and calls no hook. */
  async dryRun(options: CompactOptions): Promise<PlanPreview> {
    await this.#ports.history.load();
    const summarizer = this.#turns.summarizer(this.#ports, options);
    const names = { foldId: "dry-run", cause: "manual", summarizer } as const;
    const turn = await this.#turns.now(this.#plan.current, options, names);
    return previewPlan(turn, options);
  }

  /** Switches automatic folding on or off. */
  switchAutomatic(isOn: boolean): void {
    checkArgument("isOn", isOn, "flag");
    this.disabled = isOn ? null : SWITCHED_OFF;
  }

  /** Changes of the plan other than by folding. */
  get changes(): PlanChanges {
    return new PlanChanges(this.#ports, this.#events);
  }

  /** Returns true if what the provider reported makes the next `compact` fold; both use the same check. */
  async foldsNext(): Promise<boolean> {
    const { memory, summarizer } = this.#ports;
    const cause = causeOf({}, memory.usage);
    if (this.disabled !== null || cause !== "reactive") return false;
    await this.#ports.history.load();
    const turn = await this.#turns.now(this.#plan.current, {}, { foldId: "look", cause, summarizer });
    return memory.settled(turn) === undefined && decide(turn, {}).due;
  }

  async #attempt(
    options: CompactOptions,
    place: FoldPlace,
    fold = (turn: Turn, attempt: FoldAttempt) => this.#fold(turn, attempt),
  ): Promise<CompactionOutcome> {
    const { memory, history } = this.#ports;
    let attempt: FoldAttempt;
    try {
      attempt = await history.whenNeeded(() => this.#begin(options, place));
    } catch (thrown) {
      // The request could not even be measured, so there are no figures to report.
      memory.declined();
      return { type: "failed", problem: problemOf(thrown), cause: thrown, tokens: { before: 0, after: 0 } };
    }
    const tokens = { before: attempt.tokensBefore, after: attempt.tokensBefore };
    const disabled = this.disabled;
    if (disabled !== null && !isAsked(options)) return { type: "disabled", reason: disabled, tokens };
    this.#events.started(attempt);
    if (options.signal?.aborted === true) return this.#end(attempt, { type: "aborted", tokens });
    let turn: Turn | undefined;
    try {
      const { foldId, cause, metered } = attempt;
      turn = await this.#turns.now(this.#plan.current, options, { foldId, cause, summarizer: metered.summarizer });
      return await fold(turn, attempt);
    } catch (thrown) {
      if (turn === undefined) memory.declined();
      else memory.broken(turn, isAsked(options));
      await this.#noteSummarizer(attempt, null);
      return this.#end(attempt, { type: "failed", problem: problemOf(thrown), cause: thrown, tokens });
    }
  }

  async #begin(options: CompactOptions, place: FoldPlace): Promise<FoldAttempt> {
    const { request, thread, events, memory, clock } = this.#ports;
    request.take(options.frame);
    await new EventLoopTurns().finish(request.renderer(thread.state).catchUp(this.#plan.current));
    return {
      foldId: events.nextFoldId(),
      cause: causeOf(options, memory.usage),
      tokensBefore: request.renderer(thread.state).measure(this.#plan.current),
      startedAt: clock.now(),
      options,
      place,
      metered: meteredSummarizer(
        place === "without-model" ? this.#ports.standIn : this.#turns.summarizer(this.#ports, options),
        this.#ports.standIn,
        this.#ports.options.summaryTimeLimitMs,
      ),
    };
  }

  async #fold(first: Turn, attempt: FoldAttempt): Promise<CompactionOutcome> {
    const { memory } = this.#ports;
    const { options, place } = attempt;
    const settled = isAsked(options) ? undefined : memory.settled(first);
    if (settled !== undefined) return this.#end(attempt, settled);
    const left = place === "behind" || isAsked(options) ? null : await this.#leaveToWorker(first, options);
    if (left !== null) return this.#end(attempt, left);
    const { turn, due } = await this.#look(first, options);
    let ready: ReadyTurn = { turn: turn, options, decision: due };
    if (due.due) {
      const reason = due.decision.level === "soft" ? this.#waits(attempt) : null;
      if (reason !== null)
        return this.#end(attempt, { type: "postponed", reason, tokens: { before: due.tokens, after: due.tokens } });
      const asked = await this.#ask(turn, due, attempt);
      if ("type" in asked) {
        memory.declined();
        return this.#end(attempt, asked);
      }
      ready = asked;
    }
    // The provider already wrote a summary: the fold that accompanies it needs no model.
    if (ready.turn.providerItem !== undefined && !isAsked(options))
      ready = { ...ready, turn: { ...ready.turn, summarizer: this.#ports.standIn } };
    return this.#commit(ready, attempt, planTurn);
  }

  /** Returns why a fold that is not urgent is not made here; null when it is. */
  #waits({ place, options }: FoldAttempt): string | null {
    if (place === "behind" || options.force === true) return null;
    if (this.background.isUnderWay) return "a fold is under way in the background";
    if (place === "at-once" || isAsked(options)) return null;
    this.background.foldNext(options);
    return "a fold begins in the background";
  }

  async #commit(ready: ReadyTurn, attempt: FoldAttempt, plan: TurnCommit["plan"]): Promise<CompactionOutcome> {
    const { turn, options, decision } = ready;
    const { trigger, strategy } = options;
    const own = { ...(trigger !== undefined && { trigger }), ...(strategy !== undefined && { strategy }) };
    const isBehind = attempt.place === "behind";
    const rebase = isBehind ? null : (latest: Turn) => this.#rebase(latest, own);
    const { store, thread, history } = this.#ports;
    const threadNow = () => this.#threadNow(isBehind);
    const commit = { plans: store.plans, rebase, threadNow, plan: this.#turns.counting(plan) };
    // Rarely, a fold needs more of a resumed thread than was loaded for it.
    const fold = async (): Promise<TurnResult> => {
      if (thread.state.thread.isWhole === turn.state.thread.isWhole) return foldTurn(turn, commit, options, decision);
      return foldTurn(await this.#turns.now(this.#plan.current, options, turn), commit, options);
    };
    return this.#settle(await history.whenNeeded(fold), attempt);
  }

  /** The thread with what was appended meanwhile. A session that never appends folds for another one that does. */
  async #threadNow(isBehind: boolean): Promise<AgentThread> {
    const { thread } = this.#ports;
    if (isBehind && !thread.isWriter) await thread.refresh();
    return thread.state.thread;
  }

  /** Asks a worker for a fold that is due but not urgent. Null when the session must check and fold itself. */
  async #leaveToWorker(first: Turn, options: CompactOptions): Promise<CompactionOutcome | null> {
    if (this.#workers === undefined) return null;
    return this.#workers.leave(options, () => this.#turns.now(this.#plan.current, options, first));
  }

  /** Checks whether a fold is due, and loads what it looks at; for some triggers, the whole thread is loaded. */
  async #look(first: Turn, options: CompactOptions): Promise<{ readonly turn: Turn; readonly due: FoldDecision }> {
    const { history } = this.#ports;
    let turn = first;
    const look = async (): Promise<FoldDecision> => {
      if (this.#ports.thread.state.thread !== turn.state.thread || this.#plan.current !== turn.plan)
        turn = await this.#turns.now(this.#plan.current, options, turn);
      return decide(turn, options);
    };
    let due = await history.whenNeeded(look);
    if (due.due && !turn.state.thread.isWhole) {
      await this.#turns.load(turn, history);
      due = await history.whenNeeded(look);
    }
    return { turn, due };
  }

  /** Asks the hooks. Returns what to continue with, or the veto. */
  async #ask(
    turn: Turn,
    due: Extract<FoldDecision, { readonly due: true }>,
    { options, foldId, cause, metered }: FoldAttempt,
  ): Promise<ReadyTurn | Extract<CompactionOutcome, { readonly type: "vetoed" }>> {
    const ruling = await this.#hooks.before(turn, due.decision.reason, options);
    if (ruling.veto !== null) {
      const tokens = turn.renderer.measure(turn.plan);
      const { hook, reason } = ruling.veto;
      const at = { threadVersion: turn.state.thread.version, planVersion: turn.plan.version };
      await this.#ports.journal.foldVetoed({ hook, ...at, tokens }, reason);
      return { type: "vetoed", ...ruling.veto, tokens: { before: tokens, after: tokens } };
    }
    const instructions = [options.instructions ?? [], ruling.instructions].flat().join("\n");
    const told = instructions === "" ? options : { ...options, instructions };
    const summarizer = this.#hooks.summarizer(ruling, metered.summarizer);
    // Pins from a hook, and messages appended while it ran, belong to what is folded, so the fold is decided again.
    const next = await this.#turns.now(this.#plan.current, told, { foldId, cause, summarizer });
    const isSame =
      next.state.thread === turn.state.thread && next.plan === turn.plan && next.renderer === turn.renderer;
    return { turn: next, options: told, ...(isSame && { decision: due }) };
  }

  /** Takes over the result of a fold. */
  async #settle(result: TurnResult, attempt: FoldAttempt): Promise<CompactionOutcome> {
    const { memory, journal } = this.#ports;
    const { turn, outcome, plan, basis, weighing } = result;
    if (plan.version > this.#plan.current.version) this.#plan.take(plan);
    if (outcome.type === "conflict") await this.#plan.refresh();
    await this.#noteSummarizer(attempt, outcome.type === "summarizer-failed-floor-used" ? outcome.problem : null);
    // A background fold that lost to another fold says nothing about the next one.
    if (outcome.type !== "conflict" || attempt.place !== "behind")
      await memory.folded(turn, result, isAsked(attempt.options));
    if (plan === basis) return this.#end(attempt, outcome, weighing);
    await journal.planCommitted(basis, plan);
    const notice = await this.#events.committed(result, attempt);
    await this.#end(attempt, outcome, weighing);
    await this.#hooks.after(turn, { outcome, plan, notice }, attempt.options.signal);
    return outcome;
  }

  /** @param rejected why a summary was rejected; null when none was. */
  async #noteSummarizer({ metered }: FoldAttempt, rejected: string | null): Promise<void> {
    const { memory, summarizer } = this.#ports;
    const newest = metered.newest();
    if (newest === null) return;
    if (metered.of !== summarizer) return memory.summarizerRested();
    const budgetLimit = this.#turns.config.maxInputTokens;
    await memory.summarizerAsked(newest.problem ?? rejected, budgetLimit);
  }

  async #end(
    attempt: FoldAttempt,
    outcome: CompactionOutcome,
    weighing: TurnResult["weighing"] = null,
  ): Promise<CompactionOutcome> {
    const asked = askedSummaries(attempt, outcome, this.#ports);
    if (asked !== null) await this.#ports.journal.summariesAsked(asked);
    await this.#events.completed(attempt, outcome, weighing);
    return outcome;
  }

  /** The turn with the plan that another writer committed, and with the messages that this plan covers. */
  async #rebase({ foldId, cause, summarizer }: Turn, own: CompactOptions): Promise<Turn> {
    const { thread } = this.#ports;
    const plan = await this.#plan.refresh();
    if (plan.threadVersion > thread.state.thread.version) await thread.refresh();
    return this.#turns.now(plan, own, { foldId, cause, summarizer });
  }
}
