import { asMessageId, asThreadId, asToolCallId, type MessageInput, type Part } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { externalizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
const message = (id: string, role: MessageInput["role"], ...parts: readonly Part[]): MessageInput => ({
  id: asMessageId(id),
  role,
  createdAt,
  parts,
});
const text = (value: string): Part => ({ type: "text", text: value });
const call = (id: string, input: Record<string, string>): Part => ({
  type: "tool-call",
  callId: asToolCallId(id),
  toolName: "fetch",
  input,
});
const result = (id: string, body: string): Part => ({
  type: "tool-result",
  result: { toolName: "fetch", callId: asToolCallId(id), outcome: "success", content: { type: "text", text: body } },
});
const fetched = (id: string): readonly MessageInput[] => [
  message(id, "assistant", call(`c-${id}`, { url: `https://${id}.example` })),
  message(`${id}-result`, "tool", result(`c-${id}`, `The price of ${id} is 4217.\n${"More about it. ".repeat(700)}`)),
];

/** A session with one artifact, and its id. */
async function withArtifact() {
  const session = await ContextSession.open({
    threadId: asThreadId("reference"),
    store: createMemoryStore(),
    preset: { ...threadfoldPreset, ladder: [externalizeStrategy] },
    config: { maxInputTokens: 9_000, preserveRecentTurns: 0 },
    clock: pinnedClock(0),
  });
  await session.append([
    message("u1", "user", text("Compare the prices.")),
    ...["apples", "pears", "plums"].flatMap(fetched),
  ]);
  expect((await session.compact({ force: true })).type).toBe("committed");
  return { session, artifactId: session.plan.externalizations[0]?.artifactId ?? "none" };
}

describe("what the agent refers to when the user has spoken since (seed 002)", () => {
  it("a reference in its newest text comes back with the next request", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([
      message("a", "assistant", text(`To answer I need ${artifactId} again.`)),
      message("u2", "user", text("Then take it.")),
    ]);
    const prepared = await session.prepare();
    expect(prepared.rehydrated).toEqual([artifactId]);
    expect(prepared.payloadText).toContain("The price of apples is 4217.");
    expect(prepared.violations).toEqual([]);
    expect([...session.thread.messages].map(({ id }) => id)).toHaveLength(9);
  });

  it("so does one in the arguments of its newest call", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([
      message("a", "assistant", call("c-x", { attachment: artifactId })),
      message("a-result", "tool", result("c-x", "no such tool")),
      message("u2", "user", text("Go on.")),
    ]);
    expect((await session.prepare()).rehydrated).toEqual([artifactId]);
  });

  it("one that was answered to rests, and what the agent said before its newest message does not count", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([
      message("a", "assistant", text(`I need ${artifactId}.`)),
      message("u2", "user", text("Take it.")),
    ]);
    expect((await session.prepare()).rehydrated).toEqual([artifactId]);
    await session.append([
      message("b", "assistant", text(`I read ${artifactId}.`)),
      message("u4", "user", text("Thanks.")),
    ]);
    expect((await session.prepare()).rehydrated).toEqual([]);
  });

  it("without any answer of the agent nothing comes back", async () => {
    const session = await ContextSession.open({ threadId: asThreadId("silent"), clock: pinnedClock(0) });
    await session.append([message("u", "user", text("Hello."))]);
    expect((await session.prepare()).rehydrated).toEqual([]);
  });
});
