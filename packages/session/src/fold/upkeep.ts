import { type CompactOptions, decide, isAsked, previewPlan } from "@threadfold/turn";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { SessionTurnPorts, SessionTurns } from "./session-turns.ts";

/** What upkeep is looked at with. */
interface UpkeepPorts extends SessionTurnPorts, FoldSummarizers {
  readonly plan: SessionPlan;
  readonly history: HistoryReader;
}

/**
 * Whether what a preset does between turns would have an effect. It is looked at in silence, once for a user's message, so that
 * hooks and listeners hear only of what is done.
 */
export class Upkeep {
  readonly #ports: UpkeepPorts;
  readonly #turns: SessionTurns;
  /** The thread's version at which it was looked at. */
  #lookedAt = -1;

  constructor(ports: UpkeepPorts, turns: SessionTurns) {
    this.#ports = ports;
    this.#turns = turns;
  }

  /** @param disabled why nothing is folded unasked; null while folding is on. */
  async isDue(options: CompactOptions, disabled: string | null): Promise<boolean> {
    const { preset, thread, memory, history, plan, summarizer } = this.#ports;
    const { upkeep } = preset;
    const { thread: said } = thread.state;
    if (upkeep === undefined || disabled !== null || isAsked(options) || this.#lookedAt === said.version) return false;
    if (memory.usage.overflow !== "none" || said.messageAt(said.length - 1)?.role !== "user") return false;
    this.#lookedAt = said.version;
    const call = { ...options, ...upkeep };
    const look = () => this.#turns.now(plan.current, call, { foldId: "upkeep", cause: "auto", summarizer });
    try {
      if (!decide(await look(), call).due) return false;
      await history.load();
      return (await previewPlan(await look(), call)).outcome.type === "would-commit";
    } catch {
      // It is for later turns: whatever keeps it from being looked at says what it has to say when a fold is due.
      return false;
    }
  }
}
