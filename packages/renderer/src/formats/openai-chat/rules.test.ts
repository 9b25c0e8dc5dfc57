import { describe, expect, it } from "vitest";
import { type JointRuleCase, legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { openaiChat } from "./format.ts";

const user = (content: unknown) => ({ role: "user", content });
const system = (content: unknown) => ({ role: "system", content });
const call = (id: string, text = "{}") => ({ id, type: "function", function: { name: "read", arguments: text } });
const assistant = (content: unknown, ...calls: unknown[]) => ({
  role: "assistant",
  content,
  ...(calls.length > 0 && { tool_calls: calls }),
});
const tool = (id: string, content: unknown = "ok") => ({ role: "tool", tool_call_id: id, content });
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const body = (...messages: unknown[]) => ({ messages });

const json = { type: "json_object" };

const cases: readonly RuleCase[] = [
  {
    rule: "json-mode",
    name: "any JSON is asked for, and no message says so",
    bad: { ...body(user("List them.")), response_format: json },
    at: "$.response_format",
    good: { ...body(user("List them as JSON.")), response_format: json },
  },
  {
    rule: "W1",
    name: "call without result",
    bad: body(user("go"), assistant(null, call("a")), user("?")),
    at: "$.messages[1].tool_calls[0]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), user("?")),
  },
  {
    rule: "W2",
    name: "result with unknown id",
    bad: body(user("go"), tool("z")),
    at: "$.messages[1]",
    good: body(user("go"), assistant(null, call("z")), tool("z")),
  },
  {
    rule: "W3",
    name: "user message between call and result",
    bad: body(user("go"), assistant(null, call("a")), user("wait"), tool("a")),
    at: "$.messages[3]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), user("wait")),
  },
  {
    rule: "W3",
    name: "system message between call and result",
    bad: body(user("go"), assistant(null, call("a")), system("wait"), tool("a")),
    at: "$.messages[3]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), system("wait")),
  },
  {
    rule: "W4",
    name: "assistant message between call and result",
    bad: body(user("go"), assistant(null, call("a")), assistant("so"), tool("a")),
    at: "$.messages[3]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), assistant("so")),
  },
  {
    rule: "W5",
    name: "duplicate result id",
    bad: body(user("go"), assistant(null, call("a")), tool("a"), tool("a")),
    at: "$.messages[3]",
    good: body(user("go"), assistant(null, call("a")), tool("a")),
  },
  {
    rule: "W6",
    name: "swapped ids",
    bad: body(user("go"), assistant(null, call("a")), tool("b"), assistant(null, call("b")), tool("a")),
    at: "$.messages[2]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), assistant(null, call("b")), tool("b")),
  },
  {
    rule: "W7",
    name: "parallel calls with one missing result",
    bad: body(user("go"), assistant(null, call("a"), call("b")), tool("b")),
    at: "$.messages[1].tool_calls[0]",
    good: body(user("go"), assistant(null, call("a"), call("b")), tool("b"), tool("a")),
  },
  {
    rule: "W8",
    name: "results before the call",
    bad: body(user("go"), tool("a"), assistant(null, call("a")), user("?")),
    at: "$.messages[1]",
    good: body(user("go"), assistant(null, call("a")), tool("a"), user("?")),
  },
  { rule: "W11", name: "blank text", bad: body(user(" ")), at: "$.messages[0]", good: body(user("x")) },
  {
    rule: "W11",
    name: "nothing said beside no call",
    bad: body(user("go"), assistant(""), user("?")),
    at: "$.messages[1]",
    good: body(user("go"), assistant("", call("a")), tool("a"), user("?")),
  },
  {
    rule: "W11",
    name: "data URL without data",
    bad: body(user([{ type: "image_url", image_url: { url: "data:image/png;base64," } }])),
    at: "$.messages[0].content[0]",
    good: body(user([{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }])),
  },
  {
    rule: "W11",
    name: "empty file",
    bad: body(user([{ type: "file", file: { filename: "a.pdf", file_data: "" } }])),
    at: "$.messages[0].content[0]",
    good: body(user([{ type: "file", file: { file_id: "file_1" } }])),
  },
  {
    rule: "W11",
    name: "blank text part",
    bad: body(
      user([
        { type: "text", text: "x" },
        { type: "text", text: "" },
      ]),
    ),
    at: "$.messages[0].content[1]",
    good: body(user([{ type: "text", text: "x" }])),
  },
  {
    rule: "W19",
    name: "arguments that are not JSON",
    bad: body(user("go"), assistant(null, call("a", '{"x"')), tool("a")),
    at: "$.messages[1].tool_calls[0].function.arguments",
    good: body(user("go"), assistant(null, call("a", '{"_raw":"{"}')), tool("a", "")),
  },
  {
    rule: "W19",
    name: "arguments that are no object",
    bad: body(user("go"), assistant(null, call("a", '"x"')), tool("a")),
    at: "$.messages[1].tool_calls[0].function.arguments",
    good: body(user("go"), assistant(null, call("a")), tool("a")),
  },
  { rule: "messages", name: "no message", bad: body(), at: "$.messages", good: body(user("go")) },
  {
    rule: "call-id-form",
    name: "a call id that is too long",
    bad: body(user("go"), assistant(null, call("a".repeat(41))), tool("a".repeat(41))),
    at: "$.messages[1].tool_calls[0].id",
    good: body(user("go"), assistant(null, call("a".repeat(40))), tool("a".repeat(40))),
  },
  {
    rule: "tool-names",
    name: "a tool name with other signs",
    bad: { tools: [{ type: "function", function: { name: "a.b" } }], messages: [user("go")] },
    at: "$.tools[0].function.name",
    good: { tools: [{ type: "function", function: { name: "a_b" } }], messages: [user("go")] },
  },
  {
    rule: "tool-schemas",
    name: "parameters without a list of properties",
    bad: {
      tools: [{ type: "function", function: { name: "a", parameters: { type: "object" } } }],
      messages: [user("go")],
    },
    at: "$.tools[0].function.parameters.properties",
    good: { tools: [{ type: "function", function: { name: "a" } }], messages: [user("go")] },
  },
  {
    rule: "tool-schemas",
    name: "parameters without a type",
    bad: { tools: [{ type: "function", function: { name: "a", parameters: {} } }], messages: [user("go")] },
    at: "$.tools[0].function.parameters.type",
    good: {
      tools: [{ type: "function", function: { name: "a", parameters: { type: "object", properties: {} } } }],
      messages: [user("go")],
    },
  },
];

/** Payloads that break a rule and, by their nature, another one with it. */
const joint: readonly JointRuleCase[] = [
  { rule: "roles", name: "an unknown role", bad: body({ role: "narrator", content: "x" }), at: "$.messages[0].role" },
  { rule: "shape", name: "an unknown role", bad: body({ role: "narrator", content: "x" }), at: "$.messages[0].role" },
  {
    rule: "messages",
    name: "an assistant message without content and calls",
    bad: body(user("x"), assistant([])),
    at: "$.messages[1].content",
  },
  {
    rule: "call-id-once",
    name: "one id for two calls of a batch",
    bad: body(user("go"), assistant(null, call("a"), call("a")), tool("a"), tool("a")),
    at: "$.messages[1].tool_calls[1].id",
  },
  {
    rule: "media-places",
    name: "a picture in a result",
    bad: body(user("go"), assistant(null, call("a")), tool("a", [image])),
    at: "$.messages[2].content[0]",
  },
];

const strange: readonly unknown[] = [
  { messages: 1 },
  { messages: [1, null, { role: "assistant", tool_calls: [null, 2] }], tools: [3] },
];

describe("openai-chat legality", () => {
  legalityTests(openaiChat, { cases, joint, strange });

  it("W9 W10 accepts any first and last message", () => {
    expect(openaiChat.check(body(assistant("hi"), user("go"), assistant("done")))).toEqual([]);
  });

  it("accepts user media, developer messages and ids that are reused in a later batch", () => {
    const payload = body(
      { role: "developer", content: "be kind" },
      user([{ type: "text", text: "see" }, image]),
      assistant(null, call("a")),
      tool("a"),
      assistant(null, call("a")),
      tool("a"),
    );
    expect(openaiChat.check(payload)).toEqual([]);
  });
});
