import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import { messageInputs } from "../laws/message-arbitrary.ts";
import { withTextReplaced } from "../laws/text-arbitrary.ts";
import { messageInputSchema, messageSchema } from "./message.ts";

const user = { id: "m1", role: "user", createdAt: "2025-01-01T00:00:00.000Z", parts: [{ type: "text", text: "hi" }] };
const call = { type: "tool-call", callId: "c1", toolName: "read", input: { path: "a" } };
const result = {
  type: "tool-result",
  result: { toolName: "read", callId: "c1", outcome: "success", content: { type: "text", text: "" } },
};
const assistant = { ...user, role: "assistant" };
const tool = { ...user, role: "tool", parts: [result] };

describe("messageInputSchema", () => {
  it("accepts every generated message without loss", () => {
    fc.assert(
      fc.property(messageInputs({ malformed: true, maxMessages: 10 }), (messages) => {
        for (const message of messages)
          expect(canonicalJson(messageInputSchema.parse(message))).toBe(canonicalJson(message));
      }),
      { numRuns: 200 },
    );
  });

  it("accepts no lone surrogate in any text field, because it could not be hashed", () => {
    const cases = messageInputs({ malformed: true, maxMessages: 6 }).filter((messages) => messages.length > 0);
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat(), (messages, which, leaf) => {
        const broken = withTextReplaced(messages[which % messages.length], leaf, "a\ud800");
        expect(messageInputSchema.safeParse(broken).success).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, unknown]>([
    ["a user message", user],
    ["a message without parts", { ...user, parts: [] }],
    ["an assistant message with a call", { ...assistant, parts: [{ type: "text", text: "" }, call] }],
    ["a call with invalid JSON arguments", { ...assistant, parts: [{ ...call, input: "{", invalidInput: "{" }] }],
    ["a tool message", tool],
    [
      "a message of a branch with usage and metadata",
      {
        ...assistant,
        branch: "a/b",
        origin: "harness",
        usage: { inputTokens: 1, outputTokens: 0 },
        metadata: { raw: [null] },
      },
    ],
    ["an image", { ...user, parts: [{ type: "image", source: { kind: "url", url: "https://example.com/a.png" } }] }],
    ["an opaque item", { ...assistant, parts: [{ type: "opaque", provider: "openai", value: null }] }],
  ])("accepts %s", (_, message) => {
    expect(messageInputSchema.safeParse(message).error).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["an empty id", { ...user, id: "" }],
    ["an id that is not text", { ...user, id: 7 }],
    ["an unknown role", { ...user, role: "developer" }],
    ["no time", { ...user, createdAt: undefined }],
    ["parts that are not a list", { ...user, parts: "hi" }],
    ["an unknown part", { ...user, parts: [{ type: "audio" }] }],
    ["a text part without text", { ...user, parts: [{ type: "text" }] }],
    ["a call in a user message", { ...user, parts: [call] }],
    ["a call in a tool message", { ...tool, parts: [result, call] }],
    ["a result in an assistant message", { ...assistant, parts: [result] }],
    ["a tool message without a result", { ...tool, parts: [{ type: "text", text: "x" }] }],
    ["a tool message with two results", { ...tool, parts: [result, result] }],
    ["an unknown outcome", { ...tool, parts: [{ ...result, result: { ...result.result, outcome: "ok" } }] }],
    ["a call without an id", { ...assistant, parts: [{ ...call, callId: "" }] }],
    ["an input that JSON cannot express", { ...assistant, parts: [{ ...call, input: { n: Number.NaN } }] }],
    ["a missing input", { ...assistant, parts: [{ ...call, input: undefined }] }],
    ["an empty branch", { ...user, branch: "" }],
    ["an unknown origin", { ...user, origin: "user" }],
    ["negative usage", { ...assistant, usage: { inputTokens: -1, outputTokens: 0 } }],
    ["metadata that is not an object", { ...user, metadata: [] }],
    ["media without a source", { ...user, parts: [{ type: "image", source: { kind: "base64", data: "" } }] }],
  ])("refuses %s", (_, message) => {
    expect(messageInputSchema.safeParse(message).success).toBe(false);
  });
});

describe("messageSchema", () => {
  it("requires whole numbers for ordinal, turn and step", () => {
    const placed = { ...user, ordinal: 0, turn: 1, step: 0 };
    expect(messageSchema.safeParse(placed).success).toBe(true);
    for (const place of [{ ordinal: -1 }, { turn: 0.5 }, { step: undefined }]) {
      expect(messageSchema.safeParse({ ...placed, ...place }).success).toBe(false);
    }
  });
});
