import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  type CompactionPlan,
  type DropRecord,
  emptyPlan,
  groupRecords,
  type MessageInput,
  type PlanRecord,
  sealPlan,
  spanOf,
} from "@threadfold/core";
import { TOKENIZER } from "./folded-thread.ts";

export const countTokens = (text: string): number => TOKENIZER.countTokens(text);
const createdAt = "2025-01-01T00:00:00.000Z";

export const say = (id: string, role: "user" | "assistant", text: string, branch?: string): MessageInput => ({
  id: asMessageId(id),
  role,
  parts: [{ type: "text", text }],
  createdAt,
  ...(branch !== undefined && { branch }),
});

/** A call and its result. */
export const exchange = (id: string, toolName: string, input: string, result: string): readonly MessageInput[] => {
  const callId = asToolCallId(`call-${id}`);
  return [
    {
      id: asMessageId(id),
      role: "assistant",
      parts: [{ type: "tool-call", callId, toolName, input: { path: input } }],
      createdAt,
    },
    {
      id: asMessageId(`${id}-result`),
      role: "tool",
      parts: [
        {
          type: "tool-result",
          result: { toolName, callId, outcome: "success", content: { type: "text", text: result } },
        },
      ],
      createdAt,
    },
  ];
};

export const threadOf = (...messages: readonly MessageInput[]): AgentThread =>
  AgentThread.empty(asThreadId("recalled")).append(messages);

export const nothingFolded = (thread: AgentThread): CompactionPlan => emptyPlan(thread.id, "test");

/** A plan that drops messages by their ids. */
export function dropping(thread: AgentThread, ...ids: readonly string[]): CompactionPlan {
  const messages = [...thread.messages].filter(({ id }) => ids.includes(id));
  return planOf(thread, [{ ...dropBase(thread), span: spanOf(messages) }]);
}

/** A plan of any records. */
export function planOf(thread: AgentThread, records: readonly PlanRecord[]): CompactionPlan {
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
