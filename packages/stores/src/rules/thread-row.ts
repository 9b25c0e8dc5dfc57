import { ThreadfoldError, type ThreadId, type ThreadInfo } from "@threadfold/core";
import type { AppendReceipt } from "./append-receipt.ts";

/** A receipt as tables keep it. */
export interface ReceiptRow {
  readonly request_digest: string;
  readonly version: number;
  readonly appended: number;
}

/** What a list of threads is made of. Times are milliseconds since the epoch; those of plans are null without one. */
export interface ThreadRow {
  readonly thread_key: number;
  readonly thread_id: string;
  readonly version: number;
  readonly appended_at: number;
  readonly created_at: number;
  readonly plan_version: number | null;
  readonly committed_at: number | null;
}

/** The receipt from its row. */
export function receiptOf({ request_digest: requestDigest, version, appended }: ReceiptRow): AppendReceipt {
  return { requestDigest, result: Object.freeze({ version, appended }) };
}

/** A thread's line in a list. @throws ThreadfoldError `STORE_CORRUPT` when its times are none. */
export function threadInfoOf(row: ThreadRow): ThreadInfo {
  return Object.freeze({
    threadId: row.thread_id as ThreadId,
    version: row.version,
    planVersion: row.plan_version ?? 0,
    createdAt: timeOf(row, row.created_at),
    updatedAt: timeOf(row, Math.max(row.appended_at, row.committed_at ?? 0)),
  });
}

/** The farthest that a date may be from the epoch, in milliseconds. */
const FARTHEST_DATE_MS = 8.64e15;

function timeOf({ thread_id: threadId }: ThreadRow, ms: number): string {
  if (Math.abs(ms) <= FARTHEST_DATE_MS) return new Date(ms).toISOString();
  throw new ThreadfoldError("STORE_CORRUPT", `A time of thread ${threadId} is none: ${ms} ms.`, {
    details: { threadId },
  });
}
