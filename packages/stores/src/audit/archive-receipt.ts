import { parseJson, sha256, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { nodeCrypto } from "../shared/on-demand.ts";

/** The tenant and the thread whose rows a segment holds. */
export interface SegmentOwner {
  /** The tenant as JSON: `null` for a store without tenants. */
  readonly tenant: string;
  readonly threadId: ThreadId;
}

/** What stays in the store when a thread is archived. */
export interface ArchiveReceipt extends SegmentOwner {
  /** Address of the folder or bucket that the segment is in. */
  readonly place: string;
  /** The segment's key there. */
  readonly key: string;
  readonly root: string;
  readonly lines: number;
  readonly bytes: number;
  /** ISO 8601 time in UTC. */
  readonly archivedAt: string;
  /** False while the rows are also in the store: before they are removed, and after they are put back. */
  readonly isCold: boolean;
  /** True once the segment is about to be removed. It can then no longer become the thread's place. */
  readonly isDropped: boolean;
  /** The forks and handoffs that begin with content of the thread. */
  readonly copies: readonly ThreadId[];
  /** What lists show of the thread, and what its rows must match when they are put back. */
  readonly end: ThreadEnd;
}

/** The end of a thread. Times are milliseconds since the epoch; `committedAt` is null without a plan. */
export interface ThreadEnd {
  readonly version: number;
  readonly digest: string;
  readonly planVersion: number;
  readonly journalSize: number;
  /** Hash of the newest journal entry; empty without one. */
  readonly journalHash: string;
  readonly createdAt: number;
  readonly appendedAt: number;
  readonly committedAt: number | null;
}

/** Makes the receipt of a thread whose rows are about to be in a segment, and names the segment. */
export function receiptFor(
  { tenant, threadId }: SegmentOwner,
  { bytes, root, lines }: { readonly bytes: Uint8Array; readonly root: string; readonly lines: number },
  rest: Pick<ArchiveReceipt, "place" | "copies" | "end" | "archivedAt">,
): ArchiveReceipt {
  const key = `segments/${shortDigest(tenant)}/${shortDigest(threadId)}/${root}-${nodeCrypto().randomBytes(8).toString("hex")}`;
  return { tenant, threadId, key, root, lines, bytes: bytes.length, isCold: false, isDropped: false, ...rest };
}

/**
 * Digests names so that a segment's key does not reveal its tenant and thread; a random suffix makes the key unique.
 */
const shortDigest = (text: string): string => sha256(text).slice(0, 32);

/** A receipt's row in the tables. */
export interface ArchiveRow {
  readonly thread_id: string;
  readonly is_cold: number;
  readonly is_dropped: number;
  readonly place: string;
  readonly segment_key: string;
  readonly root: string;
  readonly lines: number;
  readonly bytes: number;
  readonly archived_at: string;
  readonly copies: string;
  readonly version: number;
  readonly digest: string;
  readonly plan_version: number;
  readonly journal_size: number;
  readonly journal_hash: string;
  readonly created_at: number;
  readonly appended_at: number;
  readonly committed_at: number | null;
}

/** Returns the receipt in a row. @throws ThreadfoldError `STORE_CORRUPT` when it is not one that a store wrote. */
export function archiveReceipt(row: ArchiveRow, tenant: string): ArchiveReceipt {
  const threadId = row.thread_id as ThreadId;
  const { place, segment_key: key, root, lines, bytes, archived_at: archivedAt } = row;
  const end: ThreadEnd = {
    version: row.version,
    digest: row.digest,
    planVersion: row.plan_version,
    journalSize: row.journal_size,
    journalHash: row.journal_hash,
    createdAt: row.created_at,
    appendedAt: row.appended_at,
    committedAt: row.committed_at,
  };
  return Object.freeze({
    ...{ tenant, threadId, place, key, root, lines, bytes, archivedAt, end },
    isCold: row.is_cold === 1,
    isDropped: row.is_dropped === 1,
    copies: copiesIn(row),
  });
}

function copiesIn({ thread_id: threadId, copies }: ArchiveRow): readonly ThreadId[] {
  try {
    return parseJson(copies) as unknown as readonly ThreadId[];
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `The receipt of thread ${threadId} cannot be read.`, { cause });
  }
}

/** The error for calls that ask for an archived thread. */
export function threadArchived({ threadId, place, archivedAt }: ArchiveReceipt, problem?: string): ThreadfoldError {
  const since = `was archived to ${place} at ${archivedAt}`;
  return new ThreadfoldError("THREAD_ARCHIVED", problem ?? `Thread ${threadId} ${since}.`, {
    hint: `Bring it back first with threadfold unarchive ${threadId}, or unarchiveThread in code.`,
    details: { threadId, place, archivedAt },
  });
}

/** The error for a thread that somebody else added to, or moved, while it was being moved. */
export const changedMeanwhile = (threadId: ThreadId): ThreadfoldError =>
  new ThreadfoldError(
    "VERSION_CONFLICT",
    `Thread ${threadId} changed while it was being archived, or was moved by another process.`,
    {
      hint: "Nothing was removed. Archive it when it is not in use.",
      details: { threadId },
    },
  );
