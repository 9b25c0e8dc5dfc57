import type { AuditJournal, ThreadId } from "@threadfold/core";
import { journalTail } from "../journal/journal-tail.ts";
import type { UsageReport } from "./usage-state.ts";

/** Entries among which the newest request stands: nothing but appends comes between a request and its usage. */
const LOOKED_AT = 32;

/** Writes down what a provider reported of the newest request. Nothing is written when the journal holds no request. */
export async function recordUsage(
  journal: AuditJournal,
  threadId: ThreadId,
  report: UsageReport,
  at: string,
  known: number,
): Promise<number> {
  const entries = await journalTail(journal, threadId, LOOKED_AT, known);
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
