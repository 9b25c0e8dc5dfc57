import type { ThreadId } from "../model/ids.ts";

/**
 * Keeps cache entries beyond one process. Entries are opaque text; what is lost or garbled is made again, so a store may
 * forget. Failures of `get` and `set` are for the caller to ignore.
 */
export interface SummaryCacheStore {
  /** @param threadId the thread that is summarized, for a store that seals by subject or finds again what it kept of one. */
  get(key: string, threadId?: ThreadId): Promise<string | null>;
  set(key: string, entry: string, threadId?: ThreadId): Promise<void>;
  /**
   * Deletes what was kept for a thread, or for its subject where that is how it is kept, and gives how many entries that
   * were. Absent where entries cannot be found again.
   *
   * @throws ThreadfoldError `STORE_UNAVAILABLE` when it cannot be reached.
   */
  forget?(threadId: ThreadId): Promise<number>;
}
