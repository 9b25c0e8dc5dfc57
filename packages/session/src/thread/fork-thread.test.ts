import { asMessageId, asThreadId, type MessageInput } from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { forkThread } from "./fork-thread.ts";

const source = asThreadId("source");
const fork = asThreadId("fork");
const say = (number: number): MessageInput =>
  message(`m${number}`, number % 2 === 0 ? "user" : "assistant", `message ${number} ${"word ".repeat(200)}`);
const store = createMemoryStore();
const open = (threadId = source) =>
  ContextSession.open({ threadId, store, config: { maxInputTokens: 3_000 }, clock: pinnedClock(0) });

describe("a fork (seed 001)", () => {
  it("L8 L9 a fork after a fold shows the same prompt, one before it every message, and the source is unchanged", async () => {
    const session = await open();
    await session.append(Array.from({ length: 19 }, (_, number) => say(number)));
    const atFold = session.thread.version;
    const before = await session.prepare();
    expect(before.plan.version).toBe(1);
    await session.append([say(19), say(20)]);

    const after = await forkThread(store, source, { threadId: fork, atVersion: atFold });
    expect(after.plan).toMatchObject({ threadId: fork, version: 1 });
    const forked = await open(fork);
    expect((await forked.render()).payloadText).toBe(before.payloadText);

    const undone = await forkThread(store, source, { threadId: asThreadId("undone"), atVersion: 5 });
    expect(undone.plan).toBeNull();
    expect((await (await open(asThreadId("undone"))).render()).request.messages).toHaveLength(5);

    await forked.append([{ ...say(19), parts: [{ type: "text", text: "another way" }] }]);
    expect((await open()).thread.message(asMessageId("m19"))).toEqual(session.thread.message(asMessageId("m19")));
    expect((await open()).thread.length).toBe(21);
  });

  it("inherits the thread's title, except for a sub-agent", async () => {
    const parent = await open(asThreadId("titled"));
    await parent.append([say(0)]);
    await parent.setTitle("An earlier name");
    await parent.setTitle("The build");
    const titleOf = async (threadId: string) => (await open(asThreadId(threadId))).title();
    await parent.fork({ threadId: asThreadId("titled-fork") });
    expect(await titleOf("titled-fork")).toBe("The build");
    await parent.fork({ mode: "shared-prefix", threadId: asThreadId("titled-agent"), goal: "Find the cause." });
    expect(await titleOf("titled-agent")).toBeNull();
    await (await open(asThreadId("titled-fork"))).setTitle("Another way");
    expect(await titleOf("titled")).toBe("The build");
  });

  it("is refused for a missing thread and for an id that is taken", async () => {
    await expect(forkThread(store, asThreadId("none"), { threadId: asThreadId("x") })).rejects.toMatchObject({
      code: "THREAD_NOT_FOUND",
    });
    await expect(forkThread(store, source, { threadId: fork })).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
  });

  it.each([-1, 2.5, Number.NaN])("is refused with atVersion %s, and creates no thread", async (atVersion) => {
    const threadId = asThreadId("fork-of-nothing");
    await expect(forkThread(store, source, { threadId, atVersion })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name: "atVersion" },
    });
    expect(await store.threads.load(threadId)).toBeNull();
  });
});
