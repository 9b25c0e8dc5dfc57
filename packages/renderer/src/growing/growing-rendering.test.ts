import { AgentThread, asMessageId, asThreadId, emptyPlan, type MessageInput } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages/format.ts";
import { countThread } from "../laws/render-inputs.ts";
import { GrowingPayload } from "./growing-payload.ts";
import { GrowingRendering } from "./growing-rendering.ts";

const threadId = asThreadId("long");
const said = (index: number): MessageInput => ({
  id: asMessageId(`m${index}`),
  role: index % 2 === 0 ? "user" : "assistant",
  createdAt: "2026-01-01T00:00:00.000Z",
  parts: [{ type: "text", text: `Message ${index}.` }],
});
const inputOf = (thread: AgentThread) => ({
  thread,
  plan: emptyPlan(threadId, "test"),
  ledger: countThread(thread),
  system: [],
  tools: [],
});

describe("a rendering that follows its thread", () => {
  it("renders a window of more messages than a call can have arguments, and goes on from there", {
    timeout: 60_000,
  }, () => {
    const thread = AgentThread.empty(threadId).append(Array.from({ length: 200_001 }, (_, index) => said(index)));
    const first = inputOf(thread);
    const rendering = GrowingRendering.of(first, anthropicMessages);
    const grown = rendering.grow({ ...first, thread: thread.append([said(200_001), said(200_002)]) });
    expect(grown.rendering.request.messages).toHaveLength(200_003);
    const payload = GrowingPayload.of(rendering, anthropicMessages).grow(grown);
    expect((payload.payload["messages"] as readonly unknown[]).length).toBe(200_003);
    expect(payload.violations).toEqual([]);
  });
});
