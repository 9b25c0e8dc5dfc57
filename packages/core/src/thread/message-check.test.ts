import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadfoldError } from "../errors/threadfold-error.ts";
import { jsonValues, messageInputs, runs } from "../laws/index.ts";
import { asMessageId, asThreadId, asToolCallId } from "../model/ids.ts";
import { type MessageInput, messageInputSchema } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { AgentThread } from "./agent-thread.ts";
import { isCommonMessage } from "./message-check.ts";

/** Puts a value at one of the places of a JSON value, or takes it away. */
function withPlaceReplaced(value: unknown, place: { left: number }, replacement: unknown): unknown {
  if (place.left-- === 0) return replacement;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withPlaceReplaced(item, place, replacement));
  const entries = Object.entries(value).map(([key, item]) => [key, withPlaceReplaced(item, place, replacement)]);
  return Object.fromEntries(entries);
}

const replacements = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    "\ud800",
    Number.NaN,
    -1,
    [],
    {},
    () => 1,
    new Date(0),
    "x".repeat(600),
  ),
  jsonValues,
);

/** Messages with everything that agents exchange all day: each field that may be there is. */
const FULL: readonly MessageInput[] = [
  {
    id: asMessageId("a"),
    role: "assistant",
    createdAt: "2026-01-01T00:00:00.000Z",
    origin: "harness",
    model: "some-model",
    usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 0 },
    metadata: { tags: ["x"] },
    parts: [
      { type: "text", text: "hi" },
      { type: "reasoning", text: "hm", provider: "openai", signature: "c2ln", encrypted: "ZW5j" },
      { type: "tool-call", callId: asToolCallId("c"), toolName: "read", input: { path: ["a"] }, invalidInput: "{" },
    ],
  },
  ...(["text", "json", "blocks"] as const).map(
    (type): MessageInput => ({
      id: asMessageId(type),
      role: "tool",
      createdAt: "2026-01-01T00:00:00.000Z",
      parts: [
        {
          type: "tool-result",
          result: {
            callId: asToolCallId("c"),
            toolName: "read",
            outcome: "partial",
            content:
              type === "text"
                ? { type, text: "x" }
                : type === "json"
                  ? { type, value: { a: 1 } }
                  : { type, blocks: [{ type: "text", text: "x" }] },
            keyFields: { lines: 3 },
            startedAt: "2026-01-01T00:00:00.000Z",
            completedAt: "2026-01-01T00:00:01.000Z",
          },
        },
      ],
    }),
  ),
  ...(["user", "system"] as const).map(
    (role): MessageInput => ({
      id: asMessageId(role),
      role,
      createdAt: "2026-01-01T00:00:00.000Z",
      origin: "compaction",
      parts: [
        { type: "text", text: "" },
        { type: "reasoning", text: "hm" },
      ],
    }),
  ),
];
const WRONG: readonly unknown[] = [
  ...[
    undefined,
    null,
    "",
    "x",
    "\ud800",
    "x".repeat(513),
    Number.NaN,
    0.5,
    -1,
    true,
    [],
    ["x"],
    [null],
    {},
    { type: "x" },
  ],
  ...[() => 1, new Date(0)],
];

describe("isCommonMessage", () => {
  it("accepts messages with all common fields and an id of 1 to 512 code units", () => {
    for (const message of FULL) {
      expect(isCommonMessage(message)).toBe(true);
      for (const [length, isFine] of [
        [0, false],
        [1, true],
        [512, true],
        [513, false],
      ] as const)
        expect(isCommonMessage({ ...message, id: asMessageId("x".repeat(length)) })).toBe(isFine);
    }
  });

  it("leaves rare fields to the schema", () => {
    const [said] = FULL as [MessageInput];
    const part = said.parts[0] as Part;
    const rare: readonly Partial<MessageInput>[] = [
      { branch: "side" },
      { providerMetadata: { openai: {} } },
      { parts: [{ ...part, providerMetadata: { openai: {} } } as Part] },
      { parts: [{ type: "opaque", provider: "openai", value: {} }] },
    ];
    for (const fields of rare) {
      expect(isCommonMessage({ ...said, ...fields })).toBe(false);
      expect(messageInputSchema.safeParse({ ...said, ...fields }).success).toBe(true);
    }
  });

  it("accepts nothing that the schema refuses, for any wrong value at any position", () => {
    for (const message of FULL)
      for (const replacement of WRONG)
        for (let left = 0; ; left++) {
          const place = { left };
          const broken = withPlaceReplaced(message, place, replacement) as MessageInput;
          if (place.left >= 0) break;
          if (isCommonMessage(broken)) expect(messageInputSchema.safeParse(broken).success).toBe(true);
        }
  });

  it("accepts nothing that the schema refuses, for any broken generated message", () => {
    const cases = messageInputs({ malformed: true, maxMessages: 6 }).filter((messages) => messages.length > 0);
    fc.assert(
      fc.property(cases, fc.nat(), fc.nat({ max: 40 }), replacements, (messages, which, left, replacement) => {
        const broken = withPlaceReplaced(messages[which % messages.length], { left }, replacement) as MessageInput;
        if (isCommonMessage(broken)) expect(messageInputSchema.safeParse(broken).success).toBe(true);
      }),
      runs(2_000),
    );
  });

  it("accepts every generated message without rare fields", () => {
    fc.assert(
      fc.property(messageInputs({ maxMessages: 10 }), (messages) => {
        const rare = (message: MessageInput) =>
          /"(?:providerMetadata|determinism|durability|branch|image|file|opaque)"/.test(JSON.stringify(message));
        for (const message of messages) if (!rare(message)) expect(isCommonMessage(message)).toBe(true);
      }),
      runs(200),
    );
  });
});

describe("a refused message", () => {
  const refusal = (message: unknown) => {
    try {
      AgentThread.empty(asThreadId("t")).append([message as MessageInput]);
    } catch (error) {
      const { code, message: words, hint, details } = error as ThreadfoldError;
      return { code, words, hint, path: details["path"] };
    }
    return undefined;
  };
  const message = (fields: object) => ({
    id: "m",
    role: "user",
    createdAt: "2026-01-01T00:00:00.000Z",
    parts: [],
    ...fields,
  });
  const PLAIN = "Pass plain data, as `JSON.parse` returns it.";
  const TORN = "Repair a text with `text.toWellFormed()`, or a whole value with `toWellFormedJson(value)`.";

  it.each([
    [{ createdAt: "yesterday" }, "createdAt", "Give the time in UTC, such as `new Date().toISOString()`."],
    [{ model: "\ud800" }, "model", TORN],
    [{ metadata: { a: ["\ud800"] } }, "metadata.a.0", TORN],
    [{ metadata: { a: { b: new Date(0) } } }, "metadata.a.b", PLAIN],
    [{ parts: [{ type: "text", text: "\ud800" }] }, "parts.0.text", TORN],
    [
      {
        parts: [
          { type: "text", text: "" },
          { type: "text", text: "\ud800" },
        ],
      },
      "parts.1.text",
      TORN,
    ],
    [
      { role: "assistant", parts: [{ type: "tool-call", callId: "c", toolName: "t", input: { n: Number.NaN } }] },
      "parts.0.input.n",
      PLAIN,
    ],
  ])("is reported with position and remedy: %j", (fields, where, hint) => {
    const found = refusal(message(fields));
    expect(found).toMatchObject({ code: "INVALID_MESSAGE", hint, path: where.split(".") });
    expect(found?.words).toMatch(new RegExp(`^Message m: ${where.replaceAll(".", "\\.")}: .+\\.$`));
  });

  it("is reported with the value that JSON cannot express", () => {
    expect(refusal(message({ metadata: { n: Number.NaN } }))?.words).toBe(
      "Message m: metadata.n: JSON cannot express the number NaN.",
    );
  });

  it("is reported with the known types if its part type is unknown", () => {
    const found = refusal(message({ parts: [{ type: "image_url", text: "x" }] }));
    expect(found?.words).toBe('Message m: parts.0.type: there is no type "image_url" here.');
    expect(found?.hint).toMatch(/^It is one of text, .*reasoning.*\. What only one provider knows .+ type opaque\.$/);
    expect(refusal(message({ parts: [{}] }))?.words).toBe("Message m: parts.0.type: there is no type undefined here.");
    expect(refusal(message({ parts: [{ type: "x".repeat(80) }] }))?.words).toBe(
      `Message m: parts.0.type: there is no type "${"x".repeat(59)} here.`,
    );
  });

  it("is recognized as a provider's message if it has no parts", () => {
    expect(refusal({ role: "user", content: "hi" })).toMatchObject({
      words: "A message: parts: there are none.",
      hint: expect.stringContaining("fromAnthropic"),
      path: ["parts"],
    });
    for (const nothing of [null, undefined, "hi"]) {
      expect(refusal(nothing)?.words).toMatch(/^A message: the message: /);
    }
  });
});
