import { setImmediate as nextTurn } from "node:timers/promises";
import {
  hasMember,
  MerkleTree,
  merkleLeafOf,
  THREAD_CHAIN_START,
  type ThreadCopiedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/inspector.ts";
import type { ObjectFolder } from "../shared/object-artifacts.ts";
import { HiddenMessages, spelledOut } from "../shared/plans.ts";
import type { ArchiveReceipt, SegmentOwner, ThreadEnd } from "./archive-receipt.ts";
import { sealLine, unsealLine } from "./audit-file.ts";

/** Version of the segment format, written in its first line. */
const SEGMENT_FORMAT_VERSION = 1;

/**
 * A row of a thread as stored in tables. Unlike a line of an audit file, it has everything that a restore needs: when
 * rows were added, the results of appends with a key, the terms of artifacts, and plans in exactly their stored form.
 */
export type SegmentRow =
  | ({ readonly type: "entry"; readonly appendedAt: number; readonly body: string } & Omit<StoredEntry, "body">)
  | {
      readonly type: "receipt";
      readonly idempotencyKey: string;
      readonly requestDigest: string;
      readonly version: number;
      readonly appended: number;
    }
  | ({ readonly type: "plan"; readonly committedAt: number; readonly body: string } & Omit<StoredPlan, "body">)
  | ({ readonly type: "artifact"; readonly content: string } & Omit<StoredArtifact, "content">)
  | ({ readonly type: "journal" } & StoredJournalEntry);

/** A row of one kind. */
export type SegmentRowOf<Type extends SegmentRow["type"]> = Extract<SegmentRow, { readonly type: Type }>;

/** The number of rows of each kind. */
export type RowCounts = Readonly<Record<SegmentRow["type"], number>>;

/** A segment before it is stored anywhere. */
export interface WrittenSegment {
  readonly bytes: Uint8Array;
  readonly lines: number;
  /** Root of the Merkle tree (RFC 6962) over the seals of all lines. */
  readonly root: string;
  readonly counts: RowCounts;
}

/** A thread as it is in the tables. All but the terms of artifacts only grows, so equal values have equal rows. */
export interface HotThread {
  readonly end: ThreadEnd;
  readonly counts: RowCounts;
  /** The time that the newest journal entry states; null without one. */
  readonly journalAt: string | null;
  /** The terms of the artifacts, as canonical JSON. */
  readonly terms: string;
  /** The number of artifacts that have a time to live. */
  readonly expiring: number;
}

/** The error for an artifact that cannot go into a segment. */
export function contentGone(threadId: ThreadId, artifactId: string): ThreadfoldError {
  return new ThreadfoldError("STORE_CORRUPT", `The content of artifact ${artifactId} is missing.`, {
    details: { threadId, artifactId },
  });
}

/** Moves rows of threads between a store's tables and a segment. */
export interface StoreArchiver {
  /** The tenant as JSON. */
  readonly tenant: string;
  /** Returns the receipt of a thread's segment; null when there is none. */
  receiptOf(threadId: ThreadId): Promise<ArchiveReceipt | null>;
  /** Returns the receipts of all segments. */
  receipts(): Promise<readonly ArchiveReceipt[]>;
  /** Returns the thread as it is now; null when the tables have nothing of it. */
  look(threadId: ThreadId): Promise<HotThread | null>;
  /** Yields its rows: entries, receipts, plans, artifacts, journal, each oldest first. */
  rows(threadId: ThreadId): AsyncIterable<SegmentRow>;
  /** Records where a segment is about to be stored, so that an erasure finds it. False when one is already recorded. */
  note(receipt: ArchiveReceipt): Promise<boolean>;
  /**
   * Removes the rows in one transaction. Returns false, and removes nothing, when the thread has changed, or the
   * segment is not the recorded one.
   */
  remove(receipt: ArchiveReceipt, was: HotThread): Promise<boolean>;
  /** Puts the rows back in one transaction. Returns false, and changes nothing, if this segment no longer has them. */
  restore(receipt: ArchiveReceipt, rows: readonly SegmentRow[]): Promise<boolean>;
  /** Records that a segment is about to be removed. False when it is the thread's place, or not the recorded one. */
  drop(receipt: ArchiveReceipt): Promise<boolean>;
  /** Forgets a segment that was removed. */
  forget(receipt: ArchiveReceipt): Promise<void>;
}

/** A store that can archive. */
export interface ArchivableStore extends ThreadfoldStore {
  readonly archiver: StoreArchiver;
}

/** Checks whether a store can archive. */
export function isArchivable(store: ThreadfoldStore): store is ArchivableStore {
  return hasMember(store, "archiver");
}

/**
 * Opens the place of a segment by its address, and creates it if `isNew` is set. Returns null when it does not exist,
 * such as a folder whose volume is not mounted.
 */
export type OpenSegments = (address: string, isNew: boolean) => Promise<ObjectFolder | null>;

/** Number of lines after which writing and reading yield to the event loop. */
const LINES_AT_A_STRETCH = 64;

/** Writes rows as the sealed lines of one segment. Equal rows always produce equal bytes. */
export async function writeSegment(
  { tenant, threadId }: SegmentOwner,
  rows: AsyncIterable<SegmentRow>,
): Promise<WrittenSegment> {
  const texts: Buffer[] = [];
  const tree = new MerkleTree();
  const counts = { entry: 0, receipt: 0, plan: 0, artifact: 0, journal: 0 };
  let seal = "";
  const add = (line: object): void => {
    const sealed = sealLine(line, seal);
    seal = sealed.seal;
    tree.append(merkleLeafOf(seal));
    texts.push(Buffer.from(`${sealed.text}\n`));
  };
  add({ type: "header", format: "threadfold-segment", formatVersion: SEGMENT_FORMAT_VERSION, tenant, threadId });
  for await (const row of rows) {
    if (texts.length % LINES_AT_A_STRETCH === 0) await nextTurn();
    counts[row.type]++;
    add(row);
  }
  add({ type: "end", counts });
  return { bytes: Buffer.concat(texts), lines: texts.length, root: tree.root(), counts };
}

/**
 * Reads a segment's rows.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when a byte is not what the receipt describes; `details.line` says where.
 */
export async function readSegment(bytes: Uint8Array, receipt: ArchiveReceipt): Promise<readonly SegmentRow[]> {
  const tree = new MerkleTree();
  const lines: Readonly<Record<string, unknown>>[] = [];
  let seal = "";
  let start = 0;
  if (bytes.length !== receipt.bytes) throw damaged(receipt, null, `it does not have ${receipt.bytes} bytes`);
  while (start < bytes.length) {
    if (lines.length % LINES_AT_A_STRETCH === 0) await nextTurn();
    const end = bytes.indexOf(NEWLINE, start);
    const text = end < 0 ? null : textOf(bytes.subarray(start, end));
    const unsealed = text === null ? null : unsealLine(text, seal);
    if (unsealed === null) throw damaged(receipt, lines.length + 1, "it was cut off or changed");
    seal = unsealed.seal;
    tree.append(merkleLeafOf(seal));
    lines.push(unsealed.line);
    start = end + 1;
  }
  const problem = frameProblem(lines, receipt) ?? (tree.root() === receipt.root ? null : "its root is a different one");
  if (problem !== null) throw damaged(receipt, null, problem);
  return lines.slice(1, -1) as unknown as readonly SegmentRow[];
}

const NEWLINE = 0x0a;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

const ROW_TYPES: ReadonlySet<unknown> = new Set(["entry", "receipt", "plan", "artifact", "journal"]);

function frameProblem(
  lines: readonly Readonly<Record<string, unknown>>[],
  { tenant, threadId, lines: expected }: ArchiveReceipt,
): string | null {
  const [header] = lines;
  if (header?.["type"] !== "header" || header["format"] !== "threadfold-segment") return "it is not a segment";
  if (header["formatVersion"] !== SEGMENT_FORMAT_VERSION) return "its version is not known here";
  if (header["tenant"] !== tenant || header["threadId"] !== threadId) return "it belongs to another thread";
  if (lines.length !== expected || lines.at(-1)?.["type"] !== "end") return `it does not have ${expected} lines`;
  return lines.slice(1, -1).every(({ type }) => ROW_TYPES.has(type)) ? null : "it has a line of an unknown type";
}

function damaged({ threadId, place, key }: ArchiveReceipt, line: number | null, problem: string): ThreadfoldError {
  const where = line === null ? "" : ` at line ${line}`;
  return new ThreadfoldError("STORE_CORRUPT", `The segment of thread ${threadId} is damaged${where}: ${problem}.`, {
    hint: `Restore an intact copy of ${key} to ${place}. Nothing from the damaged one was used.`,
    details: { threadId, place, key, ...(line !== null && { line }) },
  });
}

/** Returns the end of the thread in a segment. */
export function endOfRows(rows: readonly SegmentRow[]): ThreadEnd {
  const entries = rowsOf(rows, "entry");
  const [last, plan, record] = [entries.at(-1), rowsOf(rows, "plan").at(-1), rowsOf(rows, "journal").at(-1)];
  return {
    version: last?.version ?? 0,
    digest: last?.link ?? THREAD_CHAIN_START,
    planVersion: plan?.version ?? 0,
    journalSize: record?.sequence ?? 0,
    journalHash: record?.hash ?? "",
    createdAt: entries[0]?.appendedAt ?? 0,
    appendedAt: last?.appendedAt ?? 0,
    committedAt: plan?.committedAt ?? null,
  };
}

/** Returns the thread that a journal row records as a copy of its thread; null for any other row. */
export function copyIn(row: SegmentRow): ThreadId | null {
  if (row.type !== "journal" || !row.record.includes('"type":"thread-copied"')) return null;
  return (JSON.parse(row.record) as ThreadCopiedRecord).to;
}

/** Presents the rows of a segment as if a store held them, for verification. */
export function segmentInspector({ threadId }: SegmentOwner, rows: readonly SegmentRow[]): StoreInspector {
  const entries = rowsOf(rows, "entry");
  const messages = entries.flatMap(({ messageId, messages: upTo, version }) =>
    messageId === null ? [] : [{ id: messageId as never, ordinal: upTo - 1, version }],
  );
  const hidden = new HiddenMessages();
  hidden.add(messages, { fromVersion: 1, toVersion: entries.length });
  return {
    threadIds: () => each([threadId]),
    entries: () => each(entries),
    plans: () => each(rowsOf(rows, "plan").map((row) => spelledOut(row, (run) => hidden.in(run)))),
    journal: () => each(rowsOf(rows, "journal")),
    artifacts: () => each(rowsOf(rows, "artifact")),
    damage: async () => [],
  };
}

/** Returns the rows of one kind, in order. */
export const rowsOf = <Type extends SegmentRow["type"]>(
  rows: readonly SegmentRow[],
  type: Type,
): readonly SegmentRowOf<Type>[] => rows.filter((row): row is SegmentRowOf<Type> => row.type === type);

async function* each<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield row;
}
