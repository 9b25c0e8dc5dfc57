import type { JournalEntry, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { summaryRoleSchema } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { journalTail } from "../journal/journal-tail.ts";
import { parseFrame } from "../request/request-frame.ts";
import type { SessionOptions } from "../session-options.ts";

/** Entries that are looked at: between two requests stand an append, a usage report and at most a few folds. */
const LOOKED_AT = 64;

/** What a request is made of beside thread, plan and policy. */
export type RecordedScene = Pick<SessionOptions, "format" | "model" | "summaryRole" | "frame">;

/**
 * What the newest request of a thread was made of, as the journal recorded it: a worker measures and folds for the same
 * provider, model, system text and tools as the agent, without being told. Empty for a thread without a recorded request.
 *
 * @throws ThreadfoldError `STORE_CORRUPT`, or what the store throws.
 */
export async function recordedScene(store: ThreadfoldStore, threadId: ThreadId): Promise<RecordedScene> {
  const record = newestRequest(await journalTail(store.journal, threadId, LOOKED_AT));
  if (record === undefined) return {};
  const { format, frame, options } = record;
  const kept = await store.artifacts.retrieve(frame);
  const { summaryRole, model } = options;
  return {
    format: formatById(format),
    summaryRole: summaryRoleSchema.parse(summaryRole),
    ...(typeof model === "string" && { model }),
    ...(kept !== null && { frame: parseFrame(kept.content) }),
  };
}

function newestRequest(entries: readonly JournalEntry[]) {
  const record = entries.findLast((entry) => entry.record.type === "request-rendered")?.record;
  return record?.type === "request-rendered" ? record : undefined;
}
