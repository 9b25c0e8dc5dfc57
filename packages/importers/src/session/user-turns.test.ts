import type { Part } from "@threadfold/core";
import { growthOnQuadrupling } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { messageReader } from "../live/message-reader.ts";
import { afterSummary, turnAuthor } from "./session-draft.ts";

const texts = (...words: readonly string[]): readonly Part[] => words.map((text) => ({ type: "text", text }));

const HANDED_OVER = [
  "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAnalysis: …",
  "Another language model started to solve this problem and produced a summary of its thinking process.\n1. …",
  "The conversation history before this point was compacted into the following summary:\n\n<summary>\n…\n</summary>",
  "Here is a summary of the conversation to date:\n\nThe user builds a shop.",
  "You are in the middle of a conversation that has been summarized.\n\nA condensed summary follows:\n…",
  "<state_snapshot>\n  <overall_goal>Build a shop.</overall_goal>\n</state_snapshot>",
];
const ADDED = [
  "[Request interrupted by user]",
  "[Request interrupted by user for tool use]",
  "<system-reminder>\nYour todo list is empty.\n</system-reminder>\n",
  "<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>",
  "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nUse pnpm.\n</INSTRUCTIONS>",
];
const TYPED = [
  "Please summarize the conversation to date.",
  "Here is a summary of the conversation to date that I had with the customer: she wants her money back.",
  "<INSTRUCTIONS>\nTranslate this page.\n</INSTRUCTIONS>",
  "<system-reminder>Be short.</system-reminder>\nWhy is the build red?",
  "[Request interrupted by user] was printed. Why?",
  "",
];

describe("turnAuthor", () => {
  it.each(HANDED_OVER)("knows a summary that an agent hands over: %s", (text) => {
    expect(turnAuthor(texts(text))).toBe("compaction");
    expect(turnAuthor(texts(ADDED[2] as string, text))).toBe("compaction");
  });

  it.each(ADDED)("knows what a harness adds: %s", (text) => {
    expect(turnAuthor(texts(text))).toBe("harness");
  });

  it.each(TYPED)("leaves a person what a person typed: %s", (text) => {
    expect(turnAuthor(texts(text))).toBeUndefined();
    for (const added of [...ADDED, ...HANDED_OVER]) expect(turnAuthor(texts(added, text))).toBeUndefined();
  });

  it("leaves a person what is shown beside it", () => {
    expect(turnAuthor([])).toBeUndefined();
    expect(
      turnAuthor([...texts(ADDED[0] as string), { type: "image", url: "https://example.com/a.png" } as never]),
    ).toBe(undefined);
  });

  it("R29: takes linear time on tags that never close", async () => {
    const hostile = (size: number): readonly Part[] =>
      texts(`<system-reminder>${"</system-reminder> ".repeat(size)}x`, `${" ".repeat(20 * size)}x`);
    expect(await growthOnQuadrupling(hostile, turnAuthor, 20_000)).toBeLessThan(10);
  });
});

describe("afterSummary", () => {
  it("divides a summary from what was typed after it, and nothing else", () => {
    const [summary] = HANDED_OVER as [string, ...string[]];
    const [, , reminder] = ADDED as [string, string, string, ...string[]];
    expect(afterSummary(texts(summary, reminder, "Go on.", reminder))).toEqual({
      summary: texts(summary, reminder),
      typed: texts("Go on.", reminder),
    });
    for (const parts of [texts(summary), texts("Go on.", summary), texts(reminder, "Go on."), []])
      expect(afterSummary(parts)).toBeNull();
  });
});

const [SUMMARY] = HANDED_OVER as [string, ...string[]];

describe("a summary of an agent in requests", () => {
  it.each([
    ["anthropic-messages", (text: string) => ({ role: "user", content: text })],
    ["openai-chat", (text: string) => ({ role: "user", content: text })],
    ["openai-responses", (text: string) => ({ role: "user", content: [{ type: "input_text", text }] })],
    ["gemini", (text: string) => ({ role: "user", parts: [{ text }] })],
    ["ai-sdk", (text: string) => ({ role: "user", content: text })],
  ] as const)("is no person's in %s", (format, message) => {
    const [summary, request] = messageReader(format, { seed: "s" }).read([message(SUMMARY), message("Add a test.")]);
    expect([summary?.origin, request?.origin]).toEqual(["compaction", undefined]);
  });

  it("is parted from the words that the API merged with it, and one message again on its way out", async () => {
    const content = [
      { type: "text", text: SUMMARY },
      { type: "text", text: "Add a test." },
    ];
    const messages = [
      { role: "user", content },
      { role: "assistant", content: "Done." },
    ];
    const log = Buffer.from(JSON.stringify({ model: "claude-opus-4-5", messages }));
    const session = await importSession(log, { format: "anthropic-messages" });
    expect(session.messages.map(({ role, origin, parts }) => [role, origin, parts.length])).toEqual([
      ["user", "compaction", 1],
      ["user", undefined, 1],
      ["assistant", undefined, 1],
    ]);
    const positions = messageReader("anthropic-messages", { seed: "s" })
      .read(messages)
      .map(({ metadata }) => metadata?.["positions"]);
    expect(positions).toEqual([[0], [0], [1]]);
  });
});
