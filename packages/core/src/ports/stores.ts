import type { JournalEntry, JournalRecord } from "../audit/journal.ts";
import type { ArtifactId, MessageId, ThreadId } from "../model/ids.ts";
import type { Message, Sensitivity } from "../model/message.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { ThreadEntry, ThreadEntryInput } from "../thread/thread-entry.ts";
import type { RecallIndex } from "./recall-index.ts";

/** The stores of one backend. */
export interface ThreadfoldStore {
  readonly threads: ThreadStore;
  readonly plans: CompactionStore;
  readonly artifacts: ArtifactStore;
  readonly journal: AuditJournal;
  /** Reads parts of threads; without it, a thread is loaded whole when it is resumed. */
  readonly ranges?: ThreadRanges;
  /** Search over the backend's own index; absent when threads are indexed in memory. */
  readonly recall?: RecallIndex;
  close(): Promise<void>;
}

/** The state that an append expects the thread to be in: a version, any state at all, or not created yet. */
export type ExpectedVersion = number | "any" | "no-thread";

export interface AppendOptions {
  /** The state the thread must be in for the append to happen; otherwise it fails with `VERSION_CONFLICT`. */
  readonly expectedVersion: ExpectedVersion;
  /** A retry with the same key and entries returns the first result and appends nothing. */
  readonly idempotencyKey?: string;
  /** Aborts an unfinished append, so that nothing of it is kept. A store may ignore the signal and append anyway. */
  readonly signal?: AbortSignal;
}

export interface AppendResult {
  /** The thread's version after the append. */
  readonly version: number;
  /** The number of entries that were new; entries that the thread already has are skipped. */
  readonly appended: number;
}

/** What a store can report about a thread without loading it. */
export interface ThreadInfo {
  readonly threadId: ThreadId;
  readonly version: number;
  readonly planVersion: number;
  /** ISO 8601 times in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When the thread was archived, in the same form; absent for a thread that can be read. */
  readonly archivedAt?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Pass it back to get the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Stores threads. Entries are only ever added. */
export interface ThreadStore {
  /**
   * Appends entries, all or none. Appending many yields to the event loop along the way.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT`, `IDEMPOTENCY_MISMATCH`, or what `AgentThread.appendEntries` throws; the
   * signal's reason, when it aborted the append.
   */
  append(threadId: ThreadId, entries: readonly ThreadEntryInput[], options: AppendOptions): Promise<AppendResult>;
  /** Returns the thread, or null when there is none. With `atVersion`, returns it as it was at that version. */
  load(threadId: ThreadId, options?: { readonly atVersion?: number }): Promise<AgentThread | null>;
  list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>>;
}

/** A thread and its newest plan, as far as the next request needs them. */
export interface ResumedThread {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
}

/** A message, and the thread's version once the message was appended. */
export interface FoundMessage {
  readonly version: number;
  readonly message: Message;
}

/** Reads parts of threads, so that the cost of a read depends on what is read and not on the thread's length (P9). */
export interface ThreadRanges {
  /**
   * Returns a thread with its newest plan: the messages that the plan shows, all pins, and everything appended since.
   * Messages that the plan takes out of the prompt may be left in the store; asking the thread or the plan for one of
   * them throws `HISTORY_NOT_LOADED`. Returns null when there is no thread or no plan, or when the plan does not record
   * the positions of its messages: the thread must then be loaded whole.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when the data read does not match the digests.
   */
  resume(threadId: ThreadId): Promise<ResumedThread | null>;
  /**
   * Returns a plan by its version, or null. As with `resume`, the ids of the messages that it takes out of the prompt
   * may be left in the store. `CompactionStore.getPlan` checks the whole plan against its id; this trusts the store.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when the plan is not as it was written.
   */
  loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null>;
  /**
   * Returns the entries from one version up to another, counted as in `AgentThread.entriesBetween`; up to the end by
   * default. Empty when there is no thread.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for versions that are not whole numbers of at least 0; `STORE_CORRUPT`.
   */
  loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]>;
  /** Returns those of the messages that are in the thread, in thread order. */
  findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]>;
}

/** The result of a commit. A conflict is a value: the loser loads the current plan and folds again. */
export type CommitResult =
  | { readonly status: "committed"; readonly version: number }
  | { readonly status: "conflict"; readonly currentVersion: number };

/** What a store reports about a plan, without its records. */
export interface PlanInfo {
  readonly planId: string;
  readonly version: number;
  readonly threadVersion: number;
  readonly createdAt: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
}

/** Stores plans. Committed plans never change, and the version counter never restarts. */
export interface CompactionStore {
  /** Returns the newest plan and its version; a null plan and version 0 for a thread that was never folded. */
  getCurrentPlan(threadId: ThreadId): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }>;
  /**
   * Returns the version alone, for callers that poll and read the plan only when there is a newer one. Optional:
   * without it, callers read the plan.
   */
  getCurrentVersion?(threadId: ThreadId): Promise<number>;
  /** Returns a plan by its version, or null. */
  getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null>;
  /** Lists every plan of a thread, oldest first. */
  listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]>;
  /**
   * Commits a plan of version `expectedVersion + 1` when the current version is `expectedVersion` and the thread has
   * every id that the plan names. A retry of the same plan returns the first result.
   *
   * @throws ThreadfoldError `THREAD_NOT_FOUND`, or `INVALID_PLAN`: the version does not follow `expectedVersion` or is
   * not at least 1; the plan is another thread's, or its id not that of its content (`isSealed`); it has seen a later
   * version than there is; or its records name an unknown message, one from after the version that it has seen, one
   * twice, or two out of the thread's order.
   */
  commitPlan(threadId: ThreadId, plan: CompactionPlan, expectedVersion: number): Promise<CommitResult>;
}

/** The requester on whose behalf something is read. */
export interface SecurityContext {
  readonly requesterId: string;
  readonly tenantId: string | null;
  readonly permissions: readonly string[];
}

/** Everything about an artifact except its content. */
export interface ArtifactMetadata {
  readonly threadId: ThreadId;
  readonly tenantId: string | null;
  /** ISO 8601 time in UTC. */
  readonly createdAt: string;
  /** Seconds until the artifact may no longer be read; null for never. */
  readonly ttlSeconds: number | null;
  readonly sensitivity: Sensitivity;
  readonly mediaType: string;
  /** Length of the content in bytes of UTF-8. */
  readonly bytes: number;
}

/** An artifact as read back from the store. */
export interface Artifact {
  readonly artifactId: ArtifactId;
  readonly content: string;
  readonly metadata: ArtifactMetadata;
}

/**
 * Stores externalized content. Content is immutable, and `artifactIdOf` derives its id from the thread and the content,
 * so storing it twice is the same as storing it once. An artifact that has expired, belongs to another tenant or never
 * existed looks the same to the requester: null.
 */
export interface ArtifactStore {
  store(content: string, metadata: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId>;
  getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null>;
  retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null>;
  /**
   * Lists the ids of a thread's artifacts, oldest first.
   *
   * @param mediaType lists artifacts of this media type only. A store may ignore it and list them all.
   */
  list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]>;
}

/** An append-only, hash-chained record, one per thread, of what was done and what the model was sent. */
export interface AuditJournal {
  append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry>;
  /** Returns the entries after a sequence number, oldest first. */
  read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]>;
}
