import {
  type AgentThread,
  type CompactionPlan,
  type DropRecord,
  emptyPlan,
  groupRecords,
  type MessageInput,
  type PlanRecord,
  sealPlan,
  spanOf,
} from "@threadfold/core";
import { assistant, call, result, tool } from "@threadfold/core/laws";

export { countTokens } from "./folded-thread.ts";

const createdAt = "2025-01-01T00:00:00.000Z";

/** A call and its result. */
export const exchange = (id: string, toolName: string, path: string, body: string): readonly MessageInput[] => [
  assistant(id, call(`call-${id}`, toolName, { path })),
  tool(`${id}-result`, result(`call-${id}`, body, { toolName })),
];

export const nothingFolded = (thread: AgentThread): CompactionPlan => emptyPlan(thread.id, "test");

/** A plan that drops messages by their ids. */
export function dropping(thread: AgentThread, ...ids: readonly string[]): CompactionPlan {
  const messages = [...thread.messages].filter(({ id }) => ids.includes(id));
  return planOf(thread, [{ ...dropBase(thread), span: spanOf(messages) }]);
}

/** A plan of any records. */
function planOf(thread: AgentThread, records: readonly PlanRecord[]): CompactionPlan {
  return sealPlan({
    ...groupRecords(records),
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "test",
    createdAt,
    originalTokens: 0,
    compactedTokens: 0,
  });
}

const dropBase = (_thread: AgentThread): Omit<DropRecord, "span"> => ({
  action: "drop",
  strategy: "drop",
  reason: "oldest",
  sincePlanVersion: 1,
  originalTokens: 10,
  keywords: ["oldest"],
});
