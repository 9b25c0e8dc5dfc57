import {
  AgentThread,
  applySummaryChanges,
  asMessageId,
  asThreadId,
  asToolCallId,
  type JsonObject,
  type SummaryChange,
  spanOf,
} from "@threadfold/core";
import { expect, it } from "vitest";
import { keyFieldsPresent } from "./summary-checks.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const callId = asToolCallId("call");
const thread = AgentThread.empty(asThreadId("t")).append([
  { id: asMessageId("u"), role: "user", createdAt, parts: [{ type: "text", text: "Order it." }] },
  {
    id: asMessageId("a"),
    role: "assistant",
    createdAt,
    parts: [{ type: "tool-call", callId, toolName: "order", input: {} }],
  },
  {
    id: asMessageId("r"),
    role: "tool",
    createdAt,
    parts: [
      {
        type: "tool-result",
        result: {
          ...{ toolName: "order", callId, outcome: "success", content: { type: "text", text: "ok" } },
          keyFields: { order: { id: "ORD-1" }, ok: true },
        },
      },
    ],
  },
]);

async function problemOf(keyFields: JsonObject, previous: readonly SummaryChange[] = []): Promise<string | null> {
  const messages = [...thread.messages];
  const span = spanOf(messages);
  const before = previous.length === 0 ? null : applySummaryChanges(null, span, previous).summary;
  const changes: readonly SummaryChange[] = [outcome(keyFields, "r")];
  const { summary } = applySummaryChanges(null, span, changes);
  const request = { span, messages, previous: before, pins: [], maxTokens: 100, countTokens: () => 1 };
  return keyFieldsPresent.problem({ request, changes, summary }) as string | null;
}

const outcome = (keyFields: JsonObject, source: string, declared = false): SummaryChange => ({
  op: "add",
  section: "toolOutcomes",
  item: {
    ...{ toolName: "order", outcome: "success", keyFields, errorMessage: null, sources: [asMessageId(source)] },
    ...(declared && { declared: true }),
  },
});

it("keyFieldsPresent refuses a summary that lacks a declared key field of a result, in this span or an earlier one", async () => {
  expect(await problemOf({ order: { id: "ORD-1" }, ok: true, more: 1 })).toBeNull();
  expect(await problemOf({ order: { id: "ORD-2" }, ok: true })).toMatch(/1 of 1 results/);
  expect(await problemOf({ order: { id: "ORD-1" } })).toMatch(/1 of 1 results/);
  const before = [outcome({ customer: "C-7" }, "a", true)];
  expect(await problemOf({ order: { id: "ORD-1" }, ok: true }, before)).toMatch(/1 of 2 results/);
});
