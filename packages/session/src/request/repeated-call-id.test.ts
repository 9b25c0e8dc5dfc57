import { asMessageId, asToolCallId, type MessageInput, toolResultText } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { FORMATS } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { openSession } from "../testing/agent-work.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const calling = (id: string, ...callIds: readonly string[]): MessageInput => ({
  id: asMessageId(id),
  role: "assistant",
  parts: callIds.map((callId, index) => ({
    type: "tool-call",
    callId: asToolCallId(callId),
    toolName: "read",
    input: { index },
  })),
  createdAt,
});
const answer = (id: string, callId: string, text: string): MessageInput => ({
  id: asMessageId(id),
  role: "tool",
  parts: [
    {
      type: "tool-result",
      result: { toolName: "read", callId: asToolCallId(callId), outcome: "success", content: { type: "text", text } },
    },
  ],
  createdAt,
});

/** A local server gave two calls of one batch the same id; later a result is late, and another answers nothing. */
const messages: readonly MessageInput[] = [
  message("u0", "user", "Read both."),
  calling("a0", "call_0", "call_0"),
  answer("t0", "call_0", "the first file"),
  answer("t1", "call_0", "the second file"),
  message("u1", "user", "Go on."),
  calling("a1", "call_1"),
  message("u2", "user", "Wait."),
  answer("t2", "call_1", "late"),
  answer("t3", "call_9", "of nobody"),
  message("u3", "user", "And?"),
];

const bodies = ({ request }: PreparedRequest): readonly string[] =>
  request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [toolResultText(part.result.content)] : [])),
  );

describe("two calls of one batch with the same id", () => {
  it.each(FORMATS)("P2 make the same request live, reopened and replayed: $id", async (format) => {
    const store = createMemoryStore();
    const live = await openSession({ store, format });
    const fresh = createMemoryStore();
    for (const [index, message] of messages.entries()) {
      await live.append([message]);
      await (await openSession({ store: fresh, format })).append([message]);
      const told = await live.prepare();
      const reopened = await (await openSession({ store: fresh, format })).prepare();
      expect(reopened.digest).toBe(told.digest);
      expect(told.violations).toEqual([]);
      if (index >= 3) expect(bodies(told).slice(0, 2)).toEqual(["the first file", "the second file"]);
    }
    expect((await live.replay()).map(({ equal }) => equal)).toEqual(messages.map(() => true));
  });
});
