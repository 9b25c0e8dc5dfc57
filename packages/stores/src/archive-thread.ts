import { randomBytes } from "node:crypto";
import { type Clock, sha256, ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import {
  type ArchiveReceipt,
  copyIn,
  type HotThread,
  isArchivable,
  type OpenSegments,
  readSegment,
  type SegmentOwner,
  type SegmentRow,
  type StoreArchiver,
  type WrittenSegment,
  writeSegment,
} from "./audit/segment.ts";
import { verifySegment } from "./audit/verify-store.ts";
import { isErasable } from "./erasure/erase-subject.ts";
import { refuseErasedThread, threadArchived } from "./erasure/refuse-erased.ts";
import { segmentAddress, segmentPlaces, withPlace } from "./open-store.ts";
import { type ObjectFolder, putAndRead } from "./shared/object-artifacts.ts";
import { systemClock } from "./shared/store-basics.ts";
import { listedThreads } from "./shared/threads.ts";

/** How a thread is archived. */
export interface ArchiveOptions {
  /** Where the segment goes: a folder, as its path or `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. */
  readonly to: string;
  /** Opens it; `segmentPlaces()` by default. */
  readonly open?: OpenSegments;
  /**
   * How long nothing must have been added to a thread, in milliseconds; an hour by default, and 0 for whenever. Nobody
   * locks a thread that works on it, so that this is how a session that is at work is told.
   */
  readonly stillForMs?: number;
  /** Says whether the host knows of somebody who works on the thread, such as a session that is open or a job in a queue. */
  readonly isInUse?: (threadId: ThreadId) => boolean | Promise<boolean>;
  /** The machine's clock by default. */
  readonly clock?: Clock;
  /** Ends it before anything is removed. */
  readonly signal?: AbortSignal;
}

const STILL_FOR_MS = 3_600_000;
const STILL_HINT = "Wait until nobody works on it, or ask for a shorter time: stillForMs, or --still-for.";
const SWEEP_HINT = "Archive it once they have expired and sweepExpired took them away.";

/**
 * Moves all rows of a thread out of the store into one sealed segment, and leaves a receipt. The segment is read back and
 * verified before anything is removed, and everything is removed in one transaction. After a crash the thread is there as a
 * whole, or its segment with the receipt; call it again and it goes on. A thread that is archived stays as it is.
 *
 * Reading the thread then fails with `THREAD_ARCHIVED`, but for an artifact that is asked for by its id alone, which is not
 * found. Artifacts that are kept elsewhere stay there.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`; `THREAD_IN_USE` when somebody works on it, forks or handoffs read from it, or
 * an artifact of it is still to expire; `CONTENT_ERASED`; `VERSION_CONFLICT` when the thread went on meanwhile;
 * `STORE_CORRUPT` when the thread does not verify; `STORE_UNAVAILABLE`, `ABORTED`, `INVALID_CONFIG`.
 */
export async function archiveThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: ArchiveOptions,
): Promise<ArchiveReceipt> {
  const archiver = archiverOf(store);
  const place = segmentAddress(options.to);
  const known = await archiver.receiptOf(threadId);
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
    // Whether the place answers, before it is noted that something may be there.
    await folder.get(receipt.key);
    if (!(await archiver.note(receipt))) throw wentOn(threadId);
    const undo = (error: unknown) => takeBack(archiver, receipt, folder, error);
    await putSound(store, receipt, folder, segment.bytes, options.signal).catch(undo);
    if (!(await archiver.remove(receipt, hot))) await undo(wentOn(threadId));
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

/** Takes a segment back that did not become the thread's place, which it can no more. No other call has its key. */
async function takeBack(
  archiver: StoreArchiver,
  receipt: ArchiveReceipt,
  folder: ObjectFolder,
  error: unknown,
): Promise<never> {
  const isOwn = await archiver.drop(receipt);
  await folder.remove(receipt.key);
  await archiver.forget(receipt);
  throw isOwn ? error : wentOn(receipt.threadId);
}

const wentOn = (threadId: ThreadId): ThreadfoldError =>
  new ThreadfoldError(
    "VERSION_CONFLICT",
    `Thread ${threadId} went on while it was archived, or somebody else moved it.`,
    {
      hint: "Nothing of it was removed. Archive it once nobody works on it.",
      details: { threadId },
    },
  );

function archiverOf(store: ThreadfoldStore): StoreArchiver {
  if (isArchivable(store)) return store.archiver;
  throw new ThreadfoldError("INVALID_CONFIG", "This store cannot archive.", {
    hint: "Threads are archived out of SQLite and PostgreSQL.",
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
    throw inUse(threadId, "its host says that somebody works on it", "Close the session, or wait for the job.");
  const { appendedAt, committedAt } = hot.end;
  const newestMs = Math.max(appendedAt, committedAt ?? 0, hot.journalAt === null ? 0 : Date.parse(hot.journalAt) || 0);
  if (stillForMs > 0 && newestMs > clock.now() - stillForMs)
    throw inUse(threadId, `something was added at ${new Date(newestMs).toISOString()}`, STILL_HINT);
  if (hot.expiring === 0) return hot;
  throw inUse(
    threadId,
    `${hot.expiring} of its artifacts have a time to live, which a segment would not keep`,
    SWEEP_HINT,
  );
}

const isErased = async (store: ThreadfoldStore, threadId: ThreadId): Promise<boolean> =>
  isErasable(store) && (await store.eraser.isErased(threadId));

const inUse = (threadId: ThreadId, reason: string, hint: string, copies?: readonly ThreadId[]): ThreadfoldError =>
  new ThreadfoldError("THREAD_IN_USE", `Thread ${threadId} is not archived: ${reason}.`, {
    hint,
    details: { threadId, ...(copies !== undefined && { copies }) },
  });

/** Passes rows on, takes note of what was copied from the thread, and ends when the signal says so. */
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
  if (signal?.aborted === true) throw new ThreadfoldError("ABORTED", "The archiving was aborted.");
}

/** A fork or a handoff keeps its externalized content in the artifacts of what it was made of. */
async function refuseLiveCopies(
  store: ThreadfoldStore,
  archiver: StoreArchiver,
  threadId: ThreadId,
  copies: readonly ThreadId[],
): Promise<void> {
  const live: ThreadId[] = [];
  for (const copy of copies)
    if ((await archiver.look(copy)) !== null && !(await isErased(store, copy))) live.push(copy);
  if (live.length > 0)
    throw inUse(threadId, `forks or handoffs read from it: ${live.join(", ")}`, "Archive or erase these first.", live);
}

function receiptFor(
  { tenant, threadId }: SegmentOwner,
  { bytes, root, lines }: WrittenSegment,
  rest: Pick<ArchiveReceipt, "place" | "copies" | "end" | "archivedAt">,
): ArchiveReceipt {
  const key = `segments/${shortDigest(tenant)}/${shortDigest(threadId)}/${root}-${randomBytes(8).toString("hex")}`;
  return { tenant, threadId, key, root, lines, bytes: bytes.length, isCold: false, isDropped: false, ...rest };
}

/** Whose a segment is and of which thread is not to be read off its key; and no two calls have the same one. */
const shortDigest = (text: string): string => sha256(text).slice(0, 32);

async function requireSound(store: ThreadfoldStore, receipt: ArchiveReceipt, folder: ObjectFolder): Promise<void> {
  const [finding] = await verifySegment(store, receipt, folder);
  if (finding === undefined) return;
  const { family, at, problem } = finding;
  const where = `${family}${at === null ? "" : ` at ${at}`}`;
  throw new ThreadfoldError("STORE_CORRUPT", `Thread ${receipt.threadId} does not verify: ${where}: ${problem}.`, {
    hint: "Its rows are as they were. Run verify.",
    details: { threadId: receipt.threadId, family, at },
  });
}

/** Takes away a segment that is not the place of its thread: what is left of a call that did not come to its end. */
async function dropSegment(open: OpenSegments, archiver: StoreArchiver, receipt: ArchiveReceipt): Promise<void> {
  await withPlace(open, receipt.place, false, async (folder) => {
    if (!(await archiver.drop(receipt))) throw wentOn(receipt.threadId);
    await folder.remove(receipt.key);
    await archiver.forget(receipt);
  });
}

/** How a thread is brought back. */
export interface UnarchiveOptions {
  /** Opens the place that the receipt names; `segmentPlaces()` by default. */
  readonly open?: OpenSegments;
  /** Ends it before anything is put back. */
  readonly signal?: AbortSignal;
}

/**
 * Puts the rows of an archived thread back, byte for byte and in one transaction, once the segment was verified; then takes
 * the segment away. After a crash call it again. For a thread that was never moved out completely it takes away what is left
 * of a segment.
 *
 * @returns the receipt of the segment that is gone.
 * @throws ThreadfoldError `THREAD_NOT_FOUND` when there is no segment of it; `STORE_CORRUPT` when the segment does not
 * verify, and nothing is put back; `THREAD_ARCHIVED` when a thread that it was made of has to come back first;
 * `STORE_UNAVAILABLE`, `ABORTED`, `INVALID_CONFIG`.
 */
export async function unarchiveThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { open = segmentPlaces(), signal }: UnarchiveOptions = {},
): Promise<ArchiveReceipt> {
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
      hint: `Put ${receipt.key} back to ${receipt.place}.`,
      details: { place: receipt.place, key: receipt.key },
    });
  const rows = await readSegment(bytes, receipt);
  await requireSound(store, receipt, folder);
  refuseAborted(signal);
  if (!(await archiver.restore(receipt, rows))) throw wentOn(receipt.threadId);
}

/** How the threads that nobody has used for long are archived. */
export interface RetentionOptions extends Omit<ArchiveOptions, "stillForMs"> {
  /** Threads to which nothing was added for so long, in milliseconds. */
  readonly olderThanMs: number;
  /** Called for each thread of the store, once it was looked at. */
  readonly onThread?: (threadId: ThreadId) => void;
}

/** A thread that was left as it is, and why. */
export interface RefusedThread {
  readonly threadId: ThreadId;
  readonly code: ThreadfoldError["code"];
  readonly message: string;
}

/** What became of the threads that were old enough. */
export interface RetentionReport {
  readonly archived: readonly ArchiveReceipt[];
  readonly refused: readonly RefusedThread[];
}

/** What leaves one thread as it is and has nothing to do with the others. */
const OF_ONE_THREAD = /^(?:THREAD_IN_USE|CONTENT_ERASED|VERSION_CONFLICT|STORE_CORRUPT)$/;

/**
 * Archives every thread that has been still for long enough, forks before what they were made of.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE`, `ABORTED` between two threads or before a thread's rows are removed,
 * `INVALID_CONFIG`. What was archived until then is; call it again for the rest.
 */
export async function archiveThreads(
  store: ThreadfoldStore,
  { olderThanMs, onThread, ...options }: RetentionOptions,
): Promise<RetentionReport> {
  const before = (options.clock ?? systemClock).now() - olderThanMs;
  const due: ThreadId[] = [];
  for await (const { threadId, updatedAt, archivedAt } of listedThreads(store)) {
    if (archivedAt === undefined && Date.parse(updatedAt) <= before) due.push(threadId);
    else onThread?.(threadId);
  }
  const archived: ArchiveReceipt[] = [];
  const refused = new Map<ThreadId, RefusedThread>();
  const tell = new Set(due);
  // A thread waits for its copies, and they for theirs.
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
