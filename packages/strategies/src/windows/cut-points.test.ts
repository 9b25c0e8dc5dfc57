import {
  AgentThread,
  asMessageId,
  asThreadId,
  asToolCallId,
  compactionConfig,
  groupMessages,
  type MessageInput,
  type ThreadShape,
  TokenLedger,
  threadShape,
} from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { durabilityPolicy } from "../durability/durability-policy.ts";
import { type CutPoint, snapToTurnStart } from "./cut-point.ts";
import {
  lastMessages,
  lastMessagesFromTurnStart,
  lastShareOfMessages,
  lastTokensFromTurnStart,
  lastTokensSplittingTurns,
  lastTurns,
} from "./cut-points.ts";

/** A thread from a line of letters: `u` user, `a` assistant, `c` assistant with a call, `t` its result. */
function threadOf(letters: string, characters = 40): ThreadShape {
  let call = 0;
  const messages = [...letters.replaceAll(/[^ucat]/g, "")].map((letter, index): MessageInput => {
    const base = { id: asMessageId(`m${index}`), createdAt: "2026-01-01T00:00:00.000Z" };
    const text = { type: "text" as const, text: letter.repeat(characters) };
    if (letter === "u" || letter === "a")
      return { ...base, role: letter === "u" ? "user" : "assistant", parts: [text] };
    if (letter === "c")
      return {
        ...base,
        role: "assistant",
        parts: [{ type: "tool-call", callId: asToolCallId(`c${++call}`), toolName: "bash", input: {} }],
      };
    const result = { toolName: "bash", callId: asToolCallId(`c${call}`), outcome: "success" as const, content: text };
    return { ...base, role: "tool", parts: [{ type: "tool-result", result }] };
  });
  const thread = AgentThread.empty(asThreadId("t")).append(messages);
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(compactionConfig())).extend(thread);
  return threadShape(thread, ledger, groupMessages(ledger.headers));
}
const cutIn = (cut: CutPoint, letters: string, characters?: number) => cut(threadOf(letters, characters));

describe("cut points", () => {
  it("seed 000: of 14 messages the last 40 % stay, from message 9 on", () => {
    expect(cutIn(lastShareOfMessages(0.4), "uct uct uct uct ua")).toBe(9);
  });

  it("seed 000: a cut before a tool result moves to its call", () => {
    expect(cutIn(lastMessages(1), "uct")).toBe(1);
    expect(cutIn(lastMessages(2), "ucta")).toBe(1);
  });

  it("seed 003: of 50 messages the last 10 stay", () => {
    expect(cutIn(lastMessages(10), `u${"ct".repeat(24)}a`)).toBe(39);
    expect(cutIn(lastMessages(10), `${"ua".repeat(25)}`)).toBe(40);
    expect(cutIn(lastMessages(10), "ua".repeat(5))).toBe(0);
  });

  it("seed 004: a cut inside a turn moves forward to the next user message", () => {
    expect(snapToTurnStart(threadOf("ua ua a ua"), 4)).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(3), "ua ua a ua")).toBe(5);
    expect(cutIn(lastMessagesFromTurnStart(20), "ua ua")).toBe(0);
  });

  it("seed 004: a turn window keeps whole turns", () => {
    expect(cutIn(lastTurns(2), "uct a ua uct a ua")).toBe(6);
    expect(cutIn(lastTurns(10), "ua ua")).toBe(0);
  });

  it("S22 a token suffix ends at the first message that does not fit", () => {
    expect(cutIn(lastTokensFromTurnStart(60), "ua ua ua ua")).toBe(4);
    expect(cutIn(lastTokensFromTurnStart(10_000), "ua ua")).toBe(0);
  });

  it("seed 001: pi cuts at a turn, and keeps the last four of u4 a4 t4 a4", () => {
    expect(cutIn(lastMessagesFromTurnStart(4), "u ctt a ua uct ct a u ct a")).toBe(13);
    expect(cutIn(lastTokensSplittingTurns(60), "uct a uct a")).toBe(4);
  });

  it("L20 splits a turn that is larger than what is kept, before an assistant message", () => {
    const cut = cutIn(lastTokensSplittingTurns(60), `u${"ct".repeat(20)}`);
    expect(cut).toBeGreaterThan(30);
    expect(threadOf(`u${"ct".repeat(20)}`).header(cut).role).toBe("assistant");
  });

  it("S13 S24 refuses counts that are none", () => {
    for (const count of [-1, 1.5, Number.NaN]) {
      expect(() => lastMessages(count)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
    }
    expect(() => lastShareOfMessages(1)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});
