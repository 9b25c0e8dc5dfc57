import {
  AgentThread,
  asMessageId,
  asThreadId,
  canonicalJson,
  type MessageInput,
  type ThreadEntryInput,
} from "@threadfold/core";
import { runs, threadEntryInputs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_MASKS, type Mask } from "../mask/mask-rule.ts";
import { sampleMessages } from "../testing/sample-messages.ts";
import { type GoldenConversation, maskConversation } from "./golden-conversation.ts";

const NOW = "2026-01-01T00:00:00.000Z";
const THREAD = asThreadId("019a1b2c-0000-7000-8000-000000000001");

const conversation = (entries: readonly ThreadEntryInput[]): GoldenConversation => ({
  threadId: THREAD,
  frame: { system: ["Today is 2026-11-22."], tools: [] },
  entries: AgentThread.empty(THREAD).appendEntries(entries).entriesBetween(0),
  pinned: true,
});
const ofMessages = (messages: readonly MessageInput[]) =>
  conversation(messages.map((message) => ({ type: "message", message })));

/** Masks that look around them, up to the ends of a text and at one another, which naive masking is not stable under. */
const awkward: readonly Mask[] = [
  "times",
  "ids",
  { name: "end", pattern: /[a-z]+\s*$/ },
  { name: "word", pattern: /\b\w\b/ },
  { name: "number", pattern: /\d+/ },
];
const runTexts = fc.oneof(
  fc.constantFrom("2026-11-22T02:13:35.123Z", "toolu_01ABCDEFGHIJKL", "a 7 b"),
  fc.uuid(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toUTCString()),
);
const volatileTexts = fc.oneof(runTexts, fc.constantFrom("<time>", "message-1", "id-2 <id-1>"), fc.string());

/** Generated threads that end with messages of such texts. */
const threadsWith = (texts: fc.Arbitrary<string>, malformed: boolean) =>
  fc
    .tuple(threadEntryInputs({ malformed }), fc.array(texts, { maxLength: 12 }))
    .map(([entries, added]) => conversation([...entries, ...added.map(textEntry)]));
const textEntry = (text: string, index: number): ThreadEntryInput => ({
  type: "message",
  message: { id: asMessageId(`text${index}`), role: "user", parts: [{ type: "text", text }], createdAt: NOW },
});
const volatileThreads = threadsWith(volatileTexts, true);
const masks = fc.constantFrom<readonly Mask[]>(BUILT_IN_MASKS, ["times"], awkward, []);

describe("masking", () => {
  it("is deterministic and idempotent", () => {
    fc.assert(
      fc.property(volatileThreads, masks, (input, chosen) => {
        const once = maskConversation(input, chosen, NOW);
        expect(canonicalJson(maskConversation(input, chosen, NOW))).toBe(canonicalJson(once));
        expect(canonicalJson(maskConversation(once, chosen, NOW))).toBe(canonicalJson(once));
      }),
      runs(100),
    );
  });

  it("gives entries that a thread accepts, as many as before and with as many ids", () => {
    fc.assert(
      fc.property(volatileThreads, masks, (input, chosen) => {
        const { threadId, entries } = maskConversation(input, chosen, NOW);
        const before = AgentThread.empty(THREAD).appendEntries(input.entries);
        const after = AgentThread.empty(threadId).appendEntries(entries);
        expect(after.version).toBe(before.version);
        expect(new Set([...after.messages].map(({ id }) => id)).size).toBe(before.length);
        expect(after.livePins.length).toBe(before.livePins.length);
      }),
      runs(100),
    );
  });

  it("leaves what came before as it is when a conversation grows", () => {
    fc.assert(
      fc.property(threadsWith(runTexts, false), fc.nat(), (input, at) => {
        const length = at % (input.entries.length + 1);
        const shorter = maskConversation({ ...input, entries: input.entries.slice(0, length) }, ["times", "ids"], NOW);
        const whole = maskConversation(input, ["times", "ids"], NOW);
        expect(canonicalJson(whole.entries.slice(0, length))).toBe(canonicalJson(shorter.entries));
      }),
      runs(60),
    );
  });

  it("makes two runs that differ in ids and times one", () => {
    const [first, second] = [
      sampleMessages(5, { run: "a1b2c3d4", startMs: Date.UTC(2025, 3, 1) }),
      sampleMessages(5, { run: "99ff00ee", startMs: Date.UTC(2026, 10, 22, 2, 13) }),
    ].map((messages) => maskConversation(ofMessages(messages), ["times", "ids"], NOW));
    expect(second).toEqual(first);
    const [question, call, result] = first?.entries ?? [];
    expect(question).toMatchObject({ message: { id: "message-1", createdAt: NOW } });
    expect(JSON.stringify(question)).toContain("Question 0 at <time>: what is in file 0?");
    expect(call).toMatchObject({ message: { parts: [{ callId: "call-1", input: { path: "file-0.txt" } }] } });
    expect(JSON.stringify(result)).toContain("Read <time> by <call-1>.");
    expect(first?.frame.system).toEqual(["Today is <time>."]);
  });

  it("leaves names of models, versions and plain words alone", () => {
    const text = "gpt-4o-2024-08-06, claude-sonnet-4-5-20250929, call_everything_at_once, 1.2.3, deadbeef";
    const input = ofMessages([
      { id: "m" as MessageInput["id"], role: "user", parts: [{ type: "text", text }], createdAt: NOW },
    ]);
    expect(JSON.stringify(maskConversation(input, BUILT_IN_MASKS, NOW))).toContain(text);
  });

  it.each([
    ["an unknown name", ["dates"]],
    ["a pattern that matches nothing", [{ name: "gap", pattern: /x*/ }]],
    ["a malformed name", [{ name: "Port 1", pattern: /x/ }]],
    ["no mask at all", [null]],
  ])("refuses %s", (_case, chosen) => {
    const input = ofMessages(sampleMessages(1, { run: "aa", startMs: 0 }));
    expect(() => maskConversation(input, chosen as unknown as readonly Mask[], NOW)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    );
  });
});
