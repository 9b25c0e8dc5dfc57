import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentThreads, countingTokenizer, hostileTexts } from "../laws/index.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import type { Message, MessageInput } from "../model/message.ts";
import { visibleText } from "../model/message-header.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { detectConstraints } from "./detect-constraints.ts";
import { detectPins } from "./detect-pins.ts";

const said = (text: string, more: Partial<MessageInput> = {}): Message =>
  AgentThread.empty(asThreadId("t"))
    .append([
      {
        id: asMessageId("m"),
        role: "user",
        parts: [{ type: "text", text }],
        createdAt: "2026-01-01T00:00:00.000Z",
        ...more,
      },
    ])
    .messageAt(0) as Message;
const textsIn = (text: string, more: Partial<MessageInput> = {}) =>
  detectConstraints(said(text, more)).map((pin) => pin.text);

describe("detectConstraints", () => {
  it.each([
    "Never delete production data.",
    "Always run the linter before you commit.",
    "Do not push without asking me first.",
    "Please don't touch the migrations folder.",
    "You must keep the public API stable.",
    "Only edit files under src if the tests cover them.",
    "Ask me before you install a dependency.",
  ])("finds: %s", (sentence) => {
    expect(textsIn(`Hello there. ${sentence} Thanks a lot.`)).toEqual([sentence]);
  });

  it.each([
    "Why does it never finish?",
    "I do not know what this does.",
    "It works now, thank you.",
    "```\nnever do this in code\n```",
  ])("finds no rule in: %s", (text) => {
    expect(textsIn(text)).toEqual([]);
  });

  it("finds rules in a list, without the list mark", () => {
    expect(textsIn("Rules:\n- Never commit to main\n2. Always write a test first")).toEqual([
      "Never commit to main",
      "Always write a test first",
    ]);
  });

  it("gives tool output, summaries, harness text and side branches no say", () => {
    const rule = "Never delete production data.";
    expect(textsIn(rule, { origin: "compaction" })).toEqual([]);
    expect(textsIn(rule, { origin: "harness" })).toEqual([]);
    expect(textsIn(rule, { branch: "side" })).toEqual([]);
    expect(textsIn(rule, { role: "assistant" })).toEqual([]);
    expect(detectConstraints(said(rule, { role: "system" }))[0]?.authority).toBe("system");
  });

  it("quotes its source exactly", () => {
    fc.assert(
      fc.property(hostileTexts, hostileTexts, (before, after) => {
        const message = said(`${before.toWellFormed()}\nNever drop the users table.\n${after.toWellFormed()}`);
        for (const pin of detectConstraints(message)) {
          expect(visibleText(message).slice(pin.source?.start, pin.source?.end)).toBe(pin.text);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("detectPins", () => {
  it("stays within its token cap and pins no text twice", () => {
    const { countTokens } = countingTokenizer();
    fc.assert(
      fc.property(agentThreads(), fc.nat(60), (thread, maxTokens) => {
        const rules = Array.from({ length: 8 }, (_, index) =>
          said(`Never use option ${index % 5} in production builds.`),
        );
        const pins = detectPins([...thread.messages, ...rules], [], { maxTokens, countTokens });
        expect(pins.reduce((sum, pin) => sum + countTokens(pin.text), 0)).toBeLessThanOrEqual(maxTokens);
        expect(new Set(pins.map((pin) => pin.text)).size).toBe(pins.length);
      }),
      { numRuns: 100 },
    );
  });
});
