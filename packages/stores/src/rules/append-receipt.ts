import { type AppendResult, digestOf, type ThreadEntryInput, ThreadfoldError, type ThreadId } from "@threadfold/core";

/** What an idempotency key stands for: what was asked, and what was answered. */
export interface AppendReceipt {
  /** SHA-256 of the canonical JSON of the entries that were handed in. */
  readonly requestDigest: string;
  readonly result: AppendResult;
}

/** Writes down an append that had a key. */
export function receiptFor(inputs: readonly ThreadEntryInput[], result: AppendResult): AppendReceipt {
  return { requestDigest: digestOf(inputs), result };
}

/**
 * The first result of an append that is tried again.
 *
 * @throws ThreadfoldError `IDEMPOTENCY_MISMATCH` when the key stood for other entries.
 */
export function answerRetry(
  threadId: ThreadId,
  receipt: AppendReceipt,
  inputs: readonly ThreadEntryInput[],
): AppendResult {
  if (receipt.requestDigest === digestOf(inputs)) return receipt.result;
  throw new ThreadfoldError(
    "IDEMPOTENCY_MISMATCH",
    `The idempotency key stands for an append of other entries to thread ${threadId}.`,
    {
      details: { threadId, version: receipt.result.version },
    },
  );
}
