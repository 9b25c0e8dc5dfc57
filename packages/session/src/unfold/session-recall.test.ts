import { asMessageId, asThreadId, type ContextCompactionEvent, type MessageInput } from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { MemoryVectorStore } from "@threadfold/rehydration";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";

const threadId = asThreadId("recall");
const said = (number: number, text: string): MessageInput =>
  message(`m${number}`, number % 2 === 0 ? "user" : "assistant", text);
const work = Array.from({ length: 80 }, (_, number) =>
  said(number, `Step ${number}: the gateway listens on port_${number}. ${"It took some words to say so. ".repeat(60)}`),
);
const embed = async (texts: readonly string[]) => texts.map(() => [1, 0]);

async function folded(window: number, more: Partial<SessionOptions> = {}): Promise<ContextSession> {
  const session = await ContextSession.open({
    threadId,
    config: { maxInputTokens: window, outputReserveTokens: 500 },
    clock: pinnedClock(0),
    ...more,
  });
  await session.append(work);
  await session.prepare();
  return session;
}
const ask = async (session: ContextSession, query: string): Promise<string> =>
  (await session.tools()[1].execute({ query })).text;

describe("an answer of search_thread", () => {
  it.each([8_000, 20_000])("takes at most 15 %% of a window of %i tokens, and is counted in stats", async (window) => {
    const session = await folded(window);
    expect(session.stats().recall).toMatchObject({ answers: 0, tokens: 0, mostTokens: 0 });
    const text = await ask(session, "gateway port");
    const { limitTokens, ...totals } = session.stats().recall;
    expect(limitTokens).toBeLessThanOrEqual(0.15 * window);
    expect(totals.mostTokens).toBeGreaterThan(0.08 * window);
    expect(totals.mostTokens).toBeLessThanOrEqual(limitTokens);
    expect(totals).toEqual({ answers: 1, tokens: totals.mostTokens, mostTokens: totals.mostTokens });
    expect(text).toContain("port_");
    await ask(session, "zeppelin");
    expect(session.stats().recall).toMatchObject({ answers: 2, mostTokens: totals.mostTokens });
    await session.close();
  });
});

describe("a session with vectors", () => {
  it("spec-125 adds passages near in meaning after those found by words, within 15 % of the window", async () => {
    const store = new MemoryVectorStore();
    await store.upsert(threadId, [
      { id: "1", vector: [1, 0], text: "the door has a number", sources: [asMessageId("m0")] },
    ]);
    const [plain, near] = [await folded(20_000), await folded(20_000, { vectors: { store, embed } })];
    const words = await ask(plain, "gateway port");
    const both = await ask(near, "gateway port");
    expect(both).toBe(`${words}\n--- near in meaning, of m0\nthe door has a number`);
    const { limitTokens, mostTokens } = near.stats().recall;
    expect(mostTokens).toBeLessThanOrEqual(limitTokens);
    expect(limitTokens).toBeLessThanOrEqual(0.15 * 20_000);
    expect(limitTokens).toBeGreaterThan(plain.stats().recall.limitTokens);
    await Promise.all([plain.close(), near.close()]);
  });

  it("falls back to words when vector search fails, and reports the failure, asked or on its own", async () => {
    for (const enableRetrieval of [false, true]) {
      const events: ContextCompactionEvent[] = [];
      const failing = { embed: () => Promise.reject(new TypeError("no")), store: new MemoryVectorStore() };
      const config = { maxInputTokens: 20_000, outputReserveTokens: 500, enableRetrieval };
      const session = await folded(20_000, { config, vectors: failing, onEvent: (event) => void events.push(event) });
      if (enableRetrieval) await session.prepare();
      else expect(await ask(session, "gateway port")).toContain("port_");
      expect(events).toContainEqual(
        expect.objectContaining({ type: "vector_search_failed", code: null, problem: "TypeError" }),
      );
      expect(events.some(({ type }) => type === "rehydration_failed")).toBe(false);
      await session.close();
    }
  });

  it.each<readonly [string, unknown, string]>([
    ["no list", undefined, "no list"],
    ["no vector", [], "0 vectors"],
    ["an empty vector", [[]], "an empty vector"],
    ["a vector with a number that is none", [[1, Number.NaN]], "NaN"],
    ["a vector of texts", [["1", "0"]], "1"],
  ])("reports an embedder that returns %s, and has the words answer", async (_, vectors, named) => {
    const events: ContextCompactionEvent[] = [];
    const embedder = { embed: async () => vectors as never, store: new MemoryVectorStore() };
    const session = await folded(20_000, { vectors: embedder, onEvent: (event) => void events.push(event) });
    expect(await ask(session, "gateway port")).toContain("port_");
    const problem = expect.stringMatching(new RegExp(`^vectors\\.embed returned .*\\b${named}\\b`));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "vector_search_failed", code: "INVALID_CONFIG", problem }),
    );
    await session.close();
  });

  it("takes the typed arrays that embedders return as vectors", async () => {
    const store = new MemoryVectorStore();
    const vector = [1, 0];
    await store.upsert(threadId, [{ id: "1", vector, text: "the door has a number", sources: [asMessageId("m0")] }]);
    const vectors = { store, embed: async () => [Float32Array.from(vector)] as never };
    const session = await folded(20_000, { vectors });
    expect(await ask(session, "gateway port")).toContain("the door has a number");
    await session.close();
  });

  it.each([
    [{ embed }, "store"],
    [{ store: new MemoryVectorStore() }, "embed"],
    [{ store: new MemoryVectorStore(), embed, timeLimitMs: 0 }, "timeLimitMs"],
  ])("refuses incomplete or invalid vector options: %j", async (vectors, missing) => {
    const opening = ContextSession.open({ threadId, vectors: vectors as never });
    await expect(opening).rejects.toThrow(missing);
  });
});
