import {
  AgentThread,
  type Artifact,
  type ArtifactId,
  type Clock,
  type CompactionPlan,
  type JournalEntry,
  type ThreadId,
} from "@threadfold/core";
import type { StoredArtifact, StoredEntry, StoredPlan } from "../inspection/stored-rows.ts";
import type { AppendReceipt } from "../rules/append-receipt.ts";
import { closedStoreError } from "../rules/closed-store.ts";

/** What is kept of one thread. Everything in it is frozen, so it can be handed out as it is. */
export interface MemoryThread {
  /** Place among all threads, from 1: the order in which the store first heard of them. */
  readonly place: number;
  thread: AgentThread;
  readonly receipts: Map<string, AppendReceipt>;
  /** The plan of version n stands at n − 1. */
  readonly plans: CompactionPlan[];
  readonly artifactIds: ArtifactId[];
  /** The entry of sequence number n stands at n − 1. */
  readonly journal: JournalEntry[];
  /** What proves that an erased thread was there; null while it is. */
  erased: ErasedRows | null;
  /** Milliseconds since the epoch: the first append, the newest one, and the newest commit. */
  createdAt: number;
  appendedAt: number;
  committedAt: number;
}

/** What stays of a thread that was erased: rows without content. */
export interface ErasedRows {
  readonly entries: readonly StoredEntry[];
  readonly plans: readonly StoredPlan[];
  readonly artifacts: readonly StoredArtifact[];
}

/** Everything that a memory store keeps. */
export class MemoryState {
  readonly clock: Clock;
  readonly #threads = new Map<ThreadId, MemoryThread>();
  readonly #artifacts = new Map<ArtifactId, Artifact>();
  #closed = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get threads(): ReadonlyMap<ThreadId, MemoryThread> {
    this.#requireOpen();
    return this.#threads;
  }

  get artifacts(): Map<ArtifactId, Artifact> {
    this.#requireOpen();
    return this.#artifacts;
  }

  /** The thread's place, made when it is new. */
  place(threadId: ThreadId): MemoryThread {
    const known = this.threads.get(threadId);
    if (known !== undefined) return known;
    const fresh: MemoryThread = {
      place: this.#threads.size + 1,
      thread: AgentThread.empty(threadId),
      receipts: new Map(),
      plans: [],
      artifactIds: [],
      journal: [],
      erased: null,
      createdAt: 0,
      appendedAt: 0,
      committedAt: 0,
    };
    this.#threads.set(threadId, fresh);
    return fresh;
  }

  close(): void {
    this.#closed = true;
    this.#threads.clear();
    this.#artifacts.clear();
  }

  #requireOpen(): void {
    if (this.#closed) throw closedStoreError();
  }
}
