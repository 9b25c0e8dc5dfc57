import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { stopReasonOf } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { callOf, openSession, resultOf, threadId, work } from "../testing/agent-work.ts";

const config = { maxInputTokens: 10_000 };

describe("session.complete", () => {
  it("appends the answer, learns from its usage and journals both", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store, config, model: "m" });
    await session.append([message("u0", "user", "Build it."), ...work(0, 3, 500)]);
    const { tokens } = await session.prepare();
    const done = await session.complete({
      messages: [message("a", "assistant", "Done.")],
      usage: { inputTokens: Math.round(tokens * 1.05), outputTokens: 4, cacheReadTokens: 10 },
    });
    expect(done).toMatchObject({ appended: [{ id: "a", ordinal: 7 }], discarded: [], retry: false });
    expect(session.calibration["m"]).toMatchObject({ reports: 1 });
    const written = (await store.journal.read(threadId)).map(({ record }) => record.type);
    expect(written.slice(-2)).toEqual(["entries-appended", "usage-reported"]);
  });

  it("appends a response once when it is passed in twice", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Hi.")]);
    const first = await session.complete({ messages: [message("a", "assistant", "Hello.")] });
    const again = await session.complete({ messages: [message("a", "assistant", "Hello.")] });
    expect(again.appended).toEqual(first.appended);
    expect(session.thread.length).toBe(2);
  });

  it("learns from an answer once, however often it is passed in", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store, config, model: "m" });
    await session.append([message("u0", "user", "Build it."), ...work(0, 3, 500)]);
    const { tokens } = await session.prepare();
    const usage = { inputTokens: Math.round(tokens * 1.05), outputTokens: 4 };
    const answer = { messages: [message("a", "assistant", "Done.")], usage };
    await Promise.all([session.complete(answer), session.complete(answer)]);
    const { calibration } = session;
    expect(await session.complete(answer)).toMatchObject({ appended: [{ id: "a" }], retry: false });
    expect(session.stats().usage).toMatchObject({ requests: 1, outputTokens: 4 });
    expect(session.calibration).toBe(calibration);
    const written = (await store.journal.read(threadId)).map(({ record }) => record.type);
    expect(written.filter((type) => type === "usage-reported")).toHaveLength(1);
    await session.complete({ messages: [message("b", "assistant", "And more.")], usage });
    expect(session.stats().usage).toMatchObject({ requests: 2, outputTokens: 8 });
  });

  it("learns from an answer that the host had appended, even after a first attempt failed", async () => {
    let isDown = true;
    const inner = createMemoryStore();
    const read = async (...args: Parameters<typeof inner.journal.read>) => {
      if (isDown) throw new Error("down");
      return inner.journal.read(...args);
    };
    const journal = { read, append: inner.journal.append.bind(inner.journal) };
    const session = await openSession({ store: { ...inner, journal }, config });
    await session.append([message("u0", "user", "Hi."), message("a", "assistant", "Hello.")]);
    await session.render();
    const answer = { messages: [message("a", "assistant", "Hello.")], usage: { inputTokens: 20, outputTokens: 4 } };
    await expect(session.complete(answer)).rejects.toThrow("down");
    isDown = false;
    await session.complete(answer);
    expect(session.stats().usage).toMatchObject({ requests: 1, outputTokens: 4 });
  });

  it("goat-13 discards the call that the output limit cut off, together with its result", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Build it.")]);
    const spoken = { ...callOf(0), parts: [...message("x", "assistant", "I will.").parts, ...callOf(0).parts] };
    const done = await session.complete({ messages: [spoken, resultOf(0, 10)], stopReason: "max-output" });
    expect(done.discarded.map(({ callId }) => callId)).toEqual(["call_0"]);
    expect(done.appended.map(({ parts }) => parts.map(({ type }) => type))).toEqual([["text"]]);
    const prepared = await session.prepare();
    expect(prepared.violations).toEqual([]);
    expect(prepared.payloadText).not.toContain("call_0");
  });

  it("appends nothing when no part of an answer is complete", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Build it.")]);
    const done = await session.complete({ messages: [callOf(0)], stopReason: "max-output" });
    expect(done).toMatchObject({ appended: [], retry: false });
    expect(session.thread.length).toBe(1);
  });

  it("L19 goat-14 an answer cut off for lack of room causes one fold, and not a second", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 7, 1_000)]);
    const first = await session.prepare();
    expect(first.outcome?.type).toBe("no-op");
    const cut = (id: string) => ({ messages: [message(id, "assistant", "I beg")], stopReason: "max-output" }) as const;
    expect((await session.complete(cut("a-1"))).retry).toBe(true);
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect(folded.tokens).toBeLessThan(first.tokens);
    expect((await session.complete(cut("a-2"))).retry).toBe(false);
    expect((await session.prepare()).plan.version).toBe(folded.plan.version);
    expect((await session.complete({ messages: [message("a-3", "assistant", "All is said.")] })).retry).toBe(false);
    await session.append([message("u1", "user", "More."), ...work(7, 9, 1_000)]);
    await session.prepare();
    expect((await session.complete(cut("a-4"))).retry).toBe(true);
  });

  it("refuses an answer whose id belongs to another message", async () => {
    const session = await openSession({ config });
    await session.append([message("u0", "user", "Hi.")]);
    const clash = session.complete({ messages: [message("u0", "assistant", "Hello.")] });
    await expect(clash).rejects.toMatchObject({ code: "DUPLICATE_MESSAGE_ID" });
  });
});

describe("stopReasonOf", () => {
  it("goat-12 understands the stop reasons of every provider", () => {
    const cut = ["max_tokens", "length", "MAX_TOKENS", "max_output_tokens", "incomplete"];
    expect(cut.map(stopReasonOf)).toEqual(cut.map(() => "max-output"));
    const ended = ["end_turn", "stop", "tool_use", "tool-calls", "STOP", "constructor", undefined, null];
    expect(ended.map(stopReasonOf)).toEqual(ended.map(() => "end"));
    expect([stopReasonOf("error"), stopReasonOf("cancelled")]).toEqual(["error", "aborted"]);
  });
});
