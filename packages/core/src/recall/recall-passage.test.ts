import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepLaws } from "../laws/law.ts";
import { result } from "../laws/messages.ts";
import { recallLaws } from "../laws/recall-laws.ts";
import { growthOnQuadrupling } from "../laws/runs.ts";
import { asMessageId, asThreadId, type ThreadId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { RecallIndex } from "../ports/recall-index.ts";
import { passagesOf, passageText, type RecallPassage } from "./recall-passage.ts";
import { type RecallRequest, readRecallRequest, searchPassages } from "./recall-search.ts";
import { loadStemmers } from "./stemmers.ts";

const stemmers = await loadStemmers();

const messageOf = (text: string): Message => ({
  id: asMessageId("m"),
  role: "user",
  createdAt: "2026-01-01T00:00:00.000Z",
  parts: [{ type: "text", text }],
  ordinal: 0,
  turn: 1,
  step: 0,
});

describe("the passages of a message", () => {
  it.each([
    ["base64 on one line", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0"],
    ["words on one line", "some words "],
    ["one letter", "a"],
    ["marks without a letter", "\u0301\u0323"],
    ["line ends", "\n"],
  ])("R29 are cut in linear time from %s", async (_, unit) => {
    const textOf = (size: number): Message => messageOf(unit.repeat(size / unit.length));
    expect(await growthOnQuadrupling(textOf, (message) => [...passagesOf(message, stemmers)], 250_000)).toBeLessThan(
      10,
    );
  });

  it("cover the text without gaps, have at most 800 characters, and end at lines or words if possible", () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom("\n", " ", "word", "\u{1F600}"), fc.string({ maxLength: 900 })));
    fc.assert(
      fc.property(pieces, (parts) => {
        const message = messageOf(parts.join(""));
        const [passages, text] = [[...passagesOf(message, stemmers)], parts.join("")];
        expect(passages.map(({ passage }) => passageText(message, passage)).join("")).toBe(text);
        for (const { passage } of passages.slice(0, -1)) {
          const { start, end } = passage;
          expect(end - start).toBeLessThanOrEqual(800);
          expect(end - start).toBeGreaterThan(399);
          const second = text.slice(start + 400, start + 800);
          const last = second.includes("\n") ? "\n" : second.includes(" ") ? " " : null;
          if (last !== null) expect([text[end - 1], second.lastIndexOf(last)]).toEqual([last, end - start - 401]);
        }
      }),
    );
  });
});

describe("the end of a passage", () => {
  const first = (text: string): number | undefined => [...passagesOf(messageOf(text), stemmers)][0]?.passage.end;
  const letters = (count: number) => "x".repeat(count);

  it("is the end of a short text, and at most 800 code units into a longer one", () => {
    expect([first(letters(800)), first(letters(801))]).toEqual([800, 800]);
  });

  it("follows the last line or word that ends in the passage's second half", () => {
    expect(first(`${letters(399)}\n${letters(600)}`)).toBe(800);
    expect(first(`${letters(400)}\n${letters(600)}`)).toBe(401);
    expect(first(`${letters(799)}\n${letters(600)}`)).toBe(800);
    expect(first(`${letters(800)}\n${letters(600)}`)).toBe(800);
    expect(first(`${letters(400)} ${letters(600)}`)).toBe(401);
    expect(first(`${letters(500)} a\nb ${letters(600)}`)).toBe(503);
  });

  it("never splits a character", () => {
    expect(first(`${letters(799)}\u{1F600}${letters(9)}`)).toBe(799);
    expect(first(`${letters(798)}\u{1F600}${letters(9)}`)).toBe(800);
    expect(first(`${letters(799)}\uE000${letters(9)}`)).toBe(800);
  });

  it("comes with the message's fields, and with tool and branch if there are any", () => {
    const [plain] = [...passagesOf(messageOf("a word"), stemmers)];
    expect(plain?.passage).toEqual({
      ...{ messageId: "m", role: "user", createdAt: "2026-01-01T00:00:00.000Z", ordinal: 0, turn: 1, step: 0 },
      ...{ start: 0, end: 6, length: 6, words: 1 },
    });
    const answer = {
      ...messageOf(""),
      role: "tool" as const,
      branch: "side",
      parts: [result("c", "a word")],
    };
    const [ofTool] = [...passagesOf(answer as Message, stemmers)];
    expect(ofTool?.passage).toMatchObject({ toolName: "read", branch: "side", words: 1 });
  });
});

/** An index in memory, as every backend keeps one: passages by number, and by each word the numbers of those that hold it. */
function memoryIndex(): RecallIndex {
  interface KnownThread {
    passages: RecallPassage[];
    messages: Map<string, Message>;
    words: Map<string, number[]>;
  }
  const threads = new Map<ThreadId, KnownThread>();
  return {
    async index(threadId, messages) {
      const known: KnownThread = threads.get(threadId) ?? { passages: [], messages: new Map(), words: new Map() };
      threads.set(threadId, known);
      for (const message of messages) {
        if (known.messages.has(message.id)) continue;
        known.messages.set(message.id, message);
        for (const { passage, terms } of passagesOf(message, stemmers)) {
          const key = known.passages.push(passage) - 1;
          for (const term of terms) known.words.set(term, [...(known.words.get(term) ?? []), key]);
        }
      }
    },
    async search(threadId, request) {
      const search = await readRecallRequest(request);
      const known = threads.get(threadId);
      if (known === undefined) return { hits: [], total: 0, nextCursor: null };
      const { found, total, nextCursor } = searchPassages<number>(
        {
          passages: known.passages.length,
          words: known.passages.reduce((sum, { words }) => sum + words, 0),
          find: (term) => known.words.get(term) ?? [],
          passage: (key) => known.passages[key] as RecallPassage,
        },
        search,
      );
      const hits = found.map(({ passage, score }) => {
        const { words: _, ...place } = passage;
        return { ...place, score, excerpt: passageText(known.messages.get(passage.messageId) as Message, passage) };
      });
      return { hits, total, nextCursor };
    },
    remove: async (threadId) => void threads.delete(threadId),
  };
}

keepLaws(
  "an index in memory",
  recallLaws(() => ({ index: memoryIndex() })),
  { describe, it },
);

describe("the ranking of passages", () => {
  const threadId = asThreadId("ranked");
  const say = (at: number, text: string, fields: Partial<Message> = {}): Message => ({
    ...messageOf(text),
    ...{ id: asMessageId(`m${at}`), ordinal: at, turn: at },
    ...fields,
  });
  async function found(messages: readonly Message[], request: RecallRequest) {
    const index = memoryIndex();
    await index.index(threadId, messages);
    const { hits, total, nextCursor } = await index.search(threadId, request);
    return { ids: hits.map(({ messageId }) => messageId), scores: hits.map(({ score }) => score), total, nextCursor };
  }

  it("is the BM25 score for a passage that stands alone", async () => {
    const messages = [say(0, "needle straw"), say(2, "straw straw"), say(4, "straw and more of it")];
    const { ids, scores } = await found(messages, { text: "needle straw" });
    expect(ids).toEqual(["m0", "m2", "m4"]);
    const weight = (holding: number) => Math.log(1 + (3 - holding + 0.5) / (holding + 0.5));
    const factor = (words: number) => 2.2 / (1 + 1.2 * (0.25 + (0.75 * words) / 3));
    expect(scores[0]).toBeCloseTo((weight(1) + weight(3)) * factor(2));
    expect(scores[1]).toBeCloseTo(weight(3) * factor(2));
    expect(scores[2]).toBeCloseTo(weight(3) * factor(5));
  });

  it("also counts words of neighbors in the same turn and branch, each once", async () => {
    const pair = (fields: Partial<Message>) => [
      say(1, "alpha one", { turn: 1 }),
      say(2, "beta two", { turn: 1, ...fields }),
    ];
    const [beside, elsewhere] = [
      await found(pair({}), { text: "alpha beta" }),
      await found(pair({ turn: 2 }), { text: "alpha beta" }),
    ];
    const weight = Math.log(1 + (2 - 1 + 0.5) / 1.5);
    const factor = 2.2 / (1 + 1.2 * (0.25 + 0.75));
    expect(elsewhere.scores[0]).toBeCloseTo(weight * factor);
    expect(beside.scores[0]).toBeCloseTo(0.7 * weight * factor + 0.3 * 2 * weight * factor);
    const branched = await found(pair({ branch: "side" }), { text: "alpha beta", branch: "side" });
    expect(branched.scores[0]).toBeCloseTo(weight * factor);
    const apart = await found([say(1, "alpha one", { turn: 1 }), say(3, "beta two", { turn: 1 })], {
      text: "alpha beta",
    });
    expect(apart.scores[0]).toBeCloseTo(weight * factor);
    const same = await found([say(1, "alpha one", { turn: 1 }), say(2, "alpha two", { turn: 1 })], { text: "alpha" });
    const both = Math.log(1 + 0.5 / 2.5);
    expect(same.scores[0]).toBeCloseTo(both * factor);
    // Equal scores: the newer first.
    expect(same.ids).toEqual(["m2", "m1"]);
  });

  it("is the same across pages, and ignores passages that may not be found", async () => {
    const messages = Array.from({ length: 5 }, (_, at) => say(2 * at, "needle"));
    const first = await found(messages, { text: "needle", limit: 2 });
    expect([first.ids, first.total, first.nextCursor]).toEqual([["m8", "m6"], 5, "after-2"]);
    const last = await found(messages, { text: "needle", limit: 3, cursor: "after-2" });
    expect([last.ids, last.total, last.nextCursor]).toEqual([["m4", "m2", "m0"], 5, null]);
    const hidden = [say(0, "needle straw"), say(2, "straw"), say(4, "needle", { branch: "side" })];
    const { ids, scores } = await found(hidden, { text: "needle straw" });
    expect(ids).toEqual(["m0", "m2"]);
    const weight = (holding: number) => Math.log(1 + (3 - holding + 0.5) / (holding + 0.5));
    expect(scores[1]).toBeCloseTo(weight(2) * (2.2 / (1 + 1.2 * (0.25 + (0.75 * 1) / (4 / 3)))));
  });

  it("can be limited by time, excluded messages and roles", async () => {
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
    const messages = [0, 1, 2].map((minute) => say(2 * minute, "needle", { createdAt: at(minute) }));
    expect((await found(messages, { text: "needle", after: at(1) })).ids).toEqual(["m4", "m2"]);
    expect((await found(messages, { text: "needle", before: at(1) })).ids).toEqual(["m0"]);
    expect((await found(messages, { text: "needle", after: at(1), before: at(2) })).ids).toEqual(["m2"]);
    expect((await found(messages, { text: "needle", except: [asMessageId("m2")] })).ids).toEqual(["m4", "m0"]);
    expect((await found(messages, { text: "needle", roles: ["assistant"] })).ids).toEqual([]);
  });

  it("refuses an invalid request and names the field", async () => {
    for (const [field, request] of [
      ["limit", { limit: 0 }],
      ["limit", { limit: 2_001 }],
      ["cursor", { cursor: "before-2" }],
      ["branch", { branch: "" }],
      ["roles", { roles: ["nobody"] }],
      ["after", { after: "yesterday" }],
    ] as const)
      await expect(readRecallRequest({ text: "x", ...request } as RecallRequest)).rejects.toThrow(
        expect.objectContaining({ code: "INVALID_QUERY", message: expect.stringMatching(new RegExp(`^${field}`)) }),
      );
    await expect(readRecallRequest(null as never)).rejects.toThrow(/^The query: /);
    expect(await readRecallRequest({ text: "needle" })).toMatchObject({
      ...{ offset: 0, limit: 20, terms: expect.arrayContaining(["needle"]) },
    });
  });
});
