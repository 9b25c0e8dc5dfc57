import type { AgentThread, CompactionPlan, ContextCompactionEvent } from "@threadfold/core";
import { asksForContext } from "@threadfold/rehydration";

/** This many asks are no accident if they are also at least this share of the model calls since the fold. */
const MOST_ASKS = 3;
const MOST_SHARE = 1 / 5;

/**
 * Counts how often the agent asks for folded content, and reports once per plan when that is often. Reads only new
 * messages.
 */
export class MissedContent {
  #planVersion = 0;
  #fromStep = 0;
  #seen = 0;
  #asks = 0;
  #isTold = false;

  /** Returns the event to emit now; undefined when there is none. */
  look(thread: AgentThread, plan: CompactionPlan, budgetLimit: number): ContextCompactionEvent | undefined {
    if (plan.version !== this.#planVersion) this.#begin(plan);
    if (plan.version === 0 || this.#isTold) return undefined;
    const messages = thread
      .entriesBetween(this.#seen)
      .flatMap((entry) => (entry.type === "message" && entry.message.branch === undefined ? [entry.message] : []));
    const [first] = messages;
    if (this.#seen === plan.threadVersion && first !== undefined) this.#fromStep = first.step - 1;
    this.#seen = thread.version;
    this.#asks += asksForContext(messages);
    const steps = Math.max(1, thread.position.step - this.#fromStep);
    if (this.#asks < MOST_ASKS || this.#asks < steps * MOST_SHARE) return undefined;
    this.#isTold = true;
    return {
      type: "folded_content_missed",
      threadId: thread.id,
      budgetLimit,
      planVersion: plan.version,
      asks: this.#asks,
      stepsSinceCompaction: steps,
    };
  }

  #begin({ version, threadVersion }: CompactionPlan): void {
    this.#planVersion = version;
    this.#seen = threadVersion;
    this.#asks = 0;
    this.#isTold = false;
  }
}
