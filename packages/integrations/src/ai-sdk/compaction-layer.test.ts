import { asMessageId, asThreadId, type CompletionModel, type CompletionRequest } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { importSession } from "@threadfold/importers";
import { ContextSession } from "@threadfold/session";
import { presetByName } from "@threadfold/strategies";
import type { ModelMessage } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CompactionEvent,
  compact,
  DEFAULT_CONFIG,
  estimateMessagesTokens,
  estimateTokens,
  generateSummary,
  safeCompact,
  selectMessagesToCompact,
  shouldCompact,
} from "./compaction-layer.ts";

const step = (index: number): readonly ModelMessage[] => [
  {
    role: "assistant",
    content: [
      { type: "text", text: `Step ${index}.` },
      { type: "tool-call", toolCallId: `c${index}`, toolName: "run", input: { step: index } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `c${index}`,
        toolName: "run",
        output: { type: "text", value: "x".repeat(900) },
      },
    ],
  },
];
const steps = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => step(from + index)).flat();
const opening: readonly ModelMessage[] = [
  { role: "system", content: "You build apps." },
  { role: "user", content: "Build a flashcard app." },
];

function modelOf(text = "### Session Summary (Compaction Round 9)\n\n#### Original Task\nBuild a flashcard app.") {
  const asked: CompletionRequest[] = [];
  const model: CompletionModel = {
    id: "agent's own",
    complete: async (request) => {
      asked.push(request);
      return { text, finish: "stop", toolCalls: 0 };
    },
  };
  return { model, asked };
}

describe("the AI SDK layer, by requirement", () => {
  it("layer-1 layer-36 estimateTokens returns a quarter of the characters, rounded up, and 0 for anything but text", () => {
    expect([estimateTokens(""), estimateTokens("abcd"), estimateTokens("abcde")]).toEqual([0, 1, 2]);
    for (const value of [undefined, null, 5]) expect(estimateTokens(value as unknown as string)).toBe(0);
  });

  it("layer-2 estimateMessagesTokens counts 2 per role plus texts, calls and results", () => {
    expect(estimateMessagesTokens([{ role: "user", content: "abcdefghijkl" }])).toBe(5);
    expect(estimateMessagesTokens(step(1))).toBeGreaterThan(225);
  });

  it("layer-6 layer-7 layer-10 layer-11 layer-12 shouldCompact is true from 93 600 tokens on, but never for kept messages alone", () => {
    const chat = (tokens: number, count: number): readonly ModelMessage[] =>
      Array.from({ length: count }, () => ({ role: "user", content: "x".repeat(4 * (tokens / count - 2)) }));
    expect(shouldCompact(chat(93_588, 12))).toBe(false);
    expect(shouldCompact(chat(93_600, 12))).toBe(true);
    expect(shouldCompact(chat(990_000, 11))).toBe(false);
    const config = { ...DEFAULT_CONFIG, modelContextLimit: 20_000, recentMessagesToKeep: 4 };
    expect(shouldCompact(chat(7_199.5 * 2, 8), config)).toBe(true);
    expect(shouldCompact(chat(7_192, 8), config)).toBe(false);
  });

  it("layer-13 layer-14 layer-15 selectMessagesToCompact keeps the system message, the last ten, and calls with their results", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 20 }), (count, keepLast) => {
        const messages = [...opening, ...steps(0, count)];
        const { messagesToCompact, messagesToKeep } = selectMessagesToCompact(messages, keepLast);
        expect(messagesToCompact.length + messagesToKeep.length).toBe(messages.length);
        expect(messagesToKeep[0]).toBe(messages[0]);
        const [first] = messagesToKeep.slice(1);
        if (messagesToCompact.length > 0) {
          expect(messagesToKeep.length).toBeGreaterThanOrEqual(keepLast + 1);
          expect(first?.role).not.toBe("tool");
        }
      }),
    );
    expect(selectMessagesToCompact(steps(0, 25)).messagesToKeep).toHaveLength(10);
  });

  it("layer-18 layer-19 layer-21 layer-22 generateSummary sends the layer's prompt with its figures", async () => {
    const { model, asked } = modelOf();
    const summary = await generateSummary(steps(0, 2), null, "Build a flashcard app.", 1, model);
    expect(summary.split("\n")[0]).toBe("## Session Summary (Compaction Round 1)");
    expect(asked[0]).toMatchObject({ maxOutputTokens: 1_000, temperature: 0.3 });
    const text = asked[0]?.messages[0]?.text ?? "";
    expect(text).toMatch(/^## Previous Summary\nNone - this is the first compaction round\./);
    expect(text).toContain("## Original User Task\nBuild a flashcard app.");
    expect(text).toContain("### Session Summary (Compaction Round 1)");
    expect(text).toMatch(/\[Result: .{500}\.\.\.\]/);
    await expect(generateSummary(steps(0, 2), null, "t", 1, modelOf(" ").model)).rejects.toMatchObject({
      code: "SUMMARIZER_FAILED",
    });
  });

  it("layer-16 layer-23 layer-24 layer-25 compact makes one summary per round, which absorbs the previous one", async () => {
    const { model, asked } = modelOf();
    const first = await compact([...opening, ...steps(0, 24)], { model });
    expect(first.compactionEvent).toMatchObject({ round: 1, compactedMessages: 39 });
    expect(first.compactedMessages).toHaveLength(12);
    expect(first.compactionEvent.tokensAfter).toBe(estimateMessagesTokens(first.compactedMessages));
    const second = await compact([...first.compactedMessages, ...steps(24, 44)], { model });
    expect(second.compactionEvent.round).toBe(2);
    expect(asked[1]?.messages[0]?.text).toContain("## Previous Summary\n## Session Summary (Compaction Round 1)");
    const summaries = second.compactedMessages.filter(({ content }) =>
      String(content).startsWith("## Session Summary"),
    );
    expect(summaries).toEqual([second.compactedMessages[1]]);
    expect((await compact(opening, { model })).compactionEvent.round).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it("layer-28 layer-29 safeCompact returns the messages unchanged and reports the error when model or host fails", async () => {
    const messages = [...opening, ...steps(0, 24)];
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const down: CompletionModel = { id: "down", complete: () => Promise.reject(new Error("down")) };
    expect(await safeCompact(messages, { model: down, onError })).toBe(messages);
    const onCompaction = () => Promise.reject(new Error("disk is full"));
    expect(await safeCompact(messages, { model: modelOf().model, onCompaction, onError })).toBe(messages);
    expect(errors).toHaveLength(2);
    expect(await safeCompact(messages, { model: modelOf().model })).toHaveLength(12);
  });

  it("layer-3 a tool call in the older form is counted when its log is imported", async () => {
    const calls = [
      {
        id: "c",
        type: "function",
        function: { name: "run", arguments: JSON.stringify({ x: "order 4711 ".repeat(60) }) },
      },
    ];
    const log = (tool_calls: readonly object[]) =>
      JSON.stringify({
        messages: [
          { role: "user", content: "Go." },
          { role: "assistant", content: "Yes.", ...(tool_calls.length > 0 && { tool_calls }) },
        ],
      });
    const tokens = async (text: string) => {
      const { messages } = await importSession(new TextEncoder().encode(text));
      const session = await ContextSession.open({ threadId: asThreadId("t") });
      await session.append(messages);
      return session.stats().tokens;
    };
    expect((await tokens(log(calls))) - (await tokens(log([])))).toBeGreaterThanOrEqual(100);
  });

  it("layer-9 a session has the context window of its model, so that gpt-4 folds within its own", async () => {
    const session = await ContextSession.open({
      threadId: asThreadId("t"),
      model: "gpt-4",
      preset: presetByName("ai-sdk"),
    });
    expect(session.config.maxInputTokens).toBeLessThanOrEqual(8_192);
    expect(session.config.maxInputTokens).toBeGreaterThan(2_000);
  });

  it("layer-17 layer-20 layer-26 the first request goes word for word into the summary prompt and stays in a session", async () => {
    const { model, asked } = modelOf();
    await compact([...opening, ...steps(0, 24)], { model });
    expect(asked[0]?.messages[0]?.text).toContain("## Original User Task\nBuild a flashcard app.");
    expect(selectMessagesToCompact([...opening, ...steps(0, 24)]).messagesToCompact).toContain(opening[1]);
    await compact([{ role: "system", content: "s" }, ...steps(0, 24)], { model });
    expect(asked[1]?.messages[0]?.text).toContain("## Original User Task\nUnknown task");
    const session = await ContextSession.open({ threadId: asThreadId("t"), preset: presetByName("ai-sdk") });
    await session.append([
      message("task", "user", "Build a flashcard app."),
      ...Array.from({ length: 30 }, (_, n) => message(`a${n}`, "assistant", "x".repeat(4_000))),
    ]);
    expect((await session.compact({ force: true })).type).toBe("committed");
    const { manifest } = await session.render();
    expect(manifest.messages.find(({ sources }) => sources.includes(asMessageId("task")))?.action).toBe("include");
  });

  it("layer-27 layer-30 a compaction is reported in figures and handed to onCompaction for storage", async () => {
    const stored: CompactionEvent[] = [];
    const messages = [...opening, ...steps(0, 24)];
    await safeCompact(messages, { model: modelOf().model, onCompaction: async (event) => void stored.push(event) });
    expect(stored).toEqual([
      expect.objectContaining({ round: 1, tokensBefore: estimateMessagesTokens(messages), compactedMessages: 39 }),
    ]);
    const told: string[] = [];
    const session = await ContextSession.open({
      threadId: asThreadId("t"),
      preset: presetByName("ai-sdk"),
      onEvent: (event) => event.type === "compaction_boundary" && told.push(event.notice.text),
    });
    await session.append(
      Array.from({ length: 30 }, (_, n) => message(`m${n}`, n % 2 ? "assistant" : "user", "x".repeat(800))),
    );
    await session.compact({ force: true });
    expect(told).toEqual([expect.stringMatching(/\d[\d,]* .*\d/)]);
  });

  it("layer-33 layer-34 an empty or short conversation stays unchanged", async () => {
    const { model, asked } = modelOf();
    for (const messages of [[], [opening[0]], [...opening, ...steps(0, 4)]] as (readonly ModelMessage[])[]) {
      expect(shouldCompact(messages)).toBe(false);
      expect((await compact(messages, { model })).compactedMessages).toEqual(messages);
    }
    expect(asked).toEqual([]);
  });

  it("layer-35 several rounds work in sequence, even if the model fails in one of them", async () => {
    const { model } = modelOf();
    const down: CompletionModel = { id: "down", complete: () => Promise.reject(new Error("down")) };
    let messages: readonly ModelMessage[] = opening;
    for (let round = 1; round <= 4; round++) {
      messages = [...messages, ...steps(30 * round, 30 * round + 24)];
      const after = await safeCompact(messages, { model: round === 3 ? down : model });
      expect(after.length).toBe(round === 3 ? messages.length : 12);
      messages = after;
    }
    expect(messages[1]?.content).toMatch(/^## Session Summary \(Compaction Round 3\)/);
  });
});
