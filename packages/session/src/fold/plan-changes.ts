import { type Clock, type CompactionOutcome, checkArgument, type ThreadfoldStore, threadShape } from "@threadfold/core";
import { commitRecords, inProviderTokens, type LoggedCompaction, loggedRecords, revertPlan } from "@threadfold/turn";
import type { FoldEvents } from "../events/session-events.ts";
import type { SessionRecorder } from "../journal/session-journal.ts";
import type { RequestSettings } from "../request/request-settings.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { SessionThread } from "../thread/session-thread.ts";

/** What plan changes depend on. */
interface PlanChangePorts {
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly plan: SessionPlan;
  readonly request: RequestSettings;
  readonly journal: SessionRecorder;
  readonly clock: Clock;
  readonly history: HistoryReader;
}

/** Changes the plan without a fold: restores an earlier plan, or applies another tool's compactions. */
export class PlanChanges {
  readonly #ports: PlanChangePorts;
  readonly #events: FoldEvents;

  constructor(ports: PlanChangePorts, events: FoldEvents) {
    this.#ports = ports;
    this.#events = events;
  }

  /**
   * Makes an imported session show what the tool that recorded it showed after its newest compaction.
   *
   * @throws ThreadfoldError `MESSAGE_NOT_FOUND`, or what the store throws.
   */
  async applyCompactions(compactions: readonly LoggedCompaction[]): Promise<CompactionOutcome> {
    checkArgument("compactions", compactions, "list");
    for (const [index, one] of compactions.entries()) checkArgument(`compactions[${index}]`, one, "object");
    const { thread, request, store, journal, clock, history } = this.#ports;
    await history.load();
    const before = this.#ports.plan.current;
    const state = inProviderTokens(thread.state, request.estimate);
    const renderer = request.renderer(thread.state);
    const tokens = renderer.measure(before);
    const unchanged = { before: tokens, after: tokens };
    const nothing = (reason: string) => ({ type: "no-op", reason, tokens: unchanged }) as const;
    if (before.version > 0) return nothing("the thread was folded already, and its own plan holds");
    const records = loggedRecords(compactions, {
      thread: state.thread,
      shape: threadShape(state.thread, state.ledger, state.grouped),
      planVersion: before.version + 1,
      countTokens: (text) => state.ledger.tokenizer.countTokens(text),
    });
    if (records === null) return nothing("no compaction hides anything");
    const grounds = { state, renderer, budget: request.budget(thread.state), now: clock.now() };
    const outcome = await commitRecords(store.plans, before, records, grounds);
    if (outcome.type === "conflict") await this.#ports.plan.refresh();
    if (outcome.type !== "committed") return outcome;
    this.#ports.plan.take(outcome.plan);
    await journal.planCommitted(before, outcome.plan);
    return outcome;
  }

  /**
   * Commits an earlier plan again, as a new one.
   *
   * @throws ThreadfoldError `PLAN_NOT_FOUND`, or what the store throws.
   */
  async revert(planVersion: number): Promise<CompactionOutcome> {
    const { thread, request, store, journal, clock, history } = this.#ports;
    await history.load();
    const before = this.#ports.plan.current;
    const turn = {
      state: inProviderTokens(thread.state, request.estimate),
      renderer: request.renderer(thread.state),
      budget: request.budget(thread.state),
      now: clock.now(),
    };
    const outcome = await revertPlan(store.plans, before, planVersion, turn);
    if (outcome.type === "conflict") await this.#ports.plan.refresh();
    if (outcome.type !== "committed") return outcome;
    this.#ports.plan.take(outcome.plan);
    await journal.planCommitted(before, outcome.plan);
    this.#events.reverted(outcome.plan, planVersion, outcome);
    return outcome;
  }
}
