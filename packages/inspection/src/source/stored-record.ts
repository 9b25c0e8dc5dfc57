import {
  AgentThread,
  type ArtifactId,
  type CompactionPlan,
  type JournalEntry,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { type StoreFinding, threadTitle, verifyStore } from "@threadfold/stores";
import { keptRecord, salvagedRows } from "./kept-rows.ts";
import { erasureIn, type ThreadRecord } from "./thread-record.ts";

/** Options for reading a store. */
export interface StoredRecordOptions {
  readonly signal?: AbortSignal;
}

/**
 * Reads a thread of a store. A damaged thread is read as far as it verifies; the rest is reported among the findings.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, `ABORTED`, `STORE_UNAVAILABLE`.
 */
export async function storedRecord(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { signal }: StoredRecordOptions = {},
): Promise<ThreadRecord> {
  const findings = await verifyStore(store, threadId, signal === undefined ? {} : { signal });
  if (findings.length > 0) return keptRecord(await salvagedRows(store, threadId, findings), findings);
  return StoredRecord.read(store, threadId, findings);
}

/** A thread of a store that verifies. It may be written to in the meantime. */
class StoredRecord implements ThreadRecord {
  thread: AgentThread;
  readonly journal: JournalEntry[] = [];
  planVersion = 0;
  title: string | null = null;
  artifacts = 0;
  erased: ThreadRecord["erased"] = null;
  readonly findings: readonly StoreFinding[];
  readonly #store: ThreadfoldStore;

  private constructor(store: ThreadfoldStore, threadId: ThreadId, findings: readonly StoreFinding[]) {
    this.#store = store;
    this.thread = AgentThread.empty(threadId);
    this.findings = findings;
  }

  static async read(store: ThreadfoldStore, threadId: ThreadId, findings: readonly StoreFinding[]) {
    const record = new StoredRecord(store, threadId, findings);
    await record.refresh();
    if (record.thread.version > 0 || record.journal.length > 0) return record;
    throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in this store.`);
  }

  /** The store was verified, so the messages that a plan hides need not be read again to tell what it shows. */
  plan(version: number): Promise<CompactionPlan | null> {
    const { ranges, plans } = this.#store;
    return ranges?.loadPlan(this.thread.id, version) ?? plans.getPlan(this.thread.id, version);
  }

  async content(id: ArtifactId): Promise<string | null> {
    return (await this.#store.artifacts.retrieve(id))?.content ?? null;
  }

  async refresh(): Promise<boolean> {
    const { id } = this.thread;
    // Read the journal first: everything it mentions is then already in the log and among the plans.
    const added = await this.#store.journal.read(id, { after: this.journal.at(-1)?.sequence ?? 0 });
    for (const entry of added) this.journal.push(entry);
    this.erased ??= erasureIn(added);
    if (this.erased !== null) {
      this.thread = AgentThread.empty(id);
      this.planVersion = 0;
      this.title = null;
      return added.length > 0;
    }
    const before = this.thread.version;
    this.thread = await this.#grown();
    const { plans, artifacts } = this.#store;
    const version = (await plans.getCurrentVersion?.(id)) ?? (await plans.getCurrentPlan(id)).version;
    // Only folds add artifacts, and counting them means listing them all.
    if (before === 0 || version !== this.planVersion) {
      this.artifacts = (await artifacts.list(id)).length;
      this.title = await threadTitle(this.#store, id);
    }
    this.planVersion = version;
    return added.length > 0 || this.thread.version > before;
  }

  /** The known part of the thread stays the same object, so that what was rendered from it stays valid. */
  async #grown(): Promise<AgentThread> {
    const { thread } = this;
    const { ranges, threads } = this.#store;
    if (thread.version === 0 || ranges === undefined) return (await threads.load(thread.id)) ?? thread;
    return thread.appendEntries(await ranges.loadRange(thread.id, { fromVersion: thread.version }));
  }
}
