import { asMessageId, asThreadId } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { MemoryVectorStore } from "./memory-vector-store.ts";

const THREAD = asThreadId("t");
const entry = (id: string, ...vector: readonly number[]) => ({
  id,
  vector,
  text: id,
  sources: [asMessageId(`m-${id}`)],
});

describe("vectors in memory", () => {
  it("gives the nearest first, by direction and not by length, ties by id", async () => {
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

  it("replaces by id, keeps threads apart, hands out what cannot be changed, and forgets", async () => {
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
