import {
  type AgentThread,
  applySummaryChanges,
  groupRecords,
  type Message,
  type MessageId,
  normalizePlan,
  type PlanRecord,
  type PlanRecords,
  renderSummary,
  spanOf,
  ThreadfoldError,
  type ThreadShape,
  visibleText,
} from "@threadfold/core";

/** A compaction that another tool made and logged, as read by an importer. */
export interface LoggedCompaction {
  /** The message that contains the summary. */
  readonly messageId: MessageId;
  /** The first earlier message that the tool still sent after the summary; absent when there was none. */
  readonly firstKeptMessageId?: MessageId;
}

/** What making the records of a logged compaction depends on. */
interface LoggedGrounds {
  readonly thread: AgentThread;
  readonly shape: ThreadShape;
  readonly planVersion: number;
  readonly countTokens: (text: string) => number;
}

/** Tokens that rendering adds around a summary. */
const FRAME_TOKENS = 20;

/**
 * Returns records with which a plan shows what the tool itself showed after its newest compaction on the main branch:
 * the summary, the messages that it kept, and what came after it (like pi's session loader). Null when there is no
 * compaction, or it hides nothing.
 *
 * @throws ThreadfoldError `MESSAGE_NOT_FOUND` when the thread does not have the summary's message or the first kept
 * one.
 */
export function loggedRecords(
  compactions: readonly LoggedCompaction[],
  { thread, shape, planVersion, countTokens }: LoggedGrounds,
): PlanRecords | null {
  const onMain = compactions
    .map((compaction) => ({ compaction, summary: found(thread, compaction.messageId) }))
    .filter(({ summary }) => summary.branch === undefined);
  const newest = onMain.at(-1);
  if (newest === undefined) return null;
  const { compaction, summary } = newest;
  const { firstKeptMessageId } = compaction;
  const from = firstKeptMessageId === undefined ? summary.ordinal : found(thread, firstKeptMessageId).ordinal;
  const shown = (message: Message): boolean => message.branch === undefined && message.role !== "system";
  const folded = [...thread.messagesBetween(0, Math.min(from, summary.ordinal))].filter(shown);
  // It hid nothing: the summary stays where it was written.
  if (folded.length === 0) return null;
  const span = spanOf(folded);
  const sources = [...new Set([span.messageIds[0], span.messageIds.at(-1)])].filter((id) => id !== undefined);
  const narrative = { text: visibleText(summary), sources };
  const made = {
    ...applySummaryChanges(null, span, [{ op: "set-narrative", narrative }]).summary,
    round: onMain.length,
  };
  const base = (messages: readonly Message[]) => ({
    span: spanOf(messages),
    strategy: "logged-compaction",
    reason: "The tool that wrote the log compacted it here.",
    sincePlanVersion: planVersion,
    originalTokens: messages.reduce((sum, { ordinal }) => sum + shape.header(ordinal).tokens, 0),
  });
  const records: readonly PlanRecord[] = [
    {
      ...base(folded),
      action: "summarize",
      summary: made,
      summaryTokens: countTokens(renderSummary(made)) + FRAME_TOKENS,
      summarizer: "logged@1",
      resolved: [],
    },
    // The summary is shown at the beginning, so its own message is dropped to avoid showing it twice.
    { ...base([summary]), action: "drop", keywords: [] },
  ];
  return normalizePlan(groupRecords(records), shape).records;
}

function found(thread: AgentThread, id: MessageId): Message {
  const message = thread.message(id);
  if (message !== undefined) return message;
  throw new ThreadfoldError("MESSAGE_NOT_FOUND", `Thread ${thread.id} has no message ${id}.`, {
    hint: "Append the messages of the imported session first, then apply its compactions.",
  });
}
