import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import type { LiveFormat } from "@threadfold/importers";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { ThreadMirror, type ThreadMirrorOptions } from "./thread-mirror.ts";

const threadId = asThreadId("mirrored");
const clock = pinnedClock(Date.UTC(2026, 2, 3));

const open = (store: ThreadfoldStore, id = threadId) => ContextSession.open({ threadId: id, store, clock });

async function mirrored(options: Partial<ThreadMirrorOptions> = {}) {
  const store = createMemoryStore({ clock });
  const session = await open(store);
  return { store, session, mirror: new ThreadMirror({ session, format: "anthropic-messages", clock, ...options }) };
}

const user = (content: string) => ({ role: "user", content });
const call = (id: string) => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "read", input: { path: id } }],
});
const result = (id: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: `of ${id}` }],
});

const texts = (session: ContextSession): readonly string[] =>
  [...session.thread.messagesBetween(0)].map(({ parts }) => {
    const [part] = parts;
    if (part?.type === "text") return part.text;
    return part?.type === "tool-call" ? `call ${part.callId}` : "result";
  });

describe("a mirror of a host's messages", () => {
  it("appends what is new, reads nothing twice, and leaves the list as it is", async () => {
    const { session, mirror } = await mirrored();
    let reads = 0;
    const counted = Object.defineProperty({ role: "user" }, "content", {
      enumerable: true,
      get: () => {
        reads++;
        return "Begin.";
      },
    });
    const first = Object.freeze([counted, call("a")]);
    expect((await mirror.sync(first)).appended).toHaveLength(2);
    const readOnce = reads;
    const more = Object.freeze([...first, result("a"), user("Go on.")]);
    expect((await mirror.sync(more)).appended).toHaveLength(2);
    expect((await mirror.sync(more)).appended).toHaveLength(0);
    expect(reads).toBe(readOnce);
    expect(texts(session)).toEqual(["Begin.", "call a", "result", "Go on."]);
  });

  it("takes copies and moved cache marks for the same messages", async () => {
    const { session, mirror } = await mirrored();
    const marked = { role: "user", content: [{ type: "text", text: "Begin.", cache_control: { type: "ephemeral" } }] };
    const bare = { role: "user", content: [{ type: "text", text: "Begin." }] };
    await mirror.sync([marked, call("a")]);
    await mirror.sync([structuredClone(marked), call("a")]);
    const { appended } = await mirror.sync([bare, call("a"), result("a")]);
    expect(appended).toHaveLength(1);
    expect(session.thread.length).toBe(3);
  });

  it("answers syncs one after the other", async () => {
    const { session, mirror } = await mirrored();
    const list = [user("Begin."), call("a"), result("a")];
    await Promise.all([1, 2, 3, 3, 2 + 1].map((length) => mirror.sync(list.slice(0, length))));
    expect(session.thread.length).toBe(3);
  });

  it.each([
    ["edited", [user("Begin anew."), call("a")], 0],
    ["shorter", [user("Begin.")], 1],
    ["empty", [], 0],
    ["put in another order", [call("a"), user("Begin."), result("a")], 0],
  ])("says where a history that is %s parts from the thread", async (_, changed, position) => {
    const { session, mirror } = await mirrored();
    await mirror.sync([user("Begin."), call("a")]);
    await expect(mirror.sync(changed)).rejects.toMatchObject({ code: "HISTORY_DIVERGED", details: { position } });
    expect(session.thread.length).toBe(2);
    // What holds again is taken again.
    expect((await mirror.sync([user("Begin."), call("a"), result("a")])).appended).toHaveLength(1);
  });

  it("goes on in a fork of what is common when the host is asked and says so", async () => {
    const { store, session, mirror } = await mirrored({
      onDiverged: async ({ session: before, position, atVersion }) => {
        const fork = asThreadId(`${before.threadId}-${position}`);
        await before.fork({ threadId: fork, atVersion });
        return open(store, fork);
      },
    });
    await mirror.sync([user("Begin."), call("a"), result("a"), user("Never do that.")]);
    const edited = [user("Begin."), call("a"), result("a"), user("Do that."), call("b")];
    const { session: forked, appended } = await mirror.sync(edited);
    expect(forked.threadId).toBe("mirrored-3");
    expect(appended).toHaveLength(2);
    expect(texts(forked)).toEqual(["Begin.", "call a", "result", "Do that.", "call b"]);
    expect(texts(session)).toEqual(["Begin.", "call a", "result", "Never do that."]);
    expect(forked.thread.livePins).toHaveLength(0);
    await mirror.sync([...edited, result("b")]);
    expect(forked.thread.length).toBe(6);
    expect(mirror.session).toBe(forked);
    // After a restart the fork is a thread like any other.
    const resumed = await open(store, forked.threadId);
    const again = new ThreadMirror({ session: resumed, format: "anthropic-messages", clock });
    expect((await again.sync([...edited, result("b"), user("Well.")])).appended).toHaveLength(1);
  });

  it("refuses a thread that the history does not begin with either", async () => {
    const { store, mirror } = await mirrored({ onDiverged: () => open(store) });
    await mirror.sync([user("Begin.")]);
    await expect(mirror.sync([user("Other.")])).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
  });

  it("leaves alone what stood in the thread before", async () => {
    const { session, mirror } = await mirrored();
    await session.append([
      {
        id: asMessageId("note"),
        role: "user",
        createdAt: "2026-01-01T00:00:00.000Z",
        parts: [{ type: "text", text: "Note." }],
      },
    ]);
    await mirror.sync([user("Begin.")]);
    await mirror.sync([user("Begin."), call("a")]);
    expect(texts(session)).toEqual(["Note.", "Begin.", "call a"]);
  });

  const items = [
    { role: "user", content: "Begin." },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" },
    { type: "function_call", id: "fc_1", call_id: "a", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "of a" },
    { type: "message", id: "msg_2", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
  ];
  const conversations: readonly [LiveFormat, readonly unknown[]][] = [
    ["anthropic-messages", [user("Begin."), call("a"), result("a"), call("b"), result("b")]],
    ["openai-responses", items],
  ];

  it.each(conversations)("goes on after a restart with what the thread has: %s", async (format, list) => {
    const { store, session, mirror } = await mirrored({ format });
    await mirror.sync(list.slice(0, 4));
    const before = session.thread.length;
    const resumed = await open(store);
    const again = new ThreadMirror({ session: resumed, format, clock: pinnedClock(Date.UTC(2027, 0, 1)) });
    expect((await again.sync(structuredClone(list.slice(0, 4)))).appended).toHaveLength(0);
    expect((await again.sync(list)).appended).toHaveLength(1);
    expect(resumed.thread.length).toBe(before + 1);
    const late = new ThreadMirror({ session: resumed, format, clock });
    await expect(late.sync(list.slice(0, 3))).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
    const edited = [user("Other."), ...list.slice(1)];
    await expect(late.sync(edited)).rejects.toMatchObject({ details: { position: 0 } });
    expect((await late.sync(list)).appended).toHaveLength(0);
  });

  it("appends what was there when the store failed, once", async () => {
    const { session, mirror } = await mirrored();
    const append = session.append.bind(session);
    let failures = 2;
    Object.assign(session, {
      append: async (messages: Parameters<typeof append>[0]) => {
        if (failures-- === 2) throw new Error("The store is away.");
        await append(messages);
        if (failures === 0) throw new Error("The answer got lost.");
      },
    });
    const list = [user("Begin."), call("a")];
    await expect(mirror.sync(list)).rejects.toThrow("away");
    await expect(mirror.sync(list)).rejects.toThrow("lost");
    await mirror.sync([...list, result("a")]);
    expect(texts(session)).toEqual(["Begin.", "call a", "result"]);
    expect([...session.thread.messagesBetween(0, 2)].map(({ id }) => id)).toEqual(["mirrored-0", "mirrored-1"]);
  });

  it("takes a list whose bad value was mended", async () => {
    const { session, mirror } = await mirrored();
    await mirror.sync([user("Begin.")]);
    await expect(mirror.sync([user("Begin."), call("a"), { role: "robot" }])).rejects.toMatchObject({
      code: "INVALID_MESSAGE",
      details: { position: 2 },
    });
    await mirror.sync([user("Begin."), call("a"), result("a")]);
    expect([...session.thread.messagesBetween(0)].map(({ id }) => id)).toEqual([
      "mirrored-0",
      "mirrored-1",
      "mirrored-2",
    ]);
  });
});
