import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { pinnedClock, runs } from "@threadfold/core/laws";
import type { LiveFormat } from "@threadfold/importers";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { currentSession, type ThreadSwitch } from "./divergence.ts";
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
  it("takes a list that is longer than the stack", async () => {
    const { session } = await mirrored();
    // Appending so many would take long, and is not what this is about.
    const patient = new Proxy(session, {
      get: (target, name) => {
        const value: unknown = name === "append" ? () => Promise.resolve() : Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const mirror = new ThreadMirror({ session: patient, format: "anthropic-messages", clock });
    const list = Array.from({ length: 150_000 }, (_, index) => user(`${index}`));
    expect((await mirror.sync(list)).appended).toHaveLength(150_000);
  });

  it("appends only new messages, reads none twice, and leaves the host's list unchanged", async () => {
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

  it("recognizes messages that were copied or whose cache marks moved", async () => {
    const { session, mirror } = await mirrored();
    const marked = { role: "user", content: [{ type: "text", text: "Begin.", cache_control: { type: "ephemeral" } }] };
    const bare = { role: "user", content: [{ type: "text", text: "Begin." }] };
    await mirror.sync([marked, call("a")]);
    await mirror.sync([structuredClone(marked), call("a")]);
    const { appended } = await mirror.sync([bare, call("a"), result("a")]);
    expect(appended).toHaveLength(1);
    expect(session.thread.length).toBe(3);
  });

  it("runs concurrent syncs one after the other", async () => {
    const { session, mirror } = await mirrored();
    const list = [user("Begin."), call("a"), result("a")];
    await Promise.all([1, 2, 3, 3, 2 + 1].map((length) => mirror.sync(list.slice(0, length))));
    expect(session.thread.length).toBe(3);
  });

  it.each([
    ["edited", [user("Begin anew."), call("a")], 0],
    ["shorter", [user("Begin.")], 1],
    ["empty", [], 0],
    ["put in another order", [result("a"), call("a"), user("Begin.")], 0],
  ])("names, when told to refuse, the position where a history that is %s diverges", async (_, changed, position) => {
    const { session, mirror } = await mirrored({ onDiverged: "refuse" });
    await mirror.sync([user("Begin."), call("a")]);
    await expect(mirror.sync(changed)).rejects.toMatchObject({ code: "HISTORY_DIVERGED", details: { position } });
    expect(session.thread.length).toBe(2);
    // What holds again is taken again.
    expect((await mirror.sync([user("Begin."), call("a"), result("a")])).appended).toHaveLength(1);
  });

  it("continues in the fork that the host's onDiverged returns", async () => {
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

  it("rejects a session from onDiverged whose thread does not match the history either", async () => {
    const { store, mirror } = await mirrored({ onDiverged: () => open(store) });
    await mirror.sync([user("Begin.")]);
    await expect(mirror.sync([user("Other.")])).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
  });

  it("leaves messages alone that were in the thread before", async () => {
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

  it.each(conversations)("continues after a restart from the stored thread: %s", async (format, list) => {
    const { store, session, mirror } = await mirrored({ format });
    await mirror.sync(list.slice(0, 4));
    const before = session.thread.length;
    const resumed = await open(store);
    const again = new ThreadMirror({ session: resumed, format, clock: pinnedClock(Date.UTC(2027, 0, 1)) });
    expect((await again.sync(structuredClone(list.slice(0, 4)))).appended).toHaveLength(0);
    expect((await again.sync(list)).appended).toHaveLength(1);
    expect(resumed.thread.length).toBe(before + 1);
    const late = new ThreadMirror({ session: resumed, format, clock, onDiverged: "refuse" });
    await expect(late.sync(list.slice(0, 3))).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
    const edited = [user("Other."), ...list.slice(1)];
    await expect(late.sync(edited)).rejects.toMatchObject({ details: { position: 0 } });
    expect((await late.sync(list)).appended).toHaveLength(0);
  });

  it("appends messages once, even if the store fails before or after writing", async () => {
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

  it("accepts the list again once an invalid message is corrected", async () => {
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

describe("a mirror whose host changes its history", () => {
  const answer = (text: string) => ({ role: "assistant", content: text });
  const first = [user("One."), answer("First."), user("Two."), answer("Second."), user("Three."), answer("Third.")];
  const edits: readonly [string, readonly unknown[]][] = [
    ["gives the last answer anew", first.slice(0, 5)],
    ["gives the first answer anew", first.slice(0, 1)],
    ["edits the first message of the user", [user("Uno.")]],
    ["edits a message of the user in the middle", [...first.slice(0, 2), user("Due.")]],
    ["edits the last message of the user", [...first.slice(0, 4), user("Tre.")]],
  ];

  it.each(edits)("continues in a fork from the common part when it %s, and reports the switch", async (_, list) => {
    const heard: ThreadSwitch[] = [];
    const { session, mirror } = await mirrored({ onSwitch: (change) => heard.push(change) });
    await mirror.sync(first);
    const { session: forked } = await mirror.sync(list);
    expect(texts(forked)).toEqual((list as readonly { readonly content: string }[]).map(({ content }) => content));
    expect(texts(session)).toHaveLength(6);
    expect(heard).toEqual([expect.objectContaining({ session: forked, left: session.threadId, isNew: true })]);
    expect(currentSession(session)).toBe(forked);
    const more = [...list, ...(list.length % 2 === 0 ? [user("And?")] : []), answer("Anew."), user("Well?")];
    expect((await mirror.sync(more)).session).toBe(forked);
    expect(texts(forked)).toHaveLength(more.length);
  });

  it("finds each earlier branch again, even after a restart, and forks none twice", async () => {
    const { store, session, mirror } = await mirrored();
    const ways = [
      first,
      ...edits.map(([, list], index) => [...list, answer(`Anew ${index}.`), user("On."), answer("So.")]),
    ];
    await mirror.sync(first);
    const threads: string[] = [session.threadId];
    for (const [index, [, list]] of edits.entries()) {
      await mirror.sync(list);
      threads.push((await mirror.sync(ways[index + 1] ?? [])).session.threadId);
    }
    expect(new Set(threads).size).toBe(ways.length);
    for (const [index, list] of ways.entries()) expect((await mirror.sync(list)).session.threadId).toBe(threads[index]);
    for (const [index, list] of ways.entries()) {
      const resumed = await open(store, asThreadId(threads[(index * 3) % threads.length] ?? ""));
      const again = new ThreadMirror({ session: resumed, format: "anthropic-messages", clock });
      const { session: found, appended } = await again.sync(structuredClone([...list, user("Still here?")]));
      expect([found.threadId, appended.length]).toEqual([threads[index], 1]);
    }
    expect((await store.threads.list()).items).toHaveLength(ways.length);
  });

  it("follows any sequence of edits through a conversation", async () => {
    const step = fc.record({
      back: fc.nat({ max: 6 }),
      words: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat({ max: 3 }), async (steps, restartEvery) => {
        const { store, session, mirror } = await mirrored();
        let through = mirror;
        let list: readonly ReturnType<typeof user>[] = [user("begin")];
        for (const [index, { back, words }] of steps.entries()) {
          if (restartEvery > 0 && index % restartEvery === 0)
            through = new ThreadMirror({ session: await open(store), format: "anthropic-messages", clock });
          const kept = list.slice(0, Math.max(1, list.length - back));
          list = [...kept, ...words.map((word, place) => (place % 2 === 0 ? answer(word) : user(word)))];
          const { session: on } = await through.sync(structuredClone(list));
          expect(texts(on)).toEqual(list.map(({ content }) => content));
        }
        expect(texts(session)[0] ?? "begin").toBe("begin");
      }),
      runs(60),
    );
  });

  it("reuses a fork that was made before a restart and never got an answer", async () => {
    const { store, mirror } = await mirrored();
    await mirror.sync(first);
    const { session: forked } = await mirror.sync(first.slice(0, 5));
    const again = new ThreadMirror({ session: await open(store), format: "anthropic-messages", clock });
    await again.sync(first);
    expect((await again.sync(first.slice(0, 5))).session.threadId).toBe(forked.threadId);
  });

  it("refuses if told to, and applies a changed setting", async () => {
    const { mirror } = await mirrored({ onDiverged: "refuse" });
    await mirror.sync(first);
    await expect(mirror.sync(first.slice(0, 1))).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
    mirror.follow({ onDiverged: "fork" });
    expect((await mirror.sync(first.slice(0, 1))).appended).toEqual([]);
  });
});

describe("a mirror whose host hands in only the end of its conversation", () => {
  const answer = (text: string) => ({ role: "assistant", content: text });
  const turn = (index: number) => [user(`Question ${index}.`), answer(`Answer ${index}.`)];
  const all = Array.from({ length: 20 }, (_, index) => turn(index)).flat();

  it.each([
    [2, 1],
    [3, 2],
    [5, 2],
    [10, 2],
  ])("recognizes the last %i messages and appends the new ones, every %i messages", async (size, every) => {
    const { store, mirror } = await mirrored();
    let through = mirror;
    for (let length = 1; length <= all.length; length += every) {
      if (length === 21)
        through = new ThreadMirror({ session: await open(store), format: "anthropic-messages", clock });
      const window = structuredClone(all.slice(Math.max(0, length - size), length));
      const { session, offset } = await through.sync(window);
      expect(session.threadId).toBe("mirrored");
      expect(texts(session)).toEqual(all.slice(0, length).map(({ content }) => content));
      expect(offset).toBe(Math.max(0, length - size));
    }
    expect((await store.threads.list()).items).toHaveLength(1);
  });

  it("forks inside that end when a message in it is replaced", async () => {
    const { mirror } = await mirrored();
    await mirror.sync(all.slice(0, 20));
    const { session } = await mirror.sync([...all.slice(12, 18), user("Otherwise.")]);
    expect(session.threadId).not.toBe("mirrored");
    expect(texts(session)).toEqual([...all.slice(0, 18).map(({ content }) => content), "Otherwise."]);
  });

  it("treats a list that starts with the newest question as another conversation", async () => {
    const { mirror } = await mirrored();
    await mirror.sync([...all.slice(0, 4), user("Hi.")]);
    const { session } = await mirror.sync([user("Hi.")]);
    expect(texts(session)).toEqual(["Hi."]);
  });
});

describe("two mirrors on one thread", () => {
  const list = [user("One."), { role: "assistant", content: "First." }, user("Two."), user("Three.")];

  it("take in each other's messages, and part when their hosts diverge", async () => {
    const { store, mirror } = await mirrored();
    const other = new ThreadMirror({ session: await open(store), format: "anthropic-messages", clock });
    await mirror.sync(list.slice(0, 1));
    await other.sync(list.slice(0, 2));
    const { session } = await mirror.sync(list.slice(0, 3));
    expect((await other.sync(list)).session.threadId).toBe(session.threadId);
    await mirror.sync(list);
    expect(texts(session)).toEqual(["One.", "First.", "Two.", "Three."]);
    const [mine, yours] = await Promise.all([
      mirror.sync([...list, user("Mine.")]),
      other.sync([...list, user("Yours.")]),
    ]);
    expect([texts(mine.session).at(-1), texts(yours.session).at(-1)]).toEqual(["Mine.", "Yours."]);
    expect(new Set([mine.session.threadId, yours.session.threadId]).size).toBe(2);
  });

  it("that share a session append each message once", async () => {
    const { session, mirror } = await mirrored();
    const other = new ThreadMirror({ session, format: "anthropic-messages", clock: pinnedClock(Date.UTC(2027, 0, 1)) });
    await mirror.sync(list.slice(0, 2));
    await other.sync(list.slice(0, 3));
    await mirror.sync(list);
    expect(texts(session)).toEqual(["One.", "First.", "Two.", "Three."]);
  });
});
