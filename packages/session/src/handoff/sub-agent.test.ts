import { asThreadId, type MessageInput } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { anthropicMessages } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { assistantMessage } from "../host/messages.ts";
import type { PreparedRequest } from "../host/prepared-request.ts";
import type { ContextSession } from "../loop/context-session.ts";
import { callOf, openSession, resultOf, work } from "../testing/agent-work.ts";

const RULE = "Never touch package-lock.json.";
const frame = { system: ["You are an agent."], tools: [{ name: "bash", inputSchema: { type: "object" } }] };
const child = asThreadId("child");

/** A session that was folded, and whose newest answer asks for a sub-agent. */
async function parentSession(host: { readonly maxInputTokens?: number } = {}) {
  const config = { maxInputTokens: 8_000, costModelEnabled: false, ...host };
  const session = await openSession({ store: createMemoryStore(), format: anthropicMessages, config });
  await session.append([message("u0", "user", `Build it, all of it. ${RULE}`), ...work(0, 20, 400)]);
  const newest = await session.prepare({ frame });
  await session.append([callOf(20)]);
  return { parent: session, newest };
}

const messagesOf = ({ payload }: PreparedRequest) => payload["messages"] as unknown as readonly unknown[];

const answer = async (session: ContextSession, ...messages: readonly MessageInput[]) => {
  for (const said of messages) await session.complete({ messages: [said] });
};

describe("a sub-agent that shares the prefix", () => {
  it("sends its parent's bytes first: system text, tools, and every message of the newest request", async () => {
    const { parent, newest } = await parentSession();
    expect(parent.plan.version).toBeGreaterThan(0);
    const sent = JSON.stringify(newest.payload);
    const { session } = await parent.fork({ mode: "shared-prefix", threadId: child, goal: "Review step 3." });
    const request = await session.prepare();
    expect(request.violations).toEqual([]);
    expect(sent.length).toBeGreaterThan(8_000);
    expect(JSON.stringify(request.payload).startsWith(sent.slice(0, -"]}".length))).toBe(true);
    const [answers] = messagesOf(request).slice(-1);
    expect(answers).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_20" },
        { type: "text", text: "Review step 3." },
      ],
    });
    // The parent goes on as if nothing had happened.
    await parent.append([resultOf(20, 10)]);
    expect((await parent.prepare()).violations).toEqual([]);
    expect(parent.thread.length).toBe(43);
  });
});

describe("a sub-agent with a budget of its own", () => {
  it("begins with the thread folded for its goal, keeps the rules and never exceeds its budget", async () => {
    const { parent } = await parentSession({ maxInputTokens: 100_000 });
    expect(parent.plan.version).toBe(0);
    const { session } = await parent.fork({ mode: "scoped", threadId: child, goal: "Review step 3.", budget: 4_000 });
    expect(session.plan.version).toBe(1);
    for (let step = 30; step < 50; step++) {
      const request = await session.prepare();
      expect(request.tokens).toBeLessThanOrEqual(4_000);
      expect(request.violations).toEqual([]);
      expect(request.payloadText).toContain(RULE);
      if (step === 30) expect(request.payloadText).toContain("Review step 3.");
      await session.append([callOf(step), resultOf(step, 400)]);
    }
    expect(parent.plan.version).toBe(0);
    const small = await parent.fork({ mode: "scoped", threadId: asThreadId("small"), goal: "Wait.", budget: 90_000 });
    expect(small.session.plan.version).toBe(0);
  });

  it("returns its work as one artifact that the parent can read, with a text of bounded size", async () => {
    const { parent } = await parentSession();
    const agent = await parent.fork({ mode: "scoped", threadId: child, goal: "Review step 3.", budget: 4_000 });
    expect((await agent.result()).text).toContain("said nothing");
    await agent.session.append([callOf(40), resultOf(40, 50)]);
    await answer(agent.session, assistantMessage(`Step 3 is fine.\n${"It reads well.\n".repeat(900)}The end.`));
    const { artifactId, text, tokens } = await agent.result({ maxTokens: 200 });
    expect(tokens).toBeLessThanOrEqual(200);
    expect(text).toMatch(/^Step 3 is fine\.\n/);
    expect(text).toContain(artifactId);
    await agent.session.close();
    const [reader] = parent.tools();
    const read = await reader.execute({ artifact_id: artifactId });
    expect(read.text).toContain("make step-40");
    expect(read.text).toContain("Review step 3.");
    await parent.append([resultOf(20, 10)]);
    expect((await parent.prepare()).violations).toEqual([]);
    expect(await parent.store.artifacts.list(parent.threadId)).toContain(artifactId);
  });

  it.each([
    [{ mode: "scoped", threadId: child, goal: " ", budget: 10 }, "goal"],
    [{ mode: "scoped", threadId: child, goal: "Go.", budget: 0 }, "budget"],
    [{ mode: "loose", threadId: child, goal: "Go." }, "mode"],
    [{ mode: "shared-prefix", threadId: "", goal: "Go." }, "threadId"],
  ])("is refused with %o, and no thread is created", async (options, name) => {
    const { parent } = await parentSession();
    await expect(parent.fork(options as never)).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
    expect(await parent.store.threads.load(child)).toBeNull();
  });
});
