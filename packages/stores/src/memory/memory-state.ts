import {
  AgentThread,
  type Artifact,
  type ArtifactId,
  asThreadId,
  type Clock,
  type CompactionPlan,
  type JournalEntry,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import type { StoreEraser } from "../erasure/erase-subject.ts";
import {
  portInspector,
  type StoredArtifact,
  type StoredEntry,
  type StoredPlan,
  type StoreInspector,
} from "../inspection/inspector.ts";
import { isExpired } from "../shared/artifacts.ts";
import { closedStoreError } from "../shared/store-basics.ts";
import type { AppendReceipt } from "../shared/threads.ts";

/** What is kept of one thread. The values in it are frozen, so they can be returned without copying. */
export interface MemoryThread {
  /** Place among all threads, from 1: the order in which the store first saw them. */
  readonly place: number;
  thread: AgentThread;
  readonly receipts: Map<string, AppendReceipt>;
  /** The plan of version n is at index n − 1. */
  readonly plans: CompactionPlan[];
  readonly artifactIds: ArtifactId[];
  /** The entry of sequence number n is at index n − 1. */
  readonly journal: JournalEntry[];
  /** What proves that an erased thread existed; null until it is erased. */
  erased: ErasedRows | null;
  /** Milliseconds since the epoch: the first append, the newest one, and the newest commit. */
  createdAt: number;
  appendedAt: number;
  committedAt: number;
}

/** What stays of a thread that was erased: rows without content. */
interface ErasedRows {
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

  /** Returns what is kept of a thread, added if it is new. */
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

/** Shows what a memory store holds: values as rows, and the rows that are left of erased threads. */
export function memoryInspector(state: MemoryState, store: Omit<ThreadfoldStore, "close">): StoreInspector {
  const ports = portInspector({ ...store, close: async () => undefined });
  const erasedOf = (threadId: ThreadId) => state.threads.get(threadId)?.erased ?? null;
  return {
    ...ports,
    entries: (threadId) => asRows(erasedOf(threadId)?.entries) ?? ports.entries(threadId),
    plans: (threadId) => asRows(erasedOf(threadId)?.plans) ?? ports.plans(threadId),
    artifacts: (threadId) => asRows(erasedOf(threadId)?.artifacts) ?? ports.artifacts(threadId),
    isErased: async (threadId) => erasedOf(threadId) !== null,
  };
}

function asRows<Row>(rows: readonly Row[] | undefined): AsyncIterable<Row> | undefined {
  return rows === undefined
    ? undefined
    : (async function* () {
        yield* rows;
      })();
}

/** Erases in memory: content is released, and rows without content stay. */
export class MemoryEraser implements StoreEraser {
  readonly #state: MemoryState;
  readonly #store: Omit<ThreadfoldStore, "close">;

  /** @param store the ports of the state, which do not refuse erased threads. */
  constructor(state: MemoryState, store: Omit<ThreadfoldStore, "close">) {
    this.#state = state;
    this.#store = store;
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const threadId = asThreadId(subject);
    return this.#state.threads.has(threadId) ? [threadId] : [];
  }

  subjectOf(threadId: ThreadId): string {
    return threadId;
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.isErasedNow(threadId);
  }

  /** Does the same as `isErased`, synchronously. */
  isErasedNow(threadId: ThreadId): boolean {
    return (this.#state.threads.get(threadId)?.erased ?? null) !== null;
  }

  async erase(subject: string): Promise<boolean> {
    const threadId = asThreadId(subject);
    const kept = this.#state.threads.get(threadId);
    if (kept === undefined || kept.erased !== null) return false;
    const inspector = portInspector({ ...this.#store, close: async () => undefined });
    const entries = (await collected(inspector.entries(threadId))).map((row) => ({ ...row, body: null }));
    const plans = (await collected(inspector.plans(threadId))).map((row) => ({ ...row, body: null }));
    const artifacts = kept.artifactIds.flatMap((artifactId) => {
      const metadata = this.#state.artifacts.get(artifactId)?.metadata;
      return metadata === undefined ? [] : [{ artifactId, ...metadata, content: null }];
    });
    kept.erased = Object.freeze({ entries, plans, artifacts });
    kept.thread = AgentThread.empty(threadId);
    kept.plans.length = 0;
    kept.receipts.clear();
    for (const artifactId of kept.artifactIds) {
      const artifact = this.#state.artifacts.get(artifactId);
      if (artifact !== undefined) this.#state.artifacts.set(artifactId, Object.freeze({ ...artifact, content: "" }));
    }
    return false;
  }

  async sweep(nowMs: number): Promise<number> {
    const expired = [...this.#state.artifacts.values()].filter(({ metadata }) => isExpired(metadata, nowMs));
    for (const { artifactId, metadata } of expired) {
      this.#state.artifacts.delete(artifactId);
      const ids = this.#state.threads.get(metadata.threadId)?.artifactIds;
      ids?.splice(ids.indexOf(artifactId), 1);
    }
    return expired.length;
  }
}

async function collected<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
