import type { AuditJournal, FoldAttemptedRecord, JournalEntry, ThreadId } from "@threadfold/core";
import { NO_USAGE, type UsageReport, type UsageState } from "@threadfold/turn";

/** Entries among which the newest request stands: nothing but appends comes between a request and its usage. */
const RECORDS_LOOKED_AT = 32;

/** Writes down what a provider reported of the newest request. Nothing is written when the journal holds no request. */
export async function recordUsage(
  journal: AuditJournal,
  threadId: ThreadId,
  report: UsageReport,
  at: string,
  known: number,
): Promise<number> {
  const entries = await journalTail(journal, threadId, RECORDS_LOOKED_AT, known);
  const request = entries.findLast(({ record }) => record.type === "request-rendered");
  if (request === undefined) return known;
  const { inputTokens, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = report;
  const usage = {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
  const entry = await journal.append(
    threadId,
    { type: "usage-reported", requestSequence: request.sequence, usage },
    at,
  );
  return entry.sequence;
}

/** Entries that are looked at. While a trigger fires, each call leaves a record, so what matters is never far back. */
const LOOKED_AT = 64;

/** What a session that is opened again takes from the journal: what was tried, sent and measured last. */
export interface SessionPast {
  readonly attempt: FoldAttemptedRecord | undefined;
  readonly usage: UsageState;
  /** When the newest request was rendered, in milliseconds since the epoch; null when there was none. */
  readonly requestedAt: number | null;
  /** The newest requests, oldest first. */
  readonly requests: readonly JournalEntry[];
}

export const NO_PAST: SessionPast = Object.freeze({
  attempt: undefined,
  usage: NO_USAGE,
  requestedAt: null,
  requests: [],
});

/** Reads the end of a thread's journal. */
export async function readSessionPast(journal: AuditJournal, threadId: ThreadId): Promise<SessionPast> {
  const entries = await journalTail(journal, threadId, LOOKED_AT);
  const attempt = newest(entries, "fold-attempted");
  const request = newest(entries, "request-rendered");
  if (request?.record.type !== "request-rendered") return { ...NO_PAST, attempt: recordOf(attempt) };
  const { planVersion, tokens } = request.record;
  return {
    attempt: recordOf(attempt),
    usage: { ...NO_USAGE, sent: { planVersion, tokens }, measured: measuredIn(entries) },
    requestedAt: Date.parse(request.at),
    requests: entries.filter(({ record }) => record.type === "request-rendered"),
  };
}

const newest = (entries: readonly JournalEntry[], type: JournalEntry["record"]["type"]): JournalEntry | undefined =>
  entries.findLast(({ record }) => record.type === type);

function recordOf(entry: JournalEntry | undefined): FoldAttemptedRecord | undefined {
  return entry?.record.type === "fold-attempted" ? entry.record : undefined;
}

/** The newest reported usage together with what was counted of the same request. */
function measuredIn(entries: readonly JournalEntry[]): UsageState["measured"] {
  const reported = newest(entries, "usage-reported")?.record;
  if (reported?.type !== "usage-reported") return null;
  const request = entries.find(({ sequence }) => sequence === reported.requestSequence)?.record;
  if (request?.type !== "request-rendered") return null;
  return {
    planVersion: request.planVersion,
    inputTokens: reported.usage.inputTokens,
    counted: request.tokens,
    unshown: 0,
  };
}

/**
 * The newest entries of a journal, oldest first, without reading the rest: its end is found by doubling and halving, in
 * a number of single reads that grows with the logarithm of its length (P9).
 *
 * @param known the number of an entry that is known to be there; 0 when none is.
 */
export async function journalTail(
  journal: AuditJournal,
  threadId: ThreadId,
  count: number,
  known = 0,
): Promise<readonly JournalEntry[]> {
  const exists = async (sequence: number): Promise<boolean> =>
    (await journal.read(threadId, { after: sequence - 1, limit: 1 })).length > 0;
  let there = known;
  let stride = count;
  while (await exists(there + stride)) {
    there += stride;
    stride *= 2;
  }
  let gone = there + stride;
  while (gone - there > count) {
    const middle = Math.floor((there + gone) / 2);
    if (await exists(middle)) there = middle;
    else gone = middle;
  }
  const entries = await journal.read(threadId, { after: Math.max(0, there - count), limit: 2 * count });
  return entries.slice(-count);
}
