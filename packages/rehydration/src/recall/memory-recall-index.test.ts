import { AgentThread, asMessageId, asThreadId, type Message } from "@threadfold/core";
import { growthOnQuadrupling, recallLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { MemoryRecallIndex } from "./memory-recall-index.ts";

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

describe("recall in memory", () => {
  for (const law of recallLaws)
    it(law.name, async () => expect(await law.broken(new MemoryRecallIndex(), async () => undefined)).toBeNull());

  it("indexes text in linear time in which every word is another one, and every one begins otherwise", async () => {
    const textOf = (size: number): readonly Message[] =>
      said(Array.from({ length: size }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join(""));
    const index = (messages: readonly Message[]): Promise<void> => new MemoryRecallIndex().index(threadId, messages);
    expect(await growthOnQuadrupling(textOf, index, 10_000)).toBeLessThan(10);
  });

  it("lets the event loop turn while it indexes, and a search waits for what was handed in before", async () => {
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
