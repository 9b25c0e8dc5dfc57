import type { AgentInputItem } from "@openai/agents";
import { asThreadId } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { ThreadSession } from "./thread-session.ts";

const user = (content: string): AgentInputItem => ({ role: "user", content });
const call: AgentInputItem = {
  type: "function_call",
  id: "fc_1",
  callId: "c1",
  name: "read",
  arguments: '{"path":"a"}',
  status: "completed",
  providerData: { some: "field" },
};
const shell: AgentInputItem = { type: "shell_call", callId: "s1", action: { commands: ["ls"] }, status: "completed" };
const result: AgentInputItem = {
  type: "function_call_result",
  callId: "c1",
  name: "read",
  status: "completed",
  output: { type: "text", text: "text of a" },
};

function sessionIn(store = createMemoryStore()) {
  const open = () => new ThreadSession({ threadId: asThreadId("t"), threads: store.threads, clock: pinnedClock(0) });
  return { store, session: open(), open };
}

describe("ThreadSession", () => {
  it("returns items unchanged, in this process and the next", async () => {
    const { session, open } = sessionIn();
    const items = [user("go"), call, result, shell];
    await session.addItems(items);
    await session.addItems([call]);
    expect(await session.getItems()).toEqual([...items, call]);
    expect(await open().getItems()).toEqual([...items, call]);
    expect(await open().getItems(2)).toEqual([shell, call]);
    expect([await session.getItems(0), await session.getSessionId()]).toEqual([[], "t"]);
  });

  it("hides popped and cleared items without losing them", async () => {
    const { store, session, open } = sessionIn();
    await session.addItems([user("one"), user("two"), user("three")]);
    expect(await session.popItem()).toEqual(user("three"));
    await session.addItems([user("four")]);
    expect(await open().getItems()).toEqual([user("one"), user("two"), user("four")]);
    await session.clearSession();
    expect([await session.getItems(), await session.popItem()]).toEqual([[], undefined]);
    await session.addItems([user("five")]);
    expect(await open().getItems()).toEqual([user("five")]);
    const thread = await store.threads.load(asThreadId("t"));
    const log = [...(thread?.messages ?? [])];
    expect(log.filter(({ branch }) => branch === undefined).map(({ parts }) => parts)).toEqual(
      ["one", "two", "three", "four", "five"].map((text) => [{ type: "text", text }]),
    );
    expect(log.filter(({ branch }) => branch !== undefined)).toHaveLength(2);
  });

  it("stores calls and results as such in the thread", async () => {
    const { store, session } = sessionIn();
    await session.addItems([user("go"), call, result]);
    const thread = await store.threads.load(asThreadId("t"));
    expect([...(thread?.messages ?? [])].map(({ role, parts }) => [role, parts[0]?.type])).toEqual([
      ["user", "text"],
      ["assistant", "tool-call"],
      ["tool", "tool-result"],
    ]);
  });

  it("includes items that another process appended before or in between", async () => {
    const { session, open } = sessionIn();
    const other = open();
    await session.addItems([user("one")]);
    await other.addItems([user("two")]);
    await session.addItems([user("three")]);
    expect(await other.getItems()).toEqual([user("one"), user("two"), user("three")]);
    expect(await Promise.all([session.popItem(), session.popItem()])).toEqual([user("three"), user("two")]);
  });

  it("returns copies, so that changing them does not change the log", async () => {
    const { session } = sessionIn();
    await session.addItems([user("one")]);
    const [item] = await session.getItems();
    Object.assign(item as object, { content: "changed" });
    expect(await session.getItems()).toEqual([user("one")]);
  });
});
