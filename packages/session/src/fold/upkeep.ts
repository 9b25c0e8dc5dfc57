import { type CompactOptions, decide, isAsked, previewPlan } from "@threadfold/turn";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { SessionTurnPorts, SessionTurns } from "./session-turns.ts";

/** What the upkeep check depends on. */
interface UpkeepPorts extends SessionTurnPorts, FoldSummarizers {
  readonly plan: SessionPlan;
  readonly history: HistoryReader;
}

/**
 * Checks whether a preset's upkeep between turns would have an effect. The check runs silently, once per user message,
 * so that hooks and listeners only hear about upkeep that is actually done.
 */
export class Upkeep {
  readonly #ports: UpkeepPorts;
  readonly #turns: SessionTurns;
  /** The thread's version at the last check. */
  #lookedAt = -1;

  constructor(ports: UpkeepPorts, turns: SessionTurns) {
    this.#ports = ports;
    this.#turns = turns;
  }

  /** @param disabled why automatic folding is off; null while it is on. */
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
      // Upkeep only serves later turns: whatever made the check fail will be reported when a fold is due.
      return false;
    }
  }
}
