import { AgentThread, asMessageId, asThreadId, type Message } from "@threadfold/core";
import { growthOnQuadrupling, keepLaws, recallLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { MemoryRecallIndex, MemoryVectorStore } from "./memory-index.ts";

const THREAD = asThreadId("t");
const entry = (id: string, ...vector: readonly number[]) => ({
  id,
  vector,
  text: id,
  sources: [asMessageId(`m-${id}`)],
});

describe("vectors in memory", () => {
  it("returns the nearest vectors first, by direction and not by length, with ties in order of id", async () => {
    const store = new MemoryVectorStore();
    await store.upsert(THREAD, [
      entry("far", -1, 0),
      entry("b", 10, 10),
      entry("a", 1, 1),
      entry("near", 2, 0.1),
      entry("zero", 0, 0),
    ]);
    const found = await store.search(THREAD, [5, 0], 4);
    expect(found.map(({ entry: { id } }) => id)).toEqual(["near", "a", "b", "zero"]);
    expect(found[1]?.similarity).toBeCloseTo(Math.SQRT1_2);
  });

  it("replaces entries by id, copies their vectors, keeps threads apart and removes a thread's entries", async () => {
    const store = new MemoryVectorStore();
    const vector = [1, 0];
    await store.upsert(THREAD, [{ ...entry("a"), vector }]);
    vector[0] = -1;
    expect((await store.search(THREAD, [1, 0], 1))[0]?.similarity).toBe(1);
    await store.upsert(THREAD, [entry("a", 0, 1)]);
    expect(await store.search(THREAD, [1, 0], 9)).toMatchObject([{ similarity: 0 }]);
    expect(await store.search(asThreadId("other"), [1, 0], 9)).toEqual([]);
    await store.remove(THREAD);
    expect(await store.search(THREAD, [1, 0], 9)).toEqual([]);
  });

  it.each([[[]], [[Number.NaN, 1]], [[1, 2, 3]]])("refuses %j beside vectors of two numbers", async (vector) => {
    const store = new MemoryVectorStore();
    await store.upsert(THREAD, [entry("a", 1, 0)]);
    await expect(store.upsert(THREAD, [entry("b", ...vector)])).rejects.toMatchObject({ code: "INVALID_QUERY" });
    await expect(store.search(THREAD, vector, 1)).rejects.toMatchObject({ code: "INVALID_QUERY" });
    expect(await store.search(THREAD, [1, 0], 9)).toHaveLength(1);
  });
});

const threadId = asThreadId("thread");

/** Messages of a thread, one for each text. */
const said = (...texts: readonly string[]): readonly Message[] =>
  AgentThread.empty(threadId)
    .append(
      texts.map((text, index) => ({
        id: asMessageId(`m${index}`),
        role: "user",
        createdAt: "2026-01-01T00:00:00.000Z",
        parts: [{ type: "text", text }],
      })),
    )
    .messagesBetween(0);

keepLaws(
  "recall in memory",
  recallLaws(() => ({ index: new MemoryRecallIndex() })),
  { describe, it },
);

describe("recall in memory", () => {
  it("R29 indexes a text of distinct words with distinct beginnings in linear time", async () => {
    const textOf = (size: number): readonly Message[] =>
      said(Array.from({ length: size }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join(""));
    const index = (messages: readonly Message[]): Promise<void> => new MemoryRecallIndex().index(threadId, messages);
    expect(await growthOnQuadrupling(textOf, index, 10_000)).toBeLessThan(10);
  });

  it("lets the event loop run while it indexes, and a search waits for earlier index calls", async () => {
    const index = new MemoryRecallIndex();
    const messages = said(...Array.from({ length: 39 }, () => "some/path/to.ts ".repeat(4_000)), "zanzibar");
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const first = index.index(threadId, messages);
    const second = index.index(threadId, messages);
    const { hits } = await index.search(threadId, { text: "zanzibar" });
    clearInterval(timer);
    expect(hits.map(({ messageId }) => messageId)).toEqual(["m39"]);
    expect(turns).toBeGreaterThan(0);
    await Promise.all([first, second]);
    expect((await index.search(threadId, { text: "zanzibar" })).total).toBe(1);
  });
});
