import { describe, expect, it } from "vitest";
import { END_OF_HISTORY } from "../../neutral/summary-message.ts";
import { type JointRuleCase, legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { aiSdk } from "./format.ts";

const text = (value: string) => ({ type: "text", text: value });
const partsOf = (content: readonly unknown[]) => content.map((part) => (typeof part === "string" ? text(part) : part));
const user = (...content: unknown[]) => ({ role: "user", content: partsOf(content) });
const assistant = (...content: unknown[]) => ({ role: "assistant", content: partsOf(content) });
const tool = (...content: unknown[]) => ({ role: "tool", content });
const call = (toolCallId: string, input: unknown = {}, toolName = "read") => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});
const result = (toolCallId: string, value = "ok", toolName = "read") => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output: { type: "text", value },
});
const shows = (part: object) => ({ ...result("a"), output: { type: "content", value: [part] } });
const signed = { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "c2ln" } } };
const redacted = { type: "reasoning", text: "", providerOptions: { x: {}, anthropic: { redactedData: "eA==" } } };
const unsigned = { type: "reasoning", text: "hm" };
const file = { type: "file", data: "AA==", mediaType: "image/png" };
const summary = `[Context Summary - Turns 1-2]\n…\n${END_OF_HISTORY}`;
const pointer = `[Externalized Content - artifact:a]\n…\n${END_OF_HISTORY}`;
const body = (...messages: unknown[]) => ({ messages });

const cases: readonly RuleCase[] = [
  {
    rule: "W1",
    name: "call without result",
    bad: body(user("go"), assistant(call("a")), user("and?")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(call("a")), tool(result("a")), user("and?")),
  },
  {
    rule: "W2",
    name: "result with unknown id",
    bad: body(user("go"), assistant(call("a")), tool(result("a"), result("z"))),
    at: "$.messages[2].content[1]",
    good: body(user("go"), assistant(call("a"), call("z")), tool(result("a"), result("z"))),
  },
  {
    rule: "W3",
    name: "user message between call and result",
    bad: body(user("go"), assistant(call("a")), user("wait"), tool(result("a"))),
    at: "$.messages[3].content[0]",
    good: body(user("go"), assistant(call("a")), tool(result("a")), user("wait")),
  },
  {
    rule: "W4",
    name: "assistant message between call and result",
    bad: body(user("go"), assistant(call("a")), assistant("ok"), tool(result("a"))),
    at: "$.messages[3].content[0]",
    good: body(user("go"), assistant(call("a")), tool(result("a")), assistant("ok"), user("on")),
  },
  {
    rule: "W5",
    name: "duplicate result id",
    bad: body(user("go"), assistant(call("a")), tool(result("a")), tool(result("a"))),
    at: "$.messages[3].content[0]",
    good: body(user("go"), assistant(call("a")), tool(result("a"))),
  },
  {
    rule: "W6",
    name: "swapped ids",
    bad: body(user("go"), assistant(call("a")), tool(result("b")), assistant(call("b")), tool(result("a"))),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant(call("a")), tool(result("a")), assistant(call("b")), tool(result("b"))),
  },
  {
    rule: "W7",
    name: "parallel calls with one missing result",
    bad: body(user("go"), assistant(call("a"), call("b")), tool(result("b"))),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(call("a"), call("b")), tool(result("b")), tool(result("a"))),
  },
  {
    rule: "W8",
    name: "results before the call",
    bad: body(user("go"), assistant("first"), tool(result("a")), assistant(call("a")), user("?")),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant("first"), assistant(call("a")), tool(result("a"))),
  },
  {
    rule: "W9",
    name: "ends on assistant",
    bad: body(user("go"), assistant("done")),
    at: "$.messages[1]",
    good: body(user("go"), assistant("done"), user("more")),
  },
  {
    rule: "W10",
    name: "starts on assistant",
    bad: body(assistant("hi"), user("go")),
    at: "$.messages[0]",
    good: body(user("hello"), assistant("hi"), user("go")),
  },
  {
    rule: "W11",
    name: "white space as text",
    bad: body(user("go", " \n")),
    at: "$.messages[0].content[1]",
    good: body(user("go")),
  },
  {
    rule: "W11",
    name: "white space as content",
    bad: body({ role: "user", content: " " }),
    at: "$.messages[0].content[0]",
    good: body({ role: "user", content: "x" }),
  },
  {
    rule: "W11",
    name: "blank instructions",
    bad: { instructions: [{ role: "system", content: "" }], messages: [user("go")] },
    at: "$.instructions[0]",
    good: { instructions: "x", messages: [user("go")] },
  },
  {
    rule: "W11",
    name: "empty file",
    bad: body(user({ ...file, data: "" })),
    at: "$.messages[0].content[0]",
    good: body(user(file)),
  },
  {
    rule: "W11",
    name: "empty image in a result",
    bad: body(user("go"), assistant(call("a")), tool(shows({ type: "image-url", url: "" }))),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant(call("a")), tool(shows({ type: "file-id", fileId: { openai: "file_1" } }))),
  },
  {
    rule: "W12",
    name: "reasoning at the end of a turn",
    bad: body(user("go"), assistant("hi", unsigned), user("on")),
    at: "$.messages[1].content[1]",
    good: body(user("go"), assistant(unsigned), assistant("hi"), user("on")),
  },
  {
    rule: "W13",
    name: "signed reasoning behind an edited prefix",
    bad: body(user("go"), assistant(summary), assistant(signed, "hi"), user("on")),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant(summary), user("on"), assistant(signed, "hi"), user("on")),
  },
  {
    rule: "W13",
    name: "any proof of a provider behind the pointer to a folded span",
    bad: body(user("go"), assistant(pointer), assistant(redacted, "hi"), user("on")),
    at: "$.messages[2].content[0]",
    good: body(
      user("go"),
      assistant(pointer),
      assistant({ ...redacted, providerOptions: { x: { redactedData: "" } } }, "hi"),
      user("on"),
    ),
  },
  {
    rule: "W13",
    name: "a proof behind a fold, and behind what only begins or ends like one",
    bad: body(user("go"), assistant(summary, signed, "hi"), user("on")),
    at: "$.messages[1].content[1]",
    good: body(
      user("go"),
      assistant("[Context Summary - Turns 1-2]", signed, `hi\n${END_OF_HISTORY}`, signed, "on"),
      user("on"),
    ),
  },
  {
    rule: "W13",
    name: "a proof behind a fold of the assistant, and not of the user",
    bad: body(user("go"), assistant(summary), assistant(signed, "hi"), user("on")),
    at: "$.messages[2].content[0]",
    good: body(user(summary), assistant(signed, "hi"), user("on")),
  },
  {
    rule: "W19",
    name: "input that is no object",
    bad: body(user("go"), assistant(call("a", "{")), tool(result("a"))),
    at: "$.messages[1].content[0].input",
    good: body(user("go"), assistant(call("a", { _raw: "{" })), tool(result("a"))),
  },
  {
    rule: "roles",
    name: "a system message among the others",
    bad: body(user("go"), { role: "system", content: "x" }),
    at: "$.messages[1].role",
    good: { instructions: "x", messages: [user("go")] },
  },
  { rule: "messages", name: "no message", bad: body(), at: "$.messages", good: body(user("go")) },
  {
    rule: "messages",
    name: "a message without content",
    bad: body(user("go"), user()),
    at: "$.messages[1].content",
    good: body(user("go")),
  },
  {
    rule: "call-id-form",
    name: "a call id with other signs",
    bad: body(user("go"), assistant(call("a|b")), tool(result("a|b"))),
    at: "$.messages[1].content[0].toolCallId",
    good: body(user("go"), assistant(call("a_b")), tool(result("a_b"))),
  },
  {
    rule: "call-id-once",
    name: "a call id that is used again",
    bad: body(user("go"), assistant(call("a")), tool(result("a")), assistant(call("a")), tool(result("a"))),
    at: "$.messages[3].content[0].toolCallId",
    good: body(user("go"), assistant(call("a")), tool(result("a")), assistant(call("a-2")), tool(result("a-2"))),
  },
  {
    rule: "tool-names",
    name: "a tool name with other signs",
    bad: body(user("go"), assistant(call("a", {}, "mcp.read")), tool(result("a", "ok", "mcp.read"))),
    at: "$.messages[1].content[0].toolName",
    good: body(user("go"), assistant(call("a", {}, "mcp_read")), tool(result("a", "ok", "mcp_read"))),
  },
  {
    rule: "result-names",
    name: "a result with the name of another tool",
    bad: body(user("go"), assistant(call("a"), call("b", {}, "bash")), tool(result("a"), result("b"))),
    at: "$.messages[2].content[1]",
    good: body(user("go"), assistant(call("a"), call("b", {}, "bash")), tool(result("a"), result("b", "ok", "bash"))),
  },
  {
    rule: "tool-names",
    name: "a definition with a name of more than 64 signs",
    bad: { tools: [{ name: "x".repeat(64) }, { name: "x".repeat(65) }], messages: [user("go")] },
    at: "$.tools[1].name",
    good: { tools: [{ name: "x".repeat(64) }], messages: [user("go")] },
  },
  {
    rule: "tool-schemas",
    name: "a schema of another type",
    bad: { tools: [{ name: "read", inputSchema: { type: "string" } }], messages: [user("go")] },
    at: "$.tools[0].inputSchema.type",
    good: { tools: [{ name: "read", inputSchema: { type: "object" } }], messages: [user("go")] },
  },
  {
    rule: "tool-names-once",
    name: "a tool defined twice",
    bad: { tools: [{ name: "read" }, { name: "read" }], messages: [user("go")] },
    at: "$.tools[1].name",
    good: { tools: [{ name: "read" }], messages: [user("go")] },
  },
  {
    rule: "shape",
    name: "a part of another shape",
    bad: body(user("go"), assistant({ type: "reasoning" }, "x"), user("on")),
    at: "$.messages[1].content",
    good: body(user("go"), assistant(unsigned, "x"), user("on")),
  },
];

/** A part in the wrong place breaks the shape as well. */
const joint: readonly JointRuleCase[] = [
  {
    rule: "part-places",
    name: "a call of the user",
    bad: body(user("go", call("a")), assistant(call("b")), tool(result("b"))),
    at: "$.messages[0].content[1]",
  },
  {
    rule: "part-places",
    name: "a picture of a tool",
    bad: body(user("go"), assistant(call("b")), tool(file, result("b"))),
    at: "$.messages[2].content[0]",
  },
];

const strange: readonly unknown[] = [{ messages: 1 }, { messages: [1, null, { role: 3, content: [null, 2] }] }];

describe("ai-sdk legality", () => {
  legalityTests(aiSdk, { cases, joint, strange });

  it("accepts a call that the provider ran itself as answered", () => {
    const search = { ...call("s"), providerExecuted: true };
    expect(aiSdk.check(body(user("go"), assistant(search, result("s"), "found"), user("on")))).toEqual([]);
  });
});
