import {
  AgentThread,
  type Explanation,
  emptyPlan,
  explainMessage,
  type MessageId,
  type ResumedThread,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { refuseSealedThread } from "@threadfold/stores";
import type { SessionPlan } from "./session-plan.ts";
import type { SessionThread } from "./session-thread.ts";

/** Reads history that a resumed session left in the store. */
export interface HistoryReader {
  /** Loads the whole thread and plan. Does nothing when they are already in memory. @throws what the store throws. */
  load(): Promise<void>;
  /** Runs work that rarely needs more than what is in memory; if it does, loads everything and runs it again. */
  whenNeeded<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /**
   * Takes over the newest plan if another writer committed it, and returns whether it did. Reads messages only if the
   * plan needs them.
   */
  takeCommitted(): Promise<boolean>;
}

/**
 * Reads what a session starts with: for a folded thread, if the store supports it, what the newest plan shows and what
 * came since; otherwise the whole thread.
 *
 * @throws ThreadfoldError `KEY_MISSING` for a sealed thread in a store without keys, and what the store throws.
 */
export async function openThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  policyVersion: string,
): Promise<ResumedThread> {
  const resumed = await store.ranges?.resume(threadId);
  const thread = resumed?.thread ?? (await store.threads.load(threadId)) ?? AgentThread.empty(threadId);
  await refuseSealedThread(store, thread);
  const plan = resumed?.plan ?? (await store.plans.getCurrentPlan(threadId)).plan;
  return { thread, plan: plan ?? emptyPlan(threadId, policyVersion) };
}

/** What reading a session's history depends on. */
export interface SessionHistoryPorts {
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly plan: SessionPlan;
}

/** Loads history that a resumed session left in the store, when a fold, a search or an explanation needs it. */
export class SessionHistory implements HistoryReader {
  readonly #ports: SessionHistoryPorts;

  constructor(ports: SessionHistoryPorts) {
    this.#ports = ports;
  }

  async load(): Promise<void> {
    const { thread, plan } = this.#ports;
    await thread.load();
    await plan.load();
  }

  async whenNeeded<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!ThreadfoldError.isInstance(error) || error.code !== "HISTORY_NOT_LOADED") throw error;
      await this.load();
      return work();
    }
  }

  /**
   * Reads what other sessions appended and committed. A resumed thread is resumed again, because their plan may show
   * other messages.
   */
  async refresh(): Promise<void> {
    const { store, thread, plan } = this.#ports;
    if (!thread.state.thread.isWhole) {
      const resumed = await store.ranges?.resume(thread.state.thread.id);
      if (resumed !== undefined && resumed !== null && (await thread.take(resumed.thread, resumed.plan)))
        return plan.take(resumed.plan);
      await this.load();
    }
    await thread.refresh();
    await plan.refresh();
  }

  async takeCommitted(): Promise<boolean> {
    const { store, thread, plan } = this.#ports;
    const { thread: known } = thread.state;
    const newest = await store.plans.getCurrentVersion?.(known.id);
    if (newest !== undefined && newest <= plan.current.version) return false;
    const { plan: committed } = await store.plans.getCurrentPlan(known.id);
    if (committed === null || committed.version <= plan.current.version) return false;
    if (known.isWhole && committed.threadVersion <= known.version) plan.take(committed);
    else await this.refresh();
    return true;
  }

  /** Explains why a message is, or is not, in the prompt. Reads only that message and the ids of the plan. */
  async explain(messageId: MessageId): Promise<Explanation> {
    const { thread } = this.#ports.thread.state;
    const known = thread.messageInMemory(messageId);
    const found = known ?? (thread.isWhole ? undefined : await this.#find(messageId));
    const plan = await this.#ports.plan.whole();
    return explainMessage({ id: thread.id, message: (id) => (id === found?.id ? found : undefined) }, plan, messageId);
  }

  async #find(messageId: MessageId) {
    const { store, thread } = this.#ports;
    return (await store.ranges?.findMessages(thread.state.thread.id, [messageId]))?.[0]?.message;
  }
}
