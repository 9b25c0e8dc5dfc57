import { asThreadId, type ChatMessage, type CompletionModel, type MessageInput } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { FORMATS } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { presetByName } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "../replay/replay-thread.ts";
import { tokenizer } from "../testing/agent-work.ts";

const threadId = asThreadId("worded");
const said = (index: number): MessageInput =>
  message(
    `m${index}`,
    index % 2 === 0 ? "user" : "assistant",
    `Part ${index} of src/part_${index}.ts. `.padEnd(6_000, "x"),
  );
const turns = (from: number, to: number): readonly MessageInput[] =>
  Array.from({ length: to - from }, (_, index) => said(from + index));

const firstText = ({ parts: [part] }: ChatMessage): string => (part?.type === "text" ? part.text : "");

/** The summaries in a request after two folds, and how it comes out of a session that is resumed and of a replay. */
async function summariesOf(preset: string, format = FORMATS[0]) {
  const store = createMemoryStore();
  const open = () =>
    ContextSession.open({
      threadId,
      store,
      preset: presetByName(preset),
      ...(format !== undefined && { format }),
      config: { maxInputTokens: 200_000, detectPins: false },
    });
  const session = await open();
  for (const [from, to] of [
    [0, 61],
    [61, 101],
  ] as const) {
    await session.append(turns(from, to));
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect((await session.prepare()).violations).toEqual([]);
  }
  const { request, digest } = await session.prepare();
  const resumed = (await (await open()).prepare()).digest;
  const shown = request.messages
    .filter(({ synthetic }) => synthetic === "summary")
    .map((message) => ({ role: message.role, text: firstText(message) }));
  return { shown, isResumed: resumed === digest, replayed: await replayThread(store, threadId) };
}

/** What a seed puts before the summary, word for word, and the role that it gives it. */
const SEEDS = [
  ["goat-22", "goat", "user", "[COMPACT SUMMARY]"],
  [
    "codex-9",
    "codex",
    "user",
    "Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:",
  ],
  [
    "pi-6",
    "pi",
    "user",
    "Another language model worked on this task and produced a summary. Use this to continue the work without duplicating effort:",
  ],
  ["layer-16", "ai-sdk", "assistant", "## Session Summary (Compaction Round 2)"],
] as const;

describe.each(SEEDS)("%s, %s: the summary in the request", (_seed, preset, role, introduction) => {
  it("pi-6 codex-9 goat-22 begins with the document's words, followed by the frame of a summary", async () => {
    const { shown } = await summariesOf(preset);
    expect(shown[0]?.role).toBe(role);
    expect(shown[0]?.text.split("\n").slice(0, 2)).toEqual([
      introduction,
      expect.stringMatching(/^\[Context Summary - Turns 1-\d+\]$/),
    ]);
  });

  it("P2 is the same bytes when the session is resumed and when it is replayed, in every format", async () => {
    for (const format of FORMATS) {
      const { isResumed, replayed } = await summariesOf(preset, format);
      expect(isResumed).toBe(true);
      expect(replayed.map(({ equal, problem }) => ({ equal, problem }))).toEqual(
        Array.from({ length: 4 }, () => ({ equal: true, problem: null })),
      );
    }
  });
});

it("goat-23 goat: the assistant answers the summary with Understood.", async () => {
  const { shown } = await summariesOf("goat");
  expect(shown.slice(1)).toEqual([{ role: "assistant", text: "Understood." }]);
});

it("pi-16 pi: the summarizing model gets a maxTokens of 13 107, 0.8 of the reserve", async () => {
  const asked: number[] = [];
  const summaryModel: CompletionModel = {
    id: "asked",
    complete: async ({ maxOutputTokens }) => {
      asked.push(maxOutputTokens);
      return { text: '{"add":{"identifiers":["src/part_0.ts"]}}', finish: "stop", toolCalls: 0 };
    },
  };
  const config = { maxInputTokens: 200_000 };
  const session = await ContextSession.open({ threadId, preset: presetByName("pi"), summaryModel, tokenizer, config });
  await session.append(turns(0, 61));
  expect((await session.compact({ force: true })).type).toBe("committed");
  expect(new Set(asked)).toEqual(new Set([13_107]));
});

it.each(["threadfold", "claude-code", "opencode", "spring-session"])(
  "%s, whose seed has no such words, puts nothing but the frame around a summary",
  async (preset) => {
    const { shown } = await summariesOf(preset);
    expect(shown.at(-1)?.text).toMatch(/^\[Context Summary - Turns /);
  },
);

describe("the AI SDK layer's own condition", () => {
  it("keeps ten messages uncompacted below the room, however large they are", async () => {
    const session = await ContextSession.open({
      ...{ threadId, tokenizer },
      ...{ preset: presetByName("ai-sdk"), store: createMemoryStore() },
    });
    await session.append(turns(0, 9));
    await session.append([message("m9", "assistant", "word ".repeat(78_000))]);
    const { outcome, tokens } = await session.prepare();
    expect(tokens).toBeGreaterThan(105_000);
    expect(outcome?.type).toBe("no-op");
    await session.append(turns(10, 14));
    expect((await session.prepare()).outcome?.type).toBe("committed");
  });
});
