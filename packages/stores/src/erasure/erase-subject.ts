import {
  type SummaryCacheStore,
  type ThreadCopiedRecord,
  type ThreadErasedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { isArchivable } from "../audit/segment.ts";
import { inspectorOf } from "../inspection/inspector.ts";

/** Takes content away for good. Only what proves that it was there stays: ids, versions, digests, times and figures. */
export interface StoreEraser {
  /** The threads of a subject, whether they are erased or not. Without keys each thread is a subject, by its own id. */
  threadsOf(subject: string): Promise<readonly ThreadId[]>;
  /** The subject that a thread belongs to; without keys its own id. */
  subjectOf(threadId: ThreadId): string;
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
  /** Leaves forks and handoffs as they are; the report names them. */
  readonly keepCopies?: boolean;
  /** Called for each thread: takes away what is kept of it elsewhere, such as files of its source or golden prompts. */
  readonly forget?: (threadId: ThreadId) => Promise<void>;
  /** Ends it before anything is erased. What has begun to be erased is finished. */
  readonly signal?: AbortSignal;
}

/** What was, or would be, erased of one thread. */
export interface ErasedThread {
  readonly threadId: ThreadId;
  /** The thread that this one is a fork or a handoff of; null for what was asked for. */
  readonly copyOf: ThreadId | null;
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
   * Forks and handoffs that stay: with `keepCopies` all, else those of a subject whose other threads are none of this
   * one's copies. Each is erased by its own name.
   */
  readonly copiesLeft: readonly ThreadId[];
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
 * again. Forks of its threads, and threads that they were handed off to, go with them, and what was made of those in
 * turn, as the journals say.
 *
 * Not reached are copies outside the store: backups, exports, and what a process holds in memory; nor the dead rows in the
 * files of a PostgreSQL, which stay until its tables are rewritten. In a store that is not encrypted, the digests of what
 * was erased stay and can confirm a guess of it.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the store holds nothing of the subject, `INVALID_CONFIG` for a store
 * that cannot erase, `STORE_UNAVAILABLE` when cached summaries that anybody can read cannot be reached, `KEY_MISSING` or
 * `KEY_MISMATCH` when the keys of an encrypted store are not at hand, so that none of them can be destroyed, `ABORTED`,
 * `THREAD_ARCHIVED` when one of the threads, or a copy of one, is in a segment: nothing is erased until it is brought back.
 */
export async function eraseSubject(
  store: ThreadfoldStore,
  subject: string,
  options: ErasureOptions,
): Promise<ErasureReport> {
  const eraser = eraserOf(store);
  const { threads: reached, copiesLeft } = await reachedThreads(store, eraser, subject, options);
  for (const { threadId } of reached) await refuseSegment(store, threadId);
  const found = await Promise.all(reached.map((thread) => lookAt(store, eraser, thread, options.signal)));
  if (options.dryRun === true) {
    const threads = found.map((thread) => ({ ...thread, proofSequence: null }));
    return { subject, keyShredded: false, threads, copiesLeft, cachedSummaries: null };
  }
  const shredded = new Map<string, boolean>();
  for (const { threadId } of reached) {
    const owner = eraser.subjectOf(threadId);
    if (!shredded.has(owner)) shredded.set(owner, await eraser.erase(owner));
  }
  const keyShredded = [...shredded.values()].every(Boolean);
  const threadIds = reached.map(({ threadId }) => threadId);
  const cachedSummaries = await eraseSummaries(store, threadIds, keyShredded);
  const threads: ErasedThread[] = [];
  for (const thread of found) {
    await store.recall?.remove(thread.threadId);
    await options.forget?.(thread.threadId);
    const wasShredded = shredded.get(eraser.subjectOf(thread.threadId)) === true;
    threads.push({ ...thread, proofSequence: await proveErasure(store, thread, wasShredded, options) });
  }
  return { subject, keyShredded, threads, copiesLeft, cachedSummaries };
}

/** What is in a segment stays there, so nothing is erased of a thread that has one, or may have the rest of one. */
async function refuseSegment(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  const receipt = isArchivable(store) ? await store.archiver.receiptOf(threadId) : null;
  if (receipt === null) return;
  const { place, key } = receipt;
  throw new ThreadfoldError("THREAD_ARCHIVED", `Thread ${threadId} is not erased: ${place} may hold a segment of it.`, {
    hint: `Run threadfold unarchive ${threadId}, or unarchiveThread in code: it takes the segment away. Then erase.`,
    details: { threadId, place, key },
  });
}

type Reached = Pick<ErasedThread, "threadId" | "copyOf">;

/** The threads of a subject, and of each the copies, and theirs. @throws ThreadfoldError `THREAD_NOT_FOUND`. */
async function reachedThreads(
  store: ThreadfoldStore,
  eraser: StoreEraser,
  subject: string,
  { keepCopies = false, signal }: ErasureOptions,
): Promise<{ readonly threads: readonly Reached[]; readonly copiesLeft: readonly ThreadId[] }> {
  const own = await eraser.threadsOf(subject);
  if (own.length === 0) throw new ThreadfoldError("THREAD_NOT_FOUND", "The store holds nothing of that subject.");
  const copies = await copiesOf(store, eraser, own, signal);
  const known = new Set([...own, ...copies.keys()]);
  const copiesLeft: ThreadId[] = [];
  const threads: Reached[] = own.map((threadId) => ({ threadId, copyOf: null }));
  for (const [threadId, copyOf] of copies) {
    const others = keepCopies ? null : await eraser.threadsOf(eraser.subjectOf(threadId));
    // A key that other work is sealed with, too, is not destroyed for a copy.
    if (others?.every((other) => known.has(other)) === true) threads.push({ threadId, copyOf });
    else copiesLeft.push(threadId);
  }
  return { threads, copiesLeft };
}

/** Every thread that begins with content of these, at any remove, by the thread that it was made of. */
async function copiesOf(
  store: ThreadfoldStore,
  eraser: StoreEraser,
  own: readonly ThreadId[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<ThreadId, ThreadId>> {
  const copies = new Map<ThreadId, ThreadId>();
  const open = [...own];
  for (let threadId = open.shift(); threadId !== undefined; threadId = open.shift())
    for await (const { record } of inspectorOf(store, signal).journal(threadId)) {
      if (!record.includes('"type":"thread-copied"')) continue;
      const { to } = JSON.parse(record) as ThreadCopiedRecord;
      // One that was recorded and never made is not there.
      if (own.includes(to) || copies.has(to) || (await eraser.threadsOf(eraser.subjectOf(to))).length === 0) continue;
      copies.set(to, threadId);
      open.push(to);
    }
  return copies;
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
  { threadId, copyOf }: Reached,
  signal: AbortSignal | undefined,
): Promise<Omit<ErasedThread, "proofSequence">> {
  const inspector = inspectorOf(store, signal);
  const wasErased = await eraser.isErased(threadId);
  const [entries, plans, artifacts] = await Promise.all([
    count(inspector.entries(threadId)),
    count(inspector.plans(threadId)),
    count(inspector.artifacts(threadId)),
  ]);
  return { threadId, copyOf, entries, plans, artifacts, wasErased };
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
