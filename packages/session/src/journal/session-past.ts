import {
  type AuditJournal,
  type FoldAttemptedRecord,
  isCall,
  type JournalEntry,
  type JournalRecord,
  type LearnedOfModel,
  type ThreadId,
} from "@threadfold/core";
import { NO_USAGE, type OverflowFigures, type UsageReport, type UsageState } from "@threadfold/turn";

/** Entries to search for the newest request: only appends come between a request and its usage. */
const RECORDS_LOOKED_AT = 32;

/** What a provider reported about the newest request: its usage, or that it was too long. */
export type RequestEnd =
  | { readonly type: "usage-reported"; readonly report: UsageReport; readonly learned: LearnedOfModel }
  | { readonly type: "request-overflowed"; readonly report: OverflowFigures; readonly learned: LearnedOfModel };

/** Records what a provider reported about the newest request. Nothing is written when the journal has no request. */
export async function recordRequestEnd(
  journal: AuditJournal,
  threadId: ThreadId,
  end: RequestEnd,
  at: string,
  known: number,
): Promise<number> {
  const entries = await journalTail(journal, threadId, RECORDS_LOOKED_AT, known);
  const request = entries.findLast(({ record }) => isCall(record));
  if (request === undefined) return known;
  return (await journal.append(threadId, recordOfEnd(end, request.sequence), at)).sequence;
}

function recordOfEnd(end: RequestEnd, requestSequence: number): JournalRecord {
  const { learned } = end;
  if (end.type === "request-overflowed") {
    const { inputTokens, limitTokens } = end.report;
    return {
      type: end.type,
      requestSequence,
      ...(inputTokens !== undefined && { inputTokens }),
      ...(limitTokens !== undefined && { limitTokens }),
      learned,
    };
  }
  const { inputTokens, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = end.report;
  const usage = {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  };
  return { type: end.type, requestSequence, usage, learned };
}

/** Entries to read first. While a trigger fires, each call leaves a record, so what matters is mostly there. */
const LOOKED_AT = 64;
/** Entries to read when the first have no report: messages that came one by one, or calls whose usage nobody told. */
const LOOKED_BACK = 1_024;

/** What a reopened session takes from the journal: what was tried, sent and measured last. */
export interface SessionPast {
  readonly attempt: FoldAttemptedRecord | undefined;
  readonly usage: UsageState;
  /** What was last learned about a model; undefined when nothing was. */
  readonly learned: LearnedOfModel | undefined;
  /** When the newest request was rendered, in milliseconds since the epoch; null when there was none. */
  readonly requestedAt: number | null;
  /** The newest requests, oldest first. */
  readonly requests: readonly JournalEntry[];
}

export const NO_PAST: SessionPast = Object.freeze({
  attempt: undefined,
  usage: NO_USAGE,
  learned: undefined,
  requestedAt: null,
  requests: [],
});

/** Reads the end of a thread's journal. */
export async function readSessionPast(journal: AuditJournal, threadId: ThreadId): Promise<SessionPast> {
  const entries = await recentEntries(journal, threadId);
  const attempt = newest(entries, "fold-attempted");
  const request = entries.findLast(({ record }) => isCall(record));
  if (request?.record.type !== "request-rendered") return { ...NO_PAST, attempt: recordOf(attempt) };
  const { planVersion, tokens: counted } = request.record;
  const learned = learnedIn(entries);
  return {
    attempt: recordOf(attempt),
    usage: {
      ...NO_USAGE,
      ...(learned !== undefined && { estimate: learned.estimate }),
      sent: { planVersion, counted },
      measured: measuredIn(entries),
      overflow: overflowIn(entries),
    },
    learned,
    requestedAt: Date.parse(request.at),
    requests: entries.filter(({ record }) => isCall(record)).slice(-LOOKED_AT),
  };
}

/** Returns the end of a journal, from before the last report on if that is near enough. */
async function recentEntries(journal: AuditJournal, threadId: ThreadId): Promise<readonly JournalEntry[]> {
  const entries = await journalTail(journal, threadId, LOOKED_AT);
  const isAll = entries.length < LOOKED_AT;
  if (isAll || learnedIn(entries) !== undefined) return entries;
  return journalTail(journal, threadId, LOOKED_BACK, entries.at(-1)?.sequence);
}

function learnedIn(entries: readonly JournalEntry[]): LearnedOfModel | undefined {
  const record = entries.findLast(
    ({ record: { type } }) => type === "usage-reported" || type === "request-overflowed",
  )?.record;
  return record?.type === "usage-reported" || record?.type === "request-overflowed" ? record.learned : undefined;
}

/** Whether the newest request was refused and no fold has followed yet: then the next request must not be the same. */
function overflowIn(entries: readonly JournalEntry[]): UsageState["overflow"] {
  const last = entries.findLast(({ record: { type } }) => ENDS_OVERFLOW.has(type))?.record.type;
  return last === "request-overflowed" ? "pending" : "none";
}

const ENDS_OVERFLOW: ReadonlySet<JournalRecord["type"]> = new Set([
  "request-overflowed",
  "usage-reported",
  "plan-committed",
  "fold-attempted",
]);

const newest = (entries: readonly JournalEntry[], type: JournalEntry["record"]["type"]): JournalEntry | undefined =>
  entries.findLast(({ record }) => record.type === type);

function recordOf(entry: JournalEntry | undefined): FoldAttemptedRecord | undefined {
  return entry?.record.type === "fold-attempted" ? entry.record : undefined;
}

/** The newest reported usage, together with our count of the same request. */
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
    resent: 0,
  };
}

/**
 * Returns the newest entries of a journal, oldest first, without reading the rest: its end is found by doubling and
 * then bisecting, with a number of single-entry reads that is logarithmic in its length (P9).
 *
 * @param known sequence number of an entry that is known to exist; 0 when none is.
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
