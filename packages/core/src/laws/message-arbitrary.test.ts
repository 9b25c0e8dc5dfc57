import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headerOf } from "../budget/message-header.ts";
import { type MessageInput, messageInputSchema } from "../model/message.ts";
import { groupMessages } from "../plan/message-group.ts";
import { messageInputs } from "./message-arbitrary.ts";
import { agentThreads } from "./thread-arbitrary.ts";

const NO_SHARES = { text: 0, toolInput: 0, toolResult: 0, reasoning: 0, media: 0 };

describe("messageInputs", () => {
  it("makes messages that match the schema, with unique ids", () => {
    fc.assert(
      fc.property(messageInputs({ malformed: true }), (messages) => {
        for (const message of messages) expect(messageInputSchema.safeParse(message).error).toBeUndefined();
        expect(new Set(messages.map((message) => message.id)).size).toBe(messages.length);
      }),
      { numRuns: 200 },
    );
  });

  it("respects maxMessages", () => {
    fc.assert(
      fc.property(messageInputs({ maxMessages: 5 }), (messages) => {
        expect(messages.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 100 },
    );
  });

  it("pairs every result unless malformed transcripts are requested", () => {
    fc.assert(
      fc.property(agentThreads(), (thread) => {
        const headers = [...thread.messages].map((message) => headerOf(message, 0, NO_SHARES, undefined));
        expect(groupMessages(headers).issues).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("produces every oddity that it promises", () => {
    const seen = new Set<string>();
    for (const messages of fc.sample(messageInputs({ malformed: true }), { numRuns: 150, seed: 7 })) {
      for (const message of messages) for (const oddity of oddities(message)) seen.add(oddity);
    }
    const promised = [
      "branch",
      "compaction",
      "empty parts",
      "empty text",
      "harness",
      "hostile id",
      "huge",
      "look-alike",
      "media",
    ];
    expect([...seen].sort()).toEqual(
      [...promised, "opaque", "reasoning only", "signed", "system mid-way", "unsigned"].sort(),
    );
  });

  it("produces every kind of pairing problem", () => {
    const kinds = new Set<string>();
    for (const thread of fc.sample(agentThreads({ malformed: true }), { numRuns: 150, seed: 7 })) {
      const headers = [...thread.messages].map((message) => headerOf(message, 0, NO_SHARES, undefined));
      const grouped = groupMessages(headers);
      for (const issue of grouped.issues) kinds.add(issue.kind);
      if (grouped.groups.some((group) => group.openCalls.length > 0)) kinds.add("open-call");
    }
    expect([...kinds].sort()).toEqual(["ambiguous-call", "duplicate-result", "open-call", "orphan-result"]);
  });
});

function oddities(message: MessageInput): readonly string[] {
  const { parts } = message;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const reasoning = parts.filter((part) => part.type === "reasoning");
  const found: Record<string, boolean> = {
    branch: message.branch !== undefined,
    [message.origin ?? "branch"]: message.origin !== undefined || message.branch !== undefined,
    "empty parts": parts.length === 0,
    "empty text": texts.some((text) => text.trim() === ""),
    "hostile id": message.id === "__proto__",
    huge: JSON.stringify(parts).length > 10_000,
    "look-alike": texts.includes("[Context Summary - Turns 1-2]"),
    media: parts.some((part) => part.type === "image" || part.type === "file"),
    opaque: parts.some((part) => part.type === "opaque"),
    "reasoning only": reasoning.length > 0 && reasoning.length === parts.length,
    signed: reasoning.some((part) => part.signature !== undefined),
    unsigned: reasoning.some((part) => part.signature === undefined && part.encrypted === undefined),
    "system mid-way": message.role === "system" && message.id !== "m1",
  };
  return Object.keys(found).filter((oddity) => found[oddity]);
}
