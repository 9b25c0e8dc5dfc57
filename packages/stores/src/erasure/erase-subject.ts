import {
  checkArgument,
  checkOptions,
  hasMember,
  type OptionKinds,
  refuseArgument,
  type SummaryCacheStore,
  type ThreadCopiedRecord,
  type ThreadErasedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { isArchivable } from "../audit/segment.ts";
import { inspectorOf } from "../inspection/inspector.ts";
import { checkTextOption, checkTimeOption } from "../shared/store-basics.ts";

/** Erases content for good. Only proof of its existence stays: ids, versions, digests, times and counts. */
export interface StoreEraser {
  /** The threads of a subject, whether erased or not. Without keys, each thread is its own subject, named by its id. */
  threadsOf(subject: string): Promise<readonly ThreadId[]>;
  /** The subject that a thread belongs to; without keys, the thread's own id. */
  subjectOf(threadId: ThreadId): string;
  isErased(threadId: ThreadId): Promise<boolean>;
  /**
   * Throws what `erase` would throw, while nothing is erased yet. Absent when nothing about a subject keeps it from being
   * erased.
   */
  requireErasable?(subject: string): Promise<void>;
  /**
   * Erases a subject's content. Repeating it changes nothing, except that it finishes an interrupted erasure.
   *
   * @returns whether a key was destroyed for it; false if the content itself was overwritten.
   */
  erase(subject: string): Promise<boolean>;
  /** Removes artifacts that have expired by this time (milliseconds since the epoch), and returns how many. */
  sweep(nowMs: number): Promise<number>;
}

/** A store that can erase content. */
export interface ErasableStore extends ThreadfoldStore {
  readonly eraser: StoreEraser;
}

/** Checks whether a store can erase content. */
export function isErasable(store: ThreadfoldStore): store is ErasableStore {
  return hasMember(store, "eraser");
}

/** Who requested an erasure, why and when, and how to carry it out. */
export interface ErasureOptions {
  /** Who requested it: a name or id chosen by the host. It stays in the journal. */
  readonly actor: string;
  /** Why, as a code such as `user-request`. It stays in the journal. */
  readonly reason: string;
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** Reports what would be erased and erases nothing. */
  readonly dryRun?: boolean;
  /** Leaves forks and handoffs unchanged; the report names them. */
  readonly keepCopies?: boolean;
  /** Called for each thread: removes what is kept of it elsewhere, such as its source files or golden prompts. */
  readonly forget?: (threadId: ThreadId) => Promise<void>;
  /** Aborts before anything is erased. An erasure that has begun is finished. */
  readonly signal?: AbortSignal;
}

/** What was, or would be, erased from one thread. */
export interface ErasedThread {
  readonly threadId: ThreadId;
  /** The thread that this one is a fork or a handoff of; null for a thread of the subject itself. */
  readonly copyOf: ThreadId | null;
  readonly entries: number;
  readonly plans: number;
  readonly artifacts: number;
  /** True when its content had already been erased. */
  readonly wasErased: boolean;
  /** Sequence number of the proof in the thread's journal; null for a dry run. */
  readonly proofSequence: number | null;
}

/** The outcome of an erasure. */
export interface ErasureReport {
  readonly subject: string;
  readonly keyShredded: boolean;
  readonly threads: readonly ErasedThread[];
  /**
   * Forks and handoffs that stay: all of them with `keepCopies`, else those whose subject also has threads that are not
   * being erased. Each can be erased by its own name.
   */
  readonly copiesLeft: readonly ThreadId[];
  /**
   * What was erased from the summaries cached next to the store; null for a dry run and for a store without such a
   * cache.
   */
  readonly cachedSummaries: ErasedSummaries | null;
}

/** What was erased from a summary cache. */
export interface ErasedSummaries {
  readonly deleted: number;
  /** False when the cache did not respond: what is left in it was sealed with the destroyed key. */
  readonly isReached: boolean;
}

/**
 * Erases what a store holds about a subject: entries, plans and the summaries in them, artifacts, the search index, and
 * summaries in the cache that `openStore` opened with it. In an encrypted store the subject's key is destroyed;
 * elsewhere content is emptied, in SQLite down to the bytes of the files. What stays are headers, digests and the
 * journal, whose chains still verify, and an entry that proves the erasure. It is idempotent: after a crash, call it
 * again; and after an erasure through the inner store of an encrypted one, call it with the keys, which destroys them.
 * Forks and handoffs of its threads are erased with them, and so are their copies in turn, as recorded in the
 * journals.
 *
 * Copies outside the store are not reached: backups, exports, and what a process holds in memory; nor are dead rows in
 * the files of a PostgreSQL database, which stay until its tables are rewritten. In a store that is not encrypted, the
 * digests of the erased content stay and can confirm a guess of it.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the store holds nothing of the subject, `INVALID_CONFIG` for a store
 * that cannot erase, and for an option that the proof could not have, before anything is erased, `STORE_UNAVAILABLE`
 * when cached summaries that anybody can read cannot be reached, `KEY_MISSING` or `KEY_MISMATCH` when the keys of an
 * encrypted store are not available, so that none of them can be destroyed, `UNSEAL_FAILED` when an encrypted store has
 * one of the threads in the clear, or part of one: no key takes it with it, `ABORTED`, `THREAD_ARCHIVED` when one of
 * the threads, or a copy of one, is in a segment: nothing is erased until it is restored.
 */
export async function eraseSubject(
  store: ThreadfoldStore,
  subject: string,
  options: ErasureOptions,
): Promise<ErasureReport> {
  checkErasureOptions(subject, options);
  const eraser = eraserOf(store);
  const { threads: reached, copiesLeft } = await reachedThreads(store, eraser, subject, options);
  for (const { threadId } of reached) await refuseSegment(store, threadId);
  const found = await Promise.all(reached.map((thread) => lookAt(store, eraser, thread, options.signal)));
  const owners = new Set(reached.map(({ threadId }) => eraser.subjectOf(threadId)));
  for (const owner of owners) await eraser.requireErasable?.(owner);
  if (options.dryRun === true) {
    const threads = found.map((thread) => ({ ...thread, proofSequence: null }));
    return { subject, keyShredded: false, threads, copiesLeft, cachedSummaries: null };
  }
  const shredded = new Map<string, boolean>();
  for (const owner of owners) shredded.set(owner, await eraser.erase(owner));
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

const ERASURE_OPTIONS: OptionKinds<ErasureOptions> = {
  ...{ at: "any", actor: "any", reason: "any" },
  ...{ dryRun: "flag", keepCopies: "flag", forget: "call", signal: "signal" },
};

/**
 * Content must not be gone before it is clear that the proof can be written, nor because a dry run was misspelled. The
 * empty name is nobody's: it may stand for every thread whose subject a host does not know.
 */
function checkErasureOptions(subject: unknown, options: ErasureOptions): void {
  checkArgument("subject", subject, "name");
  checkOptions("options", options, ERASURE_OPTIONS);
  checkTimeOption(options.at);
  checkTextOption("actor", options.actor);
  checkTextOption("reason", options.reason);
}

/** The content of a segment is out of reach, so a thread that has one, or may have the rest of one, is not erased. */
async function refuseSegment(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  const receipt = isArchivable(store) ? await store.archiver.receiptOf(threadId) : null;
  if (receipt === null) return;
  const { place, key } = receipt;
  throw new ThreadfoldError(
    "THREAD_ARCHIVED",
    `Thread ${threadId} was not erased: ${place} may hold a segment of it.`,
    {
      hint: `Run threadfold unarchive ${threadId}, or unarchiveThread in code, which removes the segment. Then erase.`,
      details: { threadId, place, key },
    },
  );
}

type Reached = Pick<ErasedThread, "threadId" | "copyOf">;

/**
 * Returns the threads of a subject, their copies, and the copies of those. @throws ThreadfoldError `THREAD_NOT_FOUND`.
 */
async function reachedThreads(
  store: ThreadfoldStore,
  eraser: StoreEraser,
  subject: string,
  { keepCopies = false, signal }: ErasureOptions,
): Promise<{ readonly threads: readonly Reached[]; readonly copiesLeft: readonly ThreadId[] }> {
  const own = await eraser.threadsOf(subject);
  if (own.length === 0)
    throw new ThreadfoldError("THREAD_NOT_FOUND", "The store holds nothing that belongs to that subject.");
  const copies = await copiesOf(store, eraser, own, signal);
  const known = new Set([...own, ...copies.keys()]);
  const copiesLeft: ThreadId[] = [];
  const threads: Reached[] = own.map((threadId) => ({ threadId, copyOf: null }));
  for (const [threadId, copyOf] of copies) {
    const others = keepCopies ? null : await eraser.threadsOf(eraser.subjectOf(threadId));
    // A key that also seals other work is not destroyed for a copy.
    if (others?.every((other) => known.has(other)) === true) threads.push({ threadId, copyOf });
    else copiesLeft.push(threadId);
  }
  return { threads, copiesLeft };
}

/** Returns every direct or indirect copy of these threads, with the thread that it was made from. */
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
      // A copy that was recorded but never made does not exist.
      if (own.includes(to) || copies.has(to) || (await eraser.threadsOf(eraser.subjectOf(to))).length === 0) continue;
      copies.set(to, threadId);
      open.push(to);
    }
  return copies;
}

/** @throws ThreadfoldError `STORE_UNAVAILABLE` when the cache does not respond and holds readable summaries. */
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

/**
 * Removes expired artifacts, and returns how many. Readers never get them, swept or not.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for a store that cannot erase, and for a time that is no number.
 */
export async function sweepExpired(store: ThreadfoldStore, nowMs: number): Promise<number> {
  if (!Number.isFinite(nowMs)) refuseArgument("nowMs", "it has to be milliseconds since 1970, as Date.now() returns.");
  return eraserOf(store).sweep(nowMs);
}

function eraserOf(store: ThreadfoldStore): StoreEraser {
  if (isErasable(store)) return store.eraser;
  throw new ThreadfoldError("INVALID_CONFIG", "This store cannot erase.", {
    hint: "Use encryptedStore from the beginning: destroying the keys erases the content in any store.",
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

/**
 * Records the proof unless it already exists, and returns its sequence number. That content was emptied does not prove
 * that its key was destroyed.
 */
async function proveErasure(
  store: ThreadfoldStore,
  { threadId, entries, plans, artifacts }: Omit<ErasedThread, "proofSequence">,
  keyShredded: boolean,
  { actor, reason, at }: ErasureOptions,
): Promise<number> {
  for await (const { sequence, record } of inspectorOf(store).journal(threadId))
    if (isProof(record, keyShredded)) return sequence;
  const proof = { type: "thread-erased", actor, reason, entries, plans, artifacts, keyShredded } as const;
  return (await store.journal.append(threadId, proof satisfies ThreadErasedRecord, at)).sequence;
}

const isProof = (record: string, keyShredded: boolean): boolean =>
  record.includes('"type":"thread-erased"') && (!keyShredded || record.includes('"keyShredded":true'));

async function count(rows: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _row of rows) found++;
  return found;
}
