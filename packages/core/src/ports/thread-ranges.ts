import type { MessageId, ThreadId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { ThreadEntry } from "../thread/thread-entry.ts";

/** A thread and its newest plan, as far as the next request needs them. */
export interface ResumedThread {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
}

/** A message, and the thread's version with it. */
export interface FoundMessage {
  readonly version: number;
  readonly message: Message;
}

/** Reads parts of threads, so that what a long thread costs depends on what is asked and not on its length (P9). */
export interface ThreadRanges {
  /**
   * A thread with its newest plan: the messages that the plan shows, all pins, and everything that was appended since.
   * What the plan takes out of the prompt may be left in the store; asking thread or plan for it throws
   * `HISTORY_NOT_LOADED`. Null when there is no thread or no plan, or when the plan says nothing of where its messages
   * stand: then the thread has to be loaded.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when what was read does not fit the digests.
   */
  resume(threadId: ThreadId): Promise<ResumedThread | null>;
  /**
   * The entries from one version up to another, as `AgentThread.entriesBetween` counts them; up to the end by default.
   * Empty when there is no thread.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for versions that are not whole numbers of at least 0; `STORE_CORRUPT`.
   */
  loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]>;
  /** Those of the messages that the thread has, in thread order. */
  findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]>;
}
