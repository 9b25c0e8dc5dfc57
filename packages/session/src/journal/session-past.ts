import type { AuditJournal, FoldAttemptedRecord, JournalEntry, ThreadId } from "@threadfold/core";
import { NO_USAGE, type UsageState } from "../answer/usage-state.ts";
import { journalTail } from "./journal-tail.ts";

/** Entries that are looked at. While a trigger fires, each call leaves a record, so what matters is never far back. */
const LOOKED_AT = 64;

/** What a session that is opened again takes from the journal: what was tried, sent and measured last. */
export interface SessionPast {
  readonly attempt: FoldAttemptedRecord | undefined;
  readonly usage: UsageState;
  /** When the newest request was rendered, in milliseconds since the epoch; null when there was none. */
  readonly requestedAt: number | null;
}

export const NO_PAST: SessionPast = Object.freeze({ attempt: undefined, usage: NO_USAGE, requestedAt: null });

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
  };
}

const newest = (entries: readonly JournalEntry[], type: JournalEntry["record"]["type"]): JournalEntry | undefined =>
  entries.findLast(({ record }) => record.type === type);

function recordOf(entry: JournalEntry | undefined): FoldAttemptedRecord | undefined {
  return entry?.record.type === "fold-attempted" ? entry.record : undefined;
}

/** The newest reported usage beside what was counted of the same request. */
function measuredIn(entries: readonly JournalEntry[]): UsageState["measured"] {
  const reported = newest(entries, "usage-reported")?.record;
  if (reported?.type !== "usage-reported") return null;
  const request = entries.find(({ sequence }) => sequence === reported.requestSequence)?.record;
  if (request?.type !== "request-rendered") return null;
  return {
    planVersion: request.planVersion,
    inputTokens: reported.usage.inputTokens,
    counted: request.tokens,
  };
}
