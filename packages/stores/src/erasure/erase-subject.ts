import {
  type SummaryCacheStore,
  type ThreadErasedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf } from "../inspection/inspector.ts";

/** Takes content away for good. Only what proves that it was there stays: ids, versions, digests, times and figures. */
export interface StoreEraser {
  /** The threads of a subject, whether they are erased or not. Without keys each thread is a subject, by its own id. */
  threadsOf(subject: string): Promise<readonly ThreadId[]>;
  isErased(threadId: ThreadId): Promise<boolean>;
  /**
   * Erases a subject's content. Doing so again changes nothing, but finishes an erasure that was cut off.
   *
   * @returns whether a key was destroyed for it; false where the content itself was overwritten.
   */
  erase(subject: string): Promise<boolean>;
  /** Removes artifacts that have expired by this time (milliseconds since the epoch), and returns how many. */
  sweep(nowMs: number): Promise<number>;
}

/** A store that can forget. */
export interface ErasableStore extends ThreadfoldStore {
  readonly eraser: StoreEraser;
}

/** Says whether a store can forget. */
export function isErasable(store: ThreadfoldStore): store is ErasableStore {
  return "eraser" in store;
}

/** Who asked for an erasure, why and when. */
export interface ErasureOptions {
  /** Who asked for it: a name or id of the host's own. It stays in the journal. */
  readonly actor: string;
  /** Why, as a code such as `user-request`. It stays in the journal. */
  readonly reason: string;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** Says what would be erased and erases nothing. */
  readonly dryRun?: boolean;
  /** Called for each thread: takes away what is kept of it elsewhere, such as files of its source or golden prompts. */
  readonly forget?: (threadId: ThreadId) => Promise<void>;
  /** Ends it before anything is erased. What has begun to be erased is finished. */
  readonly signal?: AbortSignal;
}

/** What was, or would be, erased of one thread. */
export interface ErasedThread {
  readonly threadId: ThreadId;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  /** True when its content was gone before. */
  readonly wasErased: boolean;
  /** Place of the proof in the thread's journal; null for a dry run. */
  readonly proofSequence: number | null;
}

/** The outcome of an erasure. */
export interface ErasureReport {
  readonly subject: string;
  readonly keyShredded: boolean;
  readonly threads: readonly ErasedThread[];
  /**
   * What was erased of the summaries that are cached next to the store; null for a dry run and for a store without such
   * a cache.
   */
  readonly cachedSummaries: ErasedSummaries | null;
}

/** What was erased of a summary cache. */
export interface ErasedSummaries {
  readonly deleted: number;
  /** False when the cache did not answer: then what is left in it was sealed with the key that was destroyed. */
  readonly isReached: boolean;
}

/**
 * Erases what a store holds of a subject: entries, plans and the summaries in them, artifacts, search index, and
 * summaries in the cache that `openStore` opened with it. In an encrypted store the subject's key is destroyed;
 * elsewhere content is emptied, in SQLite down to the bytes of the files. What stays are headers, digests and the
 * journal, whose chains go on to verify, and an entry that proves the erasure. It is idempotent: after a crash, call it
 * again.
 *
 * Not reached are copies outside the store: backups, exports, and what a process holds in memory; nor the dead rows in the
 * files of a PostgreSQL, which stay until its tables are rewritten. In a store that is not encrypted, the digests of what
 * was erased stay and can confirm a guess of it.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the store holds nothing of the subject, `INVALID_CONFIG` for a store
 * that cannot erase, `STORE_UNAVAILABLE` when cached summaries that anybody can read cannot be reached, `KEY_MISSING` or
 * `KEY_MISMATCH` when the keys of an encrypted store are not at hand, so that none of them can be destroyed, `ABORTED`.
 */
export async function eraseSubject(
  store: ThreadfoldStore,
  subject: string,
  options: ErasureOptions,
): Promise<ErasureReport> {
  const eraser = eraserOf(store);
  const threadIds = await eraser.threadsOf(subject);
  if (threadIds.length === 0) throw new ThreadfoldError("THREAD_NOT_FOUND", "The store holds nothing of that subject.");
  const found = await Promise.all(threadIds.map((threadId) => lookAt(store, eraser, threadId, options.signal)));
  if (options.dryRun === true) {
    const threads = found.map((thread) => ({ ...thread, proofSequence: null }));
    return { subject, keyShredded: false, threads, cachedSummaries: null };
  }
  const keyShredded = await eraser.erase(subject);
  const cachedSummaries = await eraseSummaries(store, threadIds, keyShredded);
  const threads: ErasedThread[] = [];
  for (const thread of found) {
    await store.recall?.remove(thread.threadId);
    await options.forget?.(thread.threadId);
    threads.push({ ...thread, proofSequence: await proveErasure(store, thread, keyShredded, options) });
  }
  return { subject, keyShredded, threads, cachedSummaries };
}

/** @throws ThreadfoldError `STORE_UNAVAILABLE` when the cache does not answer and holds what can be read. */
async function eraseSummaries(
  store: ThreadfoldStore & { readonly summaryCache?: SummaryCacheStore },
  threadIds: readonly ThreadId[],
  keyShredded: boolean,
): Promise<ErasedSummaries | null> {
  const cache = store.summaryCache;
  if (cache?.forget === undefined) return null;
  let deleted = 0;
  try {
    for (const threadId of threadIds) deleted += await cache.forget(threadId);
    return { deleted, isReached: true };
  } catch (error) {
    if (!keyShredded) throw error;
    return { deleted, isReached: false };
  }
}

/** Removes expired artifacts, and returns how many. Readers never get them, swept or not. */
export async function sweepExpired(store: ThreadfoldStore, nowMs: number): Promise<number> {
  return eraserOf(store).sweep(nowMs);
}

function eraserOf(store: ThreadfoldStore): StoreEraser {
  if (isErasable(store)) return store.eraser;
  throw new ThreadfoldError("INVALID_CONFIG", "This store cannot erase.", {
    hint: "Open it with encryptedStore from the beginning: destroying keys erases in any store.",
  });
}

async function lookAt(
  store: ThreadfoldStore,
  eraser: StoreEraser,
  threadId: ThreadId,
  signal: AbortSignal | undefined,
): Promise<Omit<ErasedThread, "proofSequence">> {
  const inspector = inspectorOf(store, signal);
  const wasErased = await eraser.isErased(threadId);
  const [entries, plans, artifacts] = await Promise.all([
    count(inspector.entries(threadId)),
    count(inspector.plans(threadId)),
    count(inspector.artifacts(threadId)),
  ]);
  return { threadId, entries, plans, artifacts, wasErased };
}

/** Writes the proof down unless it is there already, and returns its place. */
async function proveErasure(
  store: ThreadfoldStore,
  { threadId, entries, plans, artifacts }: Omit<ErasedThread, "proofSequence">,
  keyShredded: boolean,
  { actor, reason, at }: ErasureOptions,
): Promise<number> {
  for await (const { sequence, record } of inspectorOf(store).journal(threadId)) if (isProof(record)) return sequence;
  const proof = { type: "thread-erased", actor, reason, entries, plans, artifacts, keyShredded } as const;
  return (await store.journal.append(threadId, proof satisfies ThreadErasedRecord, at)).sequence;
}

const isProof = (record: string): boolean => record.includes('"type":"thread-erased"');

async function count(rows: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _row of rows) found++;
  return found;
}
