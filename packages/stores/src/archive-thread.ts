import {
  type Clock,
  checkArgument,
  checkOptions,
  type OptionKinds,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { type ArchiveReceipt, changedMeanwhile, receiptFor, threadArchived } from "./audit/archive-receipt.ts";
import {
  copyIn,
  type HotThread,
  isArchivable,
  type OpenSegments,
  readSegment,
  type SegmentRow,
  type StoreArchiver,
  writeSegment,
} from "./audit/segment.ts";
import { verifySegment } from "./audit/verify-store.ts";
import { isErasable } from "./erasure/erase-subject.ts";
import { refuseErasedThread } from "./erasure/refuse-erased.ts";
import { segmentAddress, segmentPlaces, withPlace } from "./open-store.ts";
import { type ObjectFolder, putAndRead } from "./shared/object-artifacts.ts";
import { checkThreadId, systemClock } from "./shared/store-basics.ts";
import { listedThreads } from "./shared/threads.ts";

/** Options for archiving a thread. */
export interface ArchiveOptions {
  /** Where the segment goes: a folder, as its path or `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. */
  readonly to: string;
  /** Opens that place; `segmentPlaces()` by default. */
  readonly open?: OpenSegments;
  /**
   * How long a thread must have been idle, in milliseconds; an hour by default, 0 to skip the check. Sessions take no
   * lock on their threads, so this is how a thread in use is recognized.
   */
  readonly stillForMs?: number;
  /** Checks whether the host knows that the thread is in use, for example by an open session or a queued job. */
  readonly isInUse?: (threadId: ThreadId) => boolean | Promise<boolean>;
  /** The machine's clock by default. */
  readonly clock?: Clock;
  /** Aborts the archiving, as long as nothing has been removed yet. */
  readonly signal?: AbortSignal;
}

const STILL_FOR_MS = 3_600_000;
const STILL_HINT = "Wait until nobody is working on it, or set a shorter time with stillForMs or --still-for.";

/** A negative time, or one that is no number, would move threads that are in use. */
const ARCHIVE_OPTIONS: OptionKinds<ArchiveOptions> = {
  ...{ to: "any", open: "call", stillForMs: "milliseconds", isInUse: "call", clock: "clock", signal: "signal" },
};

/**
 * Moves all rows of a thread out of the store into one sealed segment, and leaves a receipt. The segment is read back
 * and verified before anything is removed, and all rows are removed in one transaction. After a crash, either the whole
 * thread is still there or its segment and receipt are; call this again to continue. A thread that is already archived
 * there is left unchanged.
 *
 * Reading the thread then fails with `THREAD_ARCHIVED`, except that an artifact requested by its id alone is not found.
 * Artifacts that are kept elsewhere stay there.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`; `THREAD_IN_USE` when the thread is in use, forks or handoffs read from
 * it, or one of its artifacts has yet to expire; `THREAD_ARCHIVED` when it is archived elsewhere; `CONTENT_ERASED`;
 * `VERSION_CONFLICT` when it changed meanwhile; `STORE_CORRUPT` when it does not verify; `STORE_UNAVAILABLE`,
 * `ABORTED`, `INVALID_CONFIG`.
 */
export async function archiveThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: ArchiveOptions,
): Promise<ArchiveReceipt> {
  const archiver = archiverOf(store);
  checkOptions("options", options, ARCHIVE_OPTIONS);
  checkThreadId(threadId);
  const place = segmentAddress(options.to);
  const known = await archiver.receiptOf(threadId);
  if (known?.isCold === true && known.place !== place)
    throw threadArchived(known, `Thread ${threadId} was not moved: it is archived in ${known.place}.`);
  if (known?.isCold === true) return known;
  refuseAborted(options.signal);
  const hot = await usableThread(store, archiver, threadId, options);
  const copies: ThreadId[] = [];
  const owner = { tenant: archiver.tenant, threadId };
  const segment = await writeSegment(owner, watched(archiver.rows(threadId), copies, options.signal));
  await refuseLiveCopies(store, archiver, threadId, copies);
  const archivedAt = new Date((options.clock ?? systemClock).now()).toISOString();
  const receipt = receiptFor(owner, segment, { place, copies, end: hot.end, archivedAt });
  const open = options.open ?? segmentPlaces();
  if (known !== null) await dropSegment(open, archiver, known);
  await withPlace(open, place, true, async (folder) => {
    // Check that the place responds before recording that something may be stored there.
    await folder.get(receipt.key);
    if (!(await archiver.note(receipt))) throw changedMeanwhile(threadId);
    const undo = (error: unknown) => takeBack(archiver, receipt, folder, error);
    await putSound(store, receipt, folder, segment.bytes, options.signal).catch(undo);
    if (!(await archiver.remove(receipt, hot))) await undo(changedMeanwhile(threadId));
  });
  return { ...receipt, isCold: true };
}

async function putSound(
  store: ThreadfoldStore,
  receipt: ArchiveReceipt,
  folder: ObjectFolder,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  await putAndRead(folder, receipt.key, bytes);
  await requireSound(store, receipt, folder);
  refuseAborted(signal);
}

/** Withdraws a segment that did not become the thread's place, and now no longer can. No other call uses its key. */
async function takeBack(
  archiver: StoreArchiver,
  receipt: ArchiveReceipt,
  folder: ObjectFolder,
  error: unknown,
): Promise<never> {
  const isOwn = await archiver.drop(receipt);
  await folder.remove(receipt.key);
  await archiver.forget(receipt);
  throw isOwn ? error : changedMeanwhile(receipt.threadId);
}

function archiverOf(store: ThreadfoldStore): StoreArchiver {
  if (isArchivable(store)) return store.archiver;
  throw new ThreadfoldError("INVALID_CONFIG", "This store cannot archive.", {
    hint: "Only threads in SQLite and PostgreSQL can be archived.",
  });
}

async function usableThread(
  store: ThreadfoldStore,
  archiver: StoreArchiver,
  threadId: ThreadId,
  { stillForMs = STILL_FOR_MS, isInUse, clock = systemClock }: ArchiveOptions,
): Promise<HotThread> {
  const hot = await archiver.look(threadId);
  if (hot === null || hot.end.version === 0)
    throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to archive.`);
  await refuseErasedThread(store, threadId);
  if ((await isInUse?.(threadId)) === true)
    throw inUse(threadId, "its host says that somebody is working on it", "Close the session, or wait for the job.");
  const { appendedAt, committedAt } = hot.end;
  const newestMs = Math.max(appendedAt, committedAt ?? 0, hot.journalAt === null ? 0 : Date.parse(hot.journalAt) || 0);
  if (stillForMs > 0 && newestMs > clock.now() - stillForMs)
    throw inUse(threadId, `something was added at ${new Date(newestMs).toISOString()}`, STILL_HINT);
  if (hot.expiring === 0) return hot;
  const expiring = `${hot.expiring} of its artifacts have a time to live, which a segment would not keep`;
  throw inUse(threadId, expiring, "Archive it once they have expired and sweepExpired has removed them.");
}

const inUse = (threadId: ThreadId, reason: string, hint: string, copies?: readonly ThreadId[]): ThreadfoldError =>
  new ThreadfoldError("THREAD_IN_USE", `Thread ${threadId} was not archived: ${reason}.`, {
    hint,
    details: { threadId, ...(copies !== undefined && { copies }) },
  });

/** Passes rows on, collects the threads copied from this one, and stops when the signal is aborted. */
async function* watched(
  rows: AsyncIterable<SegmentRow>,
  copies: ThreadId[],
  signal: AbortSignal | undefined,
): AsyncGenerator<SegmentRow> {
  for await (const row of rows) {
    refuseAborted(signal);
    const copy = copyIn(row);
    if (copy !== null && !copies.includes(copy)) copies.push(copy);
    yield row;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ThreadfoldError("ABORTED", "Archiving was aborted.");
}

/** A fork or a handoff keeps its externalized content in the artifacts of the thread it was made from. */
async function refuseLiveCopies(
  store: ThreadfoldStore,
  archiver: StoreArchiver,
  threadId: ThreadId,
  copies: readonly ThreadId[],
): Promise<void> {
  const live: ThreadId[] = [];
  for (const copy of copies) {
    const isErased = isErasable(store) && (await store.eraser.isErased(copy));
    if (!isErased && (await archiver.look(copy)) !== null) live.push(copy);
  }
  if (live.length > 0)
    throw inUse(threadId, `forks or handoffs read from it: ${live.join(", ")}`, "Archive or erase these first.", live);
}

async function requireSound(store: ThreadfoldStore, receipt: ArchiveReceipt, folder: ObjectFolder): Promise<void> {
  const [finding] = await verifySegment(store, receipt, folder);
  if (finding === undefined) return;
  const { family, at, problem } = finding;
  const where = `${family}${at === null ? "" : ` at ${at}`}`;
  throw new ThreadfoldError("STORE_CORRUPT", `Thread ${receipt.threadId} does not verify: ${where}: ${problem}.`, {
    hint: "Its rows were not changed. Run verify.",
    details: { threadId: receipt.threadId, family, at },
  });
}

/** Removes a segment that is not the place of its thread: left by an unfinished call, or already restored. */
async function dropSegment(open: OpenSegments, archiver: StoreArchiver, receipt: ArchiveReceipt): Promise<void> {
  await withPlace(open, receipt.place, false, async (folder) => {
    if (!(await archiver.drop(receipt))) throw changedMeanwhile(receipt.threadId);
    await folder.remove(receipt.key);
    await archiver.forget(receipt);
  });
}

/** Options for restoring an archived thread. */
export interface UnarchiveOptions {
  /** Opens the place named in the receipt; `segmentPlaces()` by default. */
  readonly open?: OpenSegments;
  /** Aborts the restoring, as long as nothing has been put back yet. */
  readonly signal?: AbortSignal;
}

/**
 * Puts the rows of an archived thread back, byte for byte and in one transaction, after verifying the segment; then
 * removes the segment. After a crash, call it again. For a thread that was never fully moved out, it removes what is
 * left of a segment.
 *
 * @returns the receipt of the removed segment.
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when the thread has no segment; `STORE_CORRUPT` when the segment does not
 * verify, in which case nothing is put back; `THREAD_ARCHIVED` when a thread that it was made from must be restored
 * first; `STORE_UNAVAILABLE`, `ABORTED`, `INVALID_CONFIG`.
 */
export async function unarchiveThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: UnarchiveOptions = {},
): Promise<ArchiveReceipt> {
  checkThreadId(threadId);
  checkOptions("options", options, { open: "call", signal: "signal" });
  const { open = segmentPlaces(), signal } = options;
  const archiver = archiverOf(store);
  const receipt = await archiver.receiptOf(threadId);
  if (receipt === null)
    throw new ThreadfoldError("THREAD_NOT_FOUND", `No thread ${threadId} is archived in this store.`);
  if (receipt.isCold) await refuseColdSource(archiver, threadId);
  if (receipt.isCold)
    await withPlace(open, receipt.place, false, (folder) => putBack(store, archiver, receipt, folder, signal));
  await dropSegment(open, archiver, receipt);
  return receipt;
}

async function refuseColdSource(archiver: StoreArchiver, threadId: ThreadId): Promise<void> {
  const source = (await archiver.receipts()).find(({ isCold, copies }) => isCold && copies.includes(threadId));
  if (source === undefined) return;
  throw threadArchived(source, `Thread ${threadId} begins with content of ${source.threadId}, which is archived.`);
}

async function putBack(
  store: ThreadfoldStore,
  archiver: StoreArchiver,
  receipt: ArchiveReceipt,
  folder: ObjectFolder,
  signal: AbortSignal | undefined,
): Promise<void> {
  const bytes = await folder.get(receipt.key);
  if (bytes === null)
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The segment of thread ${receipt.threadId} is missing.`, {
      hint: `Restore ${receipt.key} to ${receipt.place}.`,
      details: { place: receipt.place, key: receipt.key },
    });
  const rows = await readSegment(bytes, receipt);
  await requireSound(store, receipt, folder);
  refuseAborted(signal);
  if (!(await archiver.restore(receipt, rows))) throw changedMeanwhile(receipt.threadId);
}

/** Options for archiving all threads that have not been used for a long time. */
export interface RetentionOptions extends Omit<ArchiveOptions, "stillForMs"> {
  /** How long a thread must have been idle to be archived, in milliseconds. */
  readonly olderThanMs: number;
  /** Called for each thread of the store once it has been handled. */
  readonly onThread?: (threadId: ThreadId) => void;
}

const { stillForMs: _, ...ARCHIVE_EACH } = ARCHIVE_OPTIONS;
const RETENTION_OPTIONS: OptionKinds<RetentionOptions> = {
  ...{ ...ARCHIVE_EACH, olderThanMs: "milliseconds", onThread: "call" },
};

/** A thread that was left unchanged, and why. */
export interface RefusedThread {
  readonly threadId: ThreadId;
  readonly code: ThreadfoldError["code"];
  readonly message: string;
}

/** The outcome for the threads that were old enough. */
export interface RetentionReport {
  readonly archived: readonly ArchiveReceipt[];
  readonly refused: readonly RefusedThread[];
}

/** Error codes that leave one thread unchanged and do not affect the others. */
const OF_ONE_THREAD = /^(?:THREAD_IN_USE|THREAD_ARCHIVED|CONTENT_ERASED|VERSION_CONFLICT|STORE_CORRUPT)$/;

/**
 * Archives every thread that has been idle for long enough, forks before the threads they were made from.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE`, `ABORTED` between two threads or before a thread's rows are removed,
 * `INVALID_CONFIG`. Threads archived before that stay archived; call it again for the rest.
 */
export async function archiveThreads(store: ThreadfoldStore, given: RetentionOptions): Promise<RetentionReport> {
  checkOptions("options", given, RETENTION_OPTIONS);
  const { olderThanMs, onThread, ...options } = given;
  segmentAddress(options.to);
  checkArgument("olderThanMs", olderThanMs, "milliseconds");
  const before = (options.clock ?? systemClock).now() - olderThanMs;
  const due: ThreadId[] = [];
  for await (const { threadId, updatedAt, archivedAt } of listedThreads(store)) {
    if (archivedAt === undefined && Date.parse(updatedAt) <= before) due.push(threadId);
    else onThread?.(threadId);
  }
  const archived: ArchiveReceipt[] = [];
  const refused = new Map<ThreadId, RefusedThread>();
  const tell = new Set(due);
  // A thread waits for its copies, and those for theirs.
  for (let open = due; open.length > 0; ) {
    const left: ThreadId[] = [];
    for (const threadId of open) {
      try {
        archived.push(await archiveThread(store, threadId, { ...options, stillForMs: olderThanMs }));
        refused.delete(threadId);
      } catch (error) {
        if (!ThreadfoldError.isInstance(error) || !OF_ONE_THREAD.test(error.code)) throw error;
        refused.set(threadId, { threadId, code: error.code, message: error.message });
        if (error.details["copies"] !== undefined) left.push(threadId);
      }
      if (tell.delete(threadId)) onThread?.(threadId);
    }
    open = left.length < open.length ? left : [];
  }
  return { archived, refused: [...refused.values()] };
}
