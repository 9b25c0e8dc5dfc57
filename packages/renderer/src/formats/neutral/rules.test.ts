import { describe } from "vitest";
import { legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { neutral } from "./format.ts";

const text = (value: string) => ({ type: "text", text: value });
const call = (callId: string) => ({ type: "tool-call", callId, toolName: "read", input: {} });
const result = (callId: string, toolName = "read") => ({
  role: "tool",
  parts: [
    {
      type: "tool-result",
      result: { toolName, callId, outcome: "success", content: { type: "text", text: "ok" } },
    },
  ],
});
const user = (value: string) => ({ role: "user", parts: [text(value)] });
const assistant = (...parts: unknown[]) => ({ role: "assistant", parts });
const body = (...messages: unknown[]) => ({ system: [], tools: [], messages });

const cases: readonly RuleCase[] = [
  {
    rule: "W1",
    name: "call without result",
    bad: body(assistant(call("a")), user("?")),
    at: "$.messages[0].parts[0]",
    good: body(assistant(call("a")), result("a")),
  },
  {
    rule: "W2",
    name: "result with unknown id",
    bad: body(user("go"), result("a")),
    at: "$.messages[1].parts[0]",
    good: body(assistant(call("a")), result("a")),
  },
  {
    rule: "W3",
    name: "user message between call and result",
    bad: body(assistant(call("a")), user("?"), result("a")),
    at: "$.messages[2].parts[0]",
    good: body(assistant(call("a")), result("a"), user("?")),
  },
  {
    rule: "W4",
    name: "assistant message between call and result",
    bad: body(assistant(call("a")), assistant(text("x")), result("a")),
    at: "$.messages[2].parts[0]",
    good: body(assistant(call("a")), result("a"), assistant(text("x")), user("?")),
  },
  {
    rule: "W5",
    name: "duplicate result id",
    bad: body(assistant(call("a")), result("a"), result("a")),
    at: "$.messages[2].parts[0]",
    good: body(assistant(call("a")), result("a")),
  },
  {
    rule: "W6",
    name: "swapped ids",
    bad: body(assistant(call("a")), result("b"), assistant(call("b")), result("a")),
    at: "$.messages[1].parts[0]",
    good: body(assistant(call("a")), result("a"), assistant(call("b")), result("b")),
  },
  {
    rule: "W7",
    name: "parallel calls with one missing result",
    bad: body(assistant(call("a"), call("b")), result("b")),
    at: "$.messages[0].parts[0]",
    good: body(assistant(call("a"), call("b")), result("a"), result("b")),
  },
  {
    rule: "W8",
    name: "results before the call",
    bad: body(user("go"), result("a"), assistant(call("a")), user("?")),
    at: "$.messages[1].parts[0]",
    good: body(user("go"), assistant(call("a")), result("a")),
  },
  {
    rule: "W9",
    name: "ends on assistant",
    bad: body(user("go"), assistant(text("done"))),
    at: "$.messages[1]",
    good: body(user("go"), assistant(text("done")), user("on")),
  },
  { rule: "W11", name: "blank text", bad: body(user("")), at: "$.messages[0].parts[0]", good: body(user("x")) },
  {
    rule: "W11",
    name: "empty image",
    bad: body({
      role: "user",
      parts: [{ type: "image", source: { kind: "base64", mediaType: "image/png", data: "" } }],
    }),
    at: "$.messages[0].parts[0]",
    good: body({ role: "user", parts: [{ type: "image", source: { kind: "url", url: "https://example.com/a.png" } }] }),
  },
  {
    rule: "W11",
    name: "no parts",
    bad: body({ role: "user", parts: [] }),
    at: "$.messages[0].parts",
    good: body(user("x")),
  },
  {
    rule: "result-names",
    name: "result with the name of another tool",
    bad: body(assistant(call("a")), result("a", "bash")),
    at: "$.messages[1].parts[0]",
    good: body(assistant(call("a")), result("a")),
  },
  {
    rule: "shape",
    name: "no system text",
    bad: { tools: [], messages: [user("x")] },
    at: "$.system",
    good: body(user("x")),
  },
];

const strange: readonly unknown[] = [
  { messages: 1 },
  { system: [], tools: [], messages: [1, null, { role: 3, parts: [null, 2] }] },
];

describe("neutral legality", () => {
  legalityTests(neutral, { cases, strange });
});
