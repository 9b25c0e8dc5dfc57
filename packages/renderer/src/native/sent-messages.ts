import {
  type AgentThread,
  type CompactionPlan,
  type Message,
  type MessageId,
  planRecords,
  removesMessages,
} from "@threadfold/core";

/** The messages of the main branch that a plan sends in their place, oldest first. */
export function sentMessages(thread: AgentThread, plan: CompactionPlan): readonly Message[] {
  const removed = new Set(
    planRecords(plan).flatMap((record): readonly MessageId[] =>
      removesMessages(record) ? record.span.messageIds : [],
    ),
  );
  return [...thread.messages].filter(({ id, branch }) => branch === undefined && !removed.has(id));
}
