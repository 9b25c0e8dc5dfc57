import type { CompactionOutcome } from "@threadfold/core";
import type { FoldRequests } from "../background/fold-requests.ts";
import { foldsAhead } from "../background/folds-ahead.ts";
import { FoldTeller } from "../events/fold-teller.ts";
import { problemOf } from "../events/problem-of.ts";
import { untilGivenUp } from "../given-up.ts";
import { FoldHooks } from "../hooks/fold-hooks.ts";
import type { SessionRecorder } from "../journal/session-journal.ts";
import { meteredSummarizer } from "../summary/metered-summarizer.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import type { HistoryReader } from "../thread/history-reader.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { CompactOptions } from "./compact-options.ts";
import { causeOf, type FoldAttempt } from "./fold-attempt.ts";
import type { FoldScene } from "./fold-scene.ts";
import { type FoldScenePorts, FoldScenes } from "./fold-scenes.ts";
import { type FoldCommit, type FoldTurn, foldTurn } from "./fold-turn.ts";
import { type DueFold, dueFold, planFloor, planFold } from "./plan-fold.ts";
import { type PlanPreview, previewPlan } from "./preview-plan.ts";
import { revertPlan } from "./revert-plan.ts";

/** What a session's folds are made with. */
export interface FoldingPorts extends FoldScenePorts, FoldSummarizers {
  readonly plan: SessionPlan;
  readonly journal: SessionRecorder;
  /** Why nothing is folded; null while folding is on. */
  readonly disabled: string | null;
  /** Reads what a resumed session left in the store. */
  readonly history: HistoryReader;
  /** Asks workers to fold; absent when the session folds by itself. */
  readonly requests?: FoldRequests;
}

/** What a fold comes to that was aborted and did not end: nothing that is known of it. */
export const ABANDONED: CompactionOutcome = Object.freeze({
  type: "aborted",
  tokens: Object.freeze({ before: 0, after: 0 }),
});

const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one === undefined ? other : AbortSignal.any([one, other]);

/** A fold in the background. */
export interface BackgroundFold {
  /** What it came to. Never rejects. `conflict` when another plan was committed while it was made, which then holds. */
  readonly done: Promise<CompactionOutcome>;
}

/**
 * Folds a session's thread: looks, asks the hooks, folds, commits, and tells. Nothing that fails in here breaks the agent
 * loop: every attempt ends in an outcome (P6).
 */
export class SessionFolding {
  readonly #ports: FoldingPorts;
  readonly #plan: SessionPlan;
  readonly #scenes: FoldScenes;
  readonly #teller: FoldTeller;
  readonly #hooks: FoldHooks;
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();
  #background: BackgroundFold | undefined;

  constructor(ports: FoldingPorts) {
    const { options, events, clock, thread } = ports;
    this.#ports = ports;
    this.#plan = ports.plan;
    this.#scenes = new FoldScenes(ports);
    this.#teller = new FoldTeller(options, events, this.#scenes, clock);
    this.#hooks = new FoldHooks(options, thread);
  }

  /** Folds when that is due, or in any case with `force`. */
  async compact(options: CompactOptions): Promise<CompactionOutcome> {
    await this.#takeFromWorker();
    return this.#attempt({ ...options, signal: either(options.signal, this.#ending.signal) }, false);
  }

  /**
   * Folds down to the deterministic floor: without the preset's ladder, a model or hooks. For a request that is over its
   * budget after a fold that failed.
   */
  foldToFloor(options: CompactOptions): Promise<CompactionOutcome> {
    return this.#attempt(options, false, async (scene, attempt) => {
      const summarizer = this.#ports.standIn;
      return this.#commit({ ...scene, summarizer }, options, attempt, planFloor);
    });
  }

  /** Starts a fold that nobody waits for. One is under way at a time: a second call gives the first. */
  compactInBackground(options: CompactOptions): BackgroundFold {
    if (this.#background !== undefined) return this.#background;
    const signal = either(options.signal, this.#closing.signal);
    const work = this.#attempt({ ...options, signal }, true);
    const fold = { done: untilGivenUp(() => work, signal).catch(() => ABANDONED) };
    // What was given up is under way for as long as it does not end, so that no second one runs beside it.
    void work.finally(() => {
      if (this.#background === fold) this.#background = undefined;
    });
    this.#background = fold;
    return fold;
  }

  /** Aborts what is under way in the background, and waits for its end, or until it is given up. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#background?.done;
  }

  /** Aborts what is under way, also what somebody waits for. */
  end(): void {
    this.#ending.abort();
  }

  /** What a fold would come to now; nothing is stored and no hook is called. */
  async dryRun(options: CompactOptions): Promise<PlanPreview> {
    await this.#ports.history.load();
    const summarizer = this.#scenes.summarizer(this.#ports, options);
    const scene = await this.#scenes.now(this.#plan.current, options, {
      foldId: "dry-run",
      cause: "manual",
      summarizer,
    });
    return previewPlan(scene, options);
  }

  /** Lets an earlier plan hold again, as a new one. @throws ThreadfoldError `PLAN_NOT_FOUND`, or what the store throws. */
  async revert(planVersion: number): Promise<CompactionOutcome> {
    const { thread, request, store, journal, clock, history } = this.#ports;
    await history.load();
    const before = this.#plan.current;
    const { state } = thread;
    const scene = { state, renderer: request.renderer(state), budget: request.budget(state), now: clock.now() };
    const outcome = await revertPlan(store.plans, before, planVersion, scene);
    if (outcome.type === "conflict") await this.#plan.refresh();
    if (outcome.type !== "committed") return outcome;
    this.#plan.take(outcome.plan);
    await journal.planCommitted(before, outcome.plan);
    this.#teller.reverted(outcome.plan, planVersion, outcome);
    return outcome;
  }

  /** True when something that was reported makes the next `compact` fold: both look in the same way. */
  async foldsNext(): Promise<boolean> {
    const { memory, disabled, summarizer } = this.#ports;
    const cause = causeOf({}, memory.usage);
    if (disabled !== null || cause !== "reactive") return false;
    await this.#ports.history.load();
    const scene = await this.#scenes.now(this.#plan.current, {}, { foldId: "look", cause, summarizer });
    return memory.settled(scene) === undefined && dueFold(scene, {}).due;
  }

  async #attempt(
    options: CompactOptions,
    background: boolean,
    fold = (scene: FoldScene, attempt: FoldAttempt) => this.#fold(scene, attempt),
  ): Promise<CompactionOutcome> {
    const { disabled, memory, history } = this.#ports;
    let attempt: FoldAttempt;
    try {
      attempt = await history.whenNeeded(() => this.#begin(options, background));
    } catch (thrown) {
      // The request could not even be measured, so there are no figures to tell.
      memory.declined();
      return { type: "failed", problem: problemOf(thrown), cause: thrown, tokens: { before: 0, after: 0 } };
    }
    const tokens = { before: attempt.tokensBefore, after: attempt.tokensBefore };
    if (disabled !== null) return { type: "disabled", reason: disabled, tokens };
    this.#teller.started(attempt);
    if (options.signal?.aborted === true) return this.#end(attempt, { type: "aborted", tokens });
    let scene: FoldScene | undefined;
    try {
      const { foldId, cause, metered } = attempt;
      scene = await this.#scenes.now(this.#plan.current, options, { foldId, cause, summarizer: metered.summarizer });
      return await fold(scene, attempt);
    } catch (thrown) {
      if (scene === undefined) memory.declined();
      else memory.broken(scene, options.force === true);
      this.#noteSummarizer(attempt, null);
      return this.#end(attempt, { type: "failed", problem: problemOf(thrown), cause: thrown, tokens });
    }
  }

  #begin(options: CompactOptions, background: boolean): FoldAttempt {
    const { request, thread, events, memory, clock } = this.#ports;
    request.take(options.frame);
    return {
      foldId: events.nextFoldId(),
      cause: causeOf(options, memory.usage),
      tokensBefore: request.renderer(thread.state).measure(this.#plan.current),
      startedAt: clock.now(),
      options,
      background,
      metered: meteredSummarizer(this.#scenes.summarizer(this.#ports, options)),
    };
  }

  async #fold(first: FoldScene, attempt: FoldAttempt): Promise<CompactionOutcome> {
    const { memory } = this.#ports;
    const { options, background } = attempt;
    const settled = options.force === true ? undefined : memory.settled(first);
    if (settled !== undefined) return this.#end(attempt, settled);
    const left = background || options.force === true ? null : await this.#leaveToWorker(first, options);
    if (left !== null) return this.#end(attempt, left);
    const { scene, due } = await this.#look(first, options);
    let ready = { scene, options };
    if (due.due) {
      if (due.decision.level === "soft" && !background && this.#background !== undefined && options.force !== true) {
        const reason = "a fold is under way in the background";
        return this.#end(attempt, { type: "postponed", reason, tokens: { before: due.tokens, after: due.tokens } });
      }
      const asked = await this.#ask(scene, due.decision.reason, attempt);
      if ("type" in asked) {
        memory.declined();
        return this.#end(attempt, asked);
      }
      ready = asked;
    }
    return this.#commit(ready.scene, ready.options, attempt, planFold);
  }

  async #commit(
    scene: FoldScene,
    options: CompactOptions,
    attempt: FoldAttempt,
    plan: FoldCommit["planFold"],
  ): Promise<CompactionOutcome> {
    const rebase = attempt.background ? null : (latest: FoldScene) => this.#rebase(latest);
    const { plans } = this.#ports.store;
    return this.#settle(await foldTurn(scene, { plans, rebase, planFold: plan }, options), attempt);
  }

  /** Takes in a plan that a worker committed, once one was asked for. A store that fails now is asked again for the next request. */
  async #takeFromWorker(): Promise<void> {
    const { requests, history, events, options } = this.#ports;
    if (requests?.isPending(this.#plan.current) !== true) return;
    try {
      if (!(await history.takeCommitted())) return;
    } catch {
      return;
    }
    const { version: planVersion } = this.#plan.current;
    const budgetLimit = this.#scenes.config.maxInputTokens;
    events.emit({ threadId: options.threadId, budgetLimit, type: "compaction_plan_taken", planVersion });
  }

  /** Asks a worker for a fold that is due but does not press, and says so. Null when the session has to look by itself. */
  async #leaveToWorker(scene: FoldScene, options: CompactOptions): Promise<CompactionOutcome | null> {
    const { requests, history } = this.#ports;
    if (requests === undefined) return null;
    const preset = foldsAhead(scene.preset, requests.softThreshold);
    const due = await history.whenNeeded(async () => {
      return dueFold({ ...(await this.#scenes.now(this.#plan.current, options, scene)), preset }, options);
    });
    if (!due.due || due.decision.level === "hard") return null;
    if (!(await requests.ask(scene, due.tokens, due.decision.reason))) return null;
    const tokens = { before: due.tokens, after: due.tokens };
    return { type: "postponed", reason: "the fold is left to a worker", tokens };
  }

  /** Looks whether a fold is due. A fold walks the whole thread, and some triggers do: it is loaded for them, once in an epoch. */
  async #look(
    first: FoldScene,
    options: CompactOptions,
  ): Promise<{ readonly scene: FoldScene; readonly due: DueFold }> {
    const { history } = this.#ports;
    let scene = first;
    const look = async (): Promise<DueFold> => {
      if (this.#ports.thread.state !== scene.state || this.#plan.current !== scene.plan)
        scene = await this.#scenes.now(this.#plan.current, options, scene);
      return dueFold(scene, options);
    };
    let due = await history.whenNeeded(look);
    if (due.due && !scene.state.thread.isWhole) {
      await history.load();
      due = await look();
    }
    return { scene, due };
  }

  /** Asks the hooks. Gives what to go on with, or the veto. */
  async #ask(
    scene: FoldScene,
    reason: string,
    { options, foldId, cause, metered }: FoldAttempt,
  ): Promise<
    | { readonly scene: FoldScene; readonly options: CompactOptions }
    | Extract<CompactionOutcome, { readonly type: "vetoed" }>
  > {
    const ruling = await this.#hooks.before(scene, reason, options);
    if (ruling.veto !== null) {
      const tokens = scene.renderer.measure(scene.plan);
      return { type: "vetoed", ...ruling.veto, tokens: { before: tokens, after: tokens } };
    }
    const instructions = [options.instructions ?? [], ruling.instructions].flat().join("\n");
    const told = instructions === "" ? options : { ...options, instructions };
    // Pins of a hook, and whatever was appended while it thought, belong to what is folded.
    const summarizer = this.#hooks.summarizer(ruling, metered.summarizer);
    return { scene: await this.#scenes.now(this.#plan.current, told, { foldId, cause, summarizer }), options: told };
  }

  /** Takes over what a fold came to. */
  async #settle(turn: FoldTurn, attempt: FoldAttempt): Promise<CompactionOutcome> {
    const { memory, journal } = this.#ports;
    const { scene, outcome, plan, basis, weighing } = turn;
    if (plan.version > this.#plan.current.version) this.#plan.take(plan);
    if (outcome.type === "conflict") await this.#plan.refresh();
    this.#noteSummarizer(attempt, outcome.type === "summarizer-failed-floor-used" ? outcome.problem : null);
    // What lost against another fold says nothing of the next one.
    if (outcome.type !== "conflict" || !attempt.background)
      await memory.folded(scene, turn, attempt.options.force === true);
    if (plan === basis) return this.#end(attempt, outcome, weighing);
    await journal.planCommitted(basis, plan);
    const notice = this.#teller.committed(turn, attempt);
    await this.#end(attempt, outcome, weighing);
    await this.#hooks.after(scene, { outcome, plan, notice }, attempt.options.signal);
    return outcome;
  }

  /** @param rejected why a summary that came was not taken; null when there is nothing of that. */
  #noteSummarizer({ metered }: FoldAttempt, rejected: string | null): void {
    const { memory, summarizer, events, options } = this.#ports;
    const newest = metered.newest();
    if (newest === null) return;
    if (metered.of !== summarizer) return memory.summarizerRested();
    const budgetLimit = this.#scenes.config.maxInputTokens;
    memory.summarizerAsked(newest.problem ?? rejected, (failures, problem) =>
      events.emit({ threadId: options.threadId, budgetLimit, type: "summarizer_failing", failures, problem }),
    );
  }

  async #end(
    attempt: FoldAttempt,
    outcome: CompactionOutcome,
    weighing: FoldTurn["weighing"] = null,
  ): Promise<CompactionOutcome> {
    await this.#teller.completed(attempt, outcome, weighing);
    return outcome;
  }

  /** The scene with what another writer committed, and with the messages that this plan covers. */
  async #rebase({ foldId, cause, summarizer }: FoldScene): Promise<FoldScene> {
    const { thread } = this.#ports;
    const plan = await this.#plan.refresh();
    if (plan.threadVersion > thread.state.thread.version) await thread.refresh();
    return this.#scenes.now(plan, {}, { foldId, cause, summarizer });
  }
}
