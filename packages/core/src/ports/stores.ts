import type { JournalEntry, JournalRecord } from "../audit/journal.ts";
import type { ArtifactId, MessageId, ThreadId } from "../model/ids.ts";
import type { Message, Sensitivity } from "../model/message.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { ThreadEntry, ThreadEntryInput } from "../thread/thread-entry.ts";
import type { RecallIndex } from "./recall-index.ts";

/** All that one backend keeps. */
export interface ThreadfoldStore {
  readonly threads: ThreadStore;
  readonly plans: CompactionStore;
  readonly artifacts: ArtifactStore;
  readonly journal: AuditJournal;
  /** Reads parts of threads; where it is absent, a thread that goes on is loaded as a whole. */
  readonly ranges?: ThreadRanges;
  /** Search over the backend's own index; absent where threads are indexed in memory. */
  readonly recall?: RecallIndex;
  close(): Promise<void>;
}

/** What an append expects to find: a version, any state at all, or no thread yet. */
export type ExpectedVersion = number | "any" | "no-thread";

export interface AppendOptions {
  /** What the thread must be at for the append to happen; anything else is a `VERSION_CONFLICT`. */
  readonly expectedVersion: ExpectedVersion;
  /** A retry with the same key and entries returns the first result and appends nothing. */
  readonly idempotencyKey?: string;
  /** Ends an append that is not done yet: nothing of it is kept then. A store may overlook it and append all the same. */
  readonly signal?: AbortSignal;
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
  /** Since when the thread is archived, in the same form; absent for one that can be read. */
  readonly archivedAt?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Hand it back to get the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Keeps threads. Entries are only ever added. */
export interface ThreadStore {
  /**
   * Appends entries, all or none. Many of them let the event loop turn.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT`, `IDEMPOTENCY_MISMATCH`, or what `AgentThread.appendEntries` throws; the
   * signal's reason, when it ended the append.
   */
  append(threadId: ThreadId, entries: readonly ThreadEntryInput[], options: AppendOptions): Promise<AppendResult>;
  /** The thread, or null when there is none. With `atVersion`, as it was then. */
  load(threadId: ThreadId, options?: { readonly atVersion?: number }): Promise<AgentThread | null>;
  list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>>;
}

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
   * A plan by its version, or null: what it shows, while the ids of what it takes out of the prompt may be left in the
   * store, as with `resume`. `CompactionStore.getPlan` holds the whole plan against its id; this one trusts the store.
   *
   * @throws ThreadfoldError `STORE_CORRUPT` when it is not as it was written down.
   */
  loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null>;
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

/** The result of a commit. A conflict is a value: the loser loads the current plan and folds again. */
export type CommitResult =
  | { readonly status: "committed"; readonly version: number }
  | { readonly status: "conflict"; readonly currentVersion: number };

/** What a store says of a plan without its records. */
export interface PlanInfo {
  readonly planId: string;
  readonly version: number;
  readonly threadVersion: number;
  readonly createdAt: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
}

/** Keeps plans. Committed plans never change, and the version counter never restarts. */
export interface CompactionStore {
  /** The newest plan and its version; no plan and version 0 for a thread that was never folded. */
  getCurrentPlan(threadId: ThreadId): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }>;
  /**
   * The version alone, for callers that poll and read the plan only when there is a newer one. Where it is absent, ask
   * for the plan.
   */
  getCurrentVersion?(threadId: ThreadId): Promise<number>;
  /** A plan by its version, or null. */
  getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null>;
  /** Every plan of a thread, oldest first. */
  listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]>;
  /**
   * Commits a plan of version `expectedVersion + 1` when the current version is `expectedVersion` and the thread has
   * every id that the plan names. A retry of the same plan returns the first result.
   *
   * @throws ThreadfoldError `THREAD_NOT_FOUND`, or `INVALID_PLAN` when version or ids do not fit.
   */
  commitPlan(threadId: ThreadId, plan: CompactionPlan, expectedVersion: number): Promise<CommitResult>;
}

/** On whose behalf something is read. */
export interface SecurityContext {
  readonly requesterId: string;
  readonly tenantId: string | null;
  readonly permissions: readonly string[];
}

/** What is known of an artifact without its content. */
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

/** An artifact as it is read back. */
export interface Artifact {
  readonly artifactId: ArtifactId;
  readonly content: string;
  readonly metadata: ArtifactMetadata;
}

/**
 * Holds externalized content. Content is immutable and its id is derived from thread and content by `artifactIdOf`, so
 * storing twice is storing once. What is expired, of another tenant, or never was, all look alike: null.
 */
export interface ArtifactStore {
  store(content: string, metadata: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId>;
  getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null>;
  retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null>;
  /**
   * Ids of a thread's artifacts, oldest first.
   *
   * @param mediaType leaves out what is of another one. A store may overlook it and list them all.
   */
  list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]>;
}

/** An append-only, hash-chained record per thread of what was done and what the model was sent. */
export interface AuditJournal {
  append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry>;
  /** Entries after a sequence number, oldest first. */
  read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]>;
}
