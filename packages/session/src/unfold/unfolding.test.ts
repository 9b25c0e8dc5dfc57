import { asThreadId, type MessageInput } from "@threadfold/core";
import { assistant, call, pinnedClock, result, tool, user } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { externalizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const fetched = (id: string): readonly MessageInput[] => [
  assistant(id, call(`c-${id}`, "fetch", { url: `https://${id}.example` })),
  tool(
    `${id}-result`,
    result(`c-${id}`, `The price of ${id} is 4217.\n${"More about it. ".repeat(700)}`, { toolName: "fetch" }),
  ),
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
  await session.append([user("u1", "Compare the prices."), ...["apples", "pears", "plums"].flatMap(fetched)]);
  expect((await session.compact({ force: true })).type).toBe("committed");
  return { session, artifactId: session.plan.externalizations[0]?.artifactId ?? "none" };
}

describe("an artifact that the agent referred to before the user spoke (seed 002)", () => {
  it("spec-148 comes back with the next request when its id is in the agent's newest text", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([assistant("a", `To answer I need ${artifactId} again.`), user("u2", "Then take it.")]);
    const prepared = await session.prepare();
    expect(prepared.rehydrated).toEqual([artifactId]);
    expect(prepared.payloadText).toContain("The price of apples is 4217.");
    expect(prepared.violations).toEqual([]);
    expect([...session.thread.messages].map(({ id }) => id)).toHaveLength(9);
  });

  it("comes back when its id is in the arguments of the agent's newest call", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([
      assistant("a", call("c-x", "fetch", { attachment: artifactId })),
      tool("a-result", result("c-x", "no such tool", { toolName: "fetch" })),
      user("u2", "Go on."),
    ]);
    expect((await session.prepare()).rehydrated).toEqual([artifactId]);
  });

  it("rests once the agent has answered to it, and is not brought back for an older reference", async () => {
    const { session, artifactId } = await withArtifact();
    await session.append([assistant("a", `I need ${artifactId}.`), user("u2", "Take it.")]);
    expect((await session.prepare()).rehydrated).toEqual([artifactId]);
    await session.append([assistant("b", `I read ${artifactId}.`), user("u4", "Thanks.")]);
    expect((await session.prepare()).rehydrated).toEqual([]);
  });

  it("is not brought back when the agent has said nothing", async () => {
    const session = await ContextSession.open({ threadId: asThreadId("silent"), clock: pinnedClock(0) });
    await session.append([user("u", "Hello.")]);
    expect((await session.prepare()).rehydrated).toEqual([]);
  });
});
