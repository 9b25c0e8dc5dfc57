import type { ThreadId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { ThreadEntryInput } from "../thread/thread-entry.ts";

/** What an append expects to find: a version, any state at all, or no thread yet. */
export type ExpectedVersion = number | "any" | "no-thread";

export interface AppendOptions {
  readonly expectedVersion: ExpectedVersion;
  /** A retry with the same key and entries gives the first result and appends nothing. */
  readonly idempotencyKey?: string;
}

export interface AppendResult {
  /** The thread's version after the append. */
  readonly version: number;
  /** How many entries were new; entries that were already there are skipped. */
  readonly appended: number;
}

/** What a store says of a thread without loading it. */
export interface ThreadInfo {
  readonly threadId: ThreadId;
  readonly version: number;
  readonly planVersion: number;
  /** ISO 8601 times in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Hand it back to get the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Keeps threads. Entries are only ever added. */
export interface ThreadStore {
  /**
   * Appends entries, all or none.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT`, `IDEMPOTENCY_MISMATCH`, or what `AgentThread.appendEntries` throws.
   */
  append(threadId: ThreadId, entries: readonly ThreadEntryInput[], options: AppendOptions): Promise<AppendResult>;
  /** The thread, or null when there is none. `atVersion` gives it as it was. */
  load(threadId: ThreadId, options?: { readonly atVersion?: number }): Promise<AgentThread | null>;
  list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>>;
}
