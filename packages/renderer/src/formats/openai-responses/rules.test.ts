import { describe, expect, it } from "vitest";
import { legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { openaiResponses } from "./format.ts";

const says = (role: string, content: unknown) => ({ type: "message", role, content });
const user = (content: unknown) => says("user", content);
const call = (id: string, text = "{}") => ({ type: "function_call", call_id: id, name: "read", arguments: text });
const output = (id: string, body: unknown = "ok") => ({ type: "function_call_output", call_id: id, output: body });
const custom = (id: string, input: unknown = "ls") => ({ type: "custom_tool_call", call_id: id, name: "sh", input });
const customOutput = (id: string) => ({ type: "custom_tool_call_output", call_id: id, output: "ok" });
const reasoning = (id?: string, encrypted: unknown = "ZW5j") => ({
  type: "reasoning",
  ...(id !== undefined && { id }),
  summary: [],
  encrypted_content: encrypted,
});
const search = (id: string | null) => ({ type: "tool_search_call", call_id: id, arguments: {} });
const found = (id: string | null) => ({ type: "tool_search_output", call_id: id, tools: [] });
const web = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } };
const shell = { type: "shell_call", call_id: "a" };
const localShell = { type: "local_shell_call", call_id: "a", action: {}, status: "completed" };
const inNamespace = (...names: string[]) => ({
  ...{ type: "namespace", name: "crm", description: "Customers." },
  tools: names.map((name) => ({ type: "function", name })),
});
const image = { type: "input_image", detail: "auto", image_url: "https://example.com/a.png" };
const body = (...input: unknown[]) => ({ input });

const json = { type: "json_object" };

const waiting = {
  type: "function",
  name: "read",
  parameters: { type: "object", properties: {} },
  strict: false,
  defer_loading: true,
};
const forModel = (model: string, tools: readonly unknown[], ...input: unknown[]) => ({
  ...body(...input),
  model,
  tools,
});

const cases: readonly RuleCase[] = [
  {
    rule: "tool-search",
    name: "a tool waits for a search, at a model that makes none",
    bad: forModel("gpt-5.3-codex", [waiting], user("go")),
    at: "$.tools[0]",
    good: forModel("gpt-5.4-mini", [waiting], user("go")),
  },
  {
    rule: "tool-search",
    name: "a tool of a namespace waits for a search, at a model that makes none",
    bad: forModel("gpt-4.1", [{ ...inNamespace(), tools: [waiting] }], user("go")),
    at: "$.tools[0]",
    good: forModel("nobody-knows-1", [{ ...inNamespace(), tools: [waiting] }], user("go")),
  },
  {
    rule: "tool-search",
    name: "a search was made by another model",
    bad: forModel("o3", [], user("go"), search(null), found(null), user("and?")),
    at: "$.input[1]",
    good: forModel("gpt-6", [], user("go"), search(null), found(null), user("and?")),
  },
  {
    rule: "json-mode",
    name: "any JSON is asked for, and no message says so",
    bad: { ...body(user("List them.")), text: { format: json } },
    at: "$.text.format",
    good: { ...body(user("List them as JSON.")), text: { format: json } },
  },
  {
    rule: "W1",
    name: "Responses call without output",
    bad: body(user("go"), call("a"), user("?")),
    at: "$.input[1]",
    good: body(user("go"), call("a"), output("a"), user("?")),
  },
  {
    rule: "W1",
    name: "Responses hosted call without output",
    bad: body(user("go"), { type: "computer_call", call_id: "a", id: "cu_1" }),
    at: "$.input[1]",
    good: body(
      user("go"),
      { type: "computer_call", call_id: "a", id: "cu_1" },
      { type: "computer_call_output", call_id: "a", output: {} },
    ),
  },
  {
    rule: "W1",
    name: "Responses search of the host's without what it found",
    bad: body(user("go"), search("a")),
    at: "$.input[1]",
    good: body(user("go"), search("a"), found("a"), search(null), found(null)),
  },
  {
    rule: "W2",
    name: "Responses output with unknown id",
    bad: body(user("go"), output("z")),
    at: "$.input[1]",
    good: { previous_response_id: "resp_1", ...body(user("go"), output("z")) },
  },
  {
    rule: "W5",
    name: "Responses duplicate output id",
    bad: body(user("go"), call("a"), output("a"), output("a")),
    at: "$.input[3]",
    good: body(user("go"), call("a"), output("a")),
  },
  {
    rule: "W6",
    name: "Responses swapped ids",
    bad: body(user("go"), call("a"), output("b"), call("b"), output("a")),
    at: "$.input[2]",
    good: body(user("go"), call("a"), output("a"), call("b"), output("b")),
  },
  {
    rule: "W7",
    name: "Responses parallel calls with one missing output",
    bad: body(user("go"), call("a"), call("b"), output("b")),
    at: "$.input[1]",
    good: body(user("go"), call("a"), call("b"), output("b"), output("a")),
  },
  {
    rule: "W8",
    name: "Responses output before its call",
    bad: body(user("go"), output("a"), call("a"), user("?")),
    at: "$.input[1]",
    good: body(user("go"), call("a"), output("a"), user("?")),
  },
  { rule: "W11", name: "Responses blank text", bad: body(user(" \n")), at: "$.input[0]", good: body(user("x")) },
  {
    rule: "W11",
    name: "Responses blank piece of a message",
    bad: body(user([image, { type: "input_text", text: "" }])),
    at: "$.input[0].content[1]",
    good: body(user([image, { type: "input_text", text: "x" }])),
  },
  {
    rule: "W11",
    name: "Responses empty image",
    bad: body(user([{ ...image, image_url: "" }])),
    at: "$.input[0].content[0]",
    good: body(user([{ type: "input_image", detail: "auto", file_id: "file_1" }])),
  },
  {
    rule: "W11",
    name: "Responses empty file in an output",
    bad: body(user("go"), call("a"), output("a", [{ type: "input_file", filename: "a.pdf", file_data: "data:," }])),
    at: "$.input[2].output[0]",
    good: body(user("go"), call("a"), output("a", [image])),
  },
  {
    rule: "W11",
    name: "Responses message without content",
    bad: body(user([])),
    at: "$.input[0].content",
    good: body(user([image])),
  },
  {
    rule: "W16",
    name: "Responses reasoning at the end",
    bad: body(user("go"), reasoning("rs_1")),
    at: "$.input[1]",
    good: body(user("go"), reasoning("rs_1"), says("assistant", "so")),
  },
  {
    rule: "W16",
    name: "Responses reasoning before the user speaks",
    bad: body(user("go"), reasoning("rs_1"), user("?")),
    at: "$.input[1]",
    good: body(user("go"), reasoning("rs_1"), call("a"), user("?"), output("a")),
  },
  {
    rule: "W16",
    name: "Responses assistant id without its reasoning",
    bad: body(user("go"), reasoning("rs_1"), { id: "msg_1", ...says("assistant", "so") }, user("on"), {
      id: "msg_2",
      ...says("assistant", "then"),
    }),
    at: "$.input[4].id",
    good: body(
      user("go"),
      reasoning("rs_1"),
      { id: "msg_1", ...says("assistant", "so") },
      user("on"),
      says("assistant", "then"),
    ),
  },
  {
    rule: "W16",
    name: "Responses call id without its reasoning in a request that asks for some",
    bad: { reasoning: { effort: "high" }, ...body(user("go"), { id: "fc_1", ...call("a") }, output("a")) },
    at: "$.input[1].id",
    good: body(user("go"), { id: "fc_1", ...call("a") }, output("a")),
  },
  {
    rule: "W16",
    name: "Responses hosted item without its reasoning in a request that asks for some",
    bad: { reasoning: { effort: "high" }, ...body(user("go"), web, says("assistant", "so")) },
    at: "$.input[1].id",
    good: { reasoning: { effort: "high" }, ...body(user("go"), reasoning("rs_1"), web, says("assistant", "so")) },
  },
  {
    rule: "W16",
    name: "Responses id of a shell call without its reasoning",
    bad: { reasoning: {}, ...body(user("go"), { id: "sh_1", ...shell }, { ...shell, type: "shell_call_output" }) },
    at: "$.input[1].id",
    good: { reasoning: {}, ...body(user("go"), shell, { ...shell, type: "shell_call_output" }) },
  },
  {
    rule: "W19",
    name: "Responses arguments that are not JSON",
    bad: body(user("go"), call("a", '{"x"'), output("a")),
    at: "$.input[1].arguments",
    good: body(user("go"), call("a", '{"_raw":"{"}'), output("a")),
  },
  {
    rule: "W19",
    name: "Responses arguments that are no object",
    bad: body(user("go"), call("a", '"x"'), output("a")),
    at: "$.input[1].arguments",
    good: body(user("go"), custom("a", '"x"'), customOutput("a")),
  },
  { rule: "input", name: "no item", bad: body(), at: "$.input", good: { input: "go" } },
  {
    rule: "roles",
    name: "an unknown role",
    bad: body(says("narrator", "x")),
    at: "$.input[0].role",
    good: body(says("developer", "x")),
  },
  {
    rule: "call-id-form",
    name: "a call id that is too long",
    bad: body(user("go"), call("a".repeat(65)), output("a".repeat(65))),
    at: "$.input[1].call_id",
    good: body(user("go"), call("a".repeat(64)), output("a".repeat(64))),
  },
  {
    rule: "call-id-once",
    name: "one id for two calls",
    bad: body(user("go"), call("a"), output("a"), call("a"), output("a")),
    at: "$.input[3].call_id",
    good: body(user("go"), call("a"), output("a"), call("a-2"), output("a-2")),
  },
  {
    rule: "callers",
    name: "a call of a program that is not there",
    bad: body(user("go"), { ...call("a"), caller: { type: "program", caller_id: "p" } }, output("a")),
    at: "$.input[1].caller",
    good: body(
      user("go"),
      { type: "program", id: "prog_1", call_id: "p", code: "", fingerprint: "f" },
      { ...call("a"), caller: { type: "program", caller_id: "p" } },
      output("a"),
      { ...call("b"), caller: { type: "direct" } },
      output("b"),
    ),
  },
  {
    rule: "output-kind",
    name: "a function's output for a custom call",
    bad: body(user("go"), custom("a"), output("a")),
    at: "$.input[2].type",
    good: body(user("go"), custom("a"), customOutput("a")),
  },
  {
    rule: "output-kind",
    name: "a custom tool's output for a local shell's call",
    bad: body(user("go"), localShell, customOutput("a")),
    at: "$.input[2].type",
    good: body(user("go"), localShell, { type: "local_shell_call_output", id: "a", output: "ok" }),
  },
  {
    rule: "W1",
    name: "a local shell's call without its output",
    bad: body(user("go"), localShell, user("?")),
    at: "$.input[1]",
    good: body(user("go"), localShell, output("a"), user("?")),
  },
  {
    rule: "item-id-form",
    name: "a call with another item's id",
    bad: body(user("go"), { id: "msg_1", ...call("a") }, output("a")),
    at: "$.input[1].id",
    good: body(user("go"), { id: "fc_1", ...call("a") }, output("a")),
  },
  {
    rule: "item-id-once",
    name: "the same item twice",
    bad: body(user("go"), reasoning("rs_1"), says("assistant", "a"), reasoning("rs_1"), says("assistant", "b")),
    at: "$.input[3].id",
    good: body(user("go"), reasoning("rs_1"), says("assistant", "a"), reasoning("rs_2"), says("assistant", "b")),
  },
  {
    rule: "stateless",
    name: "reasoning that is not carried along",
    bad: { store: false, ...body(user("go"), reasoning("rs_1", null), says("assistant", "so")) },
    at: "$.input[1].encrypted_content",
    good: { store: true, ...body(user("go"), reasoning("rs_1", null), says("assistant", "so")) },
  },
  {
    rule: "stateless",
    name: "a reference to what is not stored",
    bad: { store: false, ...body(user("go"), { type: "item_reference", id: "rs_1" }) },
    at: "$.input[1]",
    good: body(user("go"), { type: "item_reference", id: "rs_1" }),
  },
  {
    rule: "compaction",
    name: "a compaction item without content",
    bad: body({ type: "compaction", encrypted_content: "" }, user("go")),
    at: "$.input[0].encrypted_content",
    good: body({ type: "compaction", encrypted_content: "ZW5j" }, user("go")),
  },
  {
    rule: "media-places",
    name: "a picture of the assistant's",
    bad: body(says("assistant", [image]), user("?")),
    at: "$.input[0].content[0]",
    good: body(user([image]), call("a"), output("a", [image])),
  },
  {
    rule: "tool-names",
    name: "a tool name with other signs",
    bad: { tools: [{ type: "function", name: "a.b" }], ...body(user("go")) },
    at: "$.tools[0].name",
    good: { tools: [{ type: "function", name: "a_b" }, { type: "web_search" }], ...body(user("go")) },
  },
  {
    rule: "tool-names",
    name: "a tool of a namespace with other signs",
    bad: { tools: [inNamespace("a", "b.c")], ...body(user("go")) },
    at: "$.tools[0].tools[1].name",
    good: { tools: [inNamespace("a", "b_c")], ...body(user("go")) },
  },
  {
    rule: "tool-schemas",
    name: "parameters of another type",
    bad: { tools: [{ type: "function", name: "a", parameters: { type: "string" } }], ...body(user("go")) },
    at: "$.tools[0].parameters.type",
    good: { tools: [{ type: "function", name: "a", parameters: null }], ...body(user("go")) },
  },
  {
    rule: "tool-schemas",
    name: "parameters with a condition at their top",
    bad: {
      tools: [{ type: "function", name: "a", parameters: { type: "object", properties: {}, not: {} } }],
      ...body(user("go")),
    },
    at: "$.tools[0].parameters.not",
    good: {
      tools: [{ type: "function", name: "a", parameters: { type: "object", properties: { b: { not: {} } } } }],
      ...body(user("go")),
    },
  },
  {
    rule: "tool-schemas",
    name: "parameters without a type, in a namespace",
    bad: {
      tools: [{ ...inNamespace(), tools: [{ type: "function", name: "a", parameters: {} }] }],
      ...body(user("go")),
    },
    at: "$.tools[0].tools[0].parameters.type",
    good: { tools: [inNamespace("a")], ...body(user("go")) },
  },
  {
    rule: "tool-names-once",
    name: "a tool that is defined twice in its namespace",
    bad: { tools: [inNamespace("a", "a")], ...body(user("go")) },
    at: "$.tools[0].tools[1].name",
    good: { tools: [inNamespace("a"), { type: "function", name: "a" }], ...body(user("go")) },
  },
  {
    rule: "tool-names-once",
    name: "a tool that is defined twice",
    bad: { tools: [1, 2].map(() => ({ type: "function", name: "a" })), ...body(user("go")) },
    at: "$.tools[1].name",
    good: { tools: [{ type: "function", name: "a" }], ...body(user("go")) },
  },
  {
    rule: "shape",
    name: "an output without a body",
    bad: body(user("go"), call("a"), { type: "function_call_output", call_id: "a" }),
    at: "$.input[2].type",
    good: body(user("go"), call("a"), output("a")),
  },
];

const strange: readonly unknown[] = [{ input: 1 }, { input: [1, null, { type: "function_call" }], tools: [3] }];

describe("openai-responses legality", () => {
  legalityTests(openaiResponses, { cases, strange });

  it("W3 W4 allows other messages between a call and its output", () => {
    expect(
      openaiResponses.check(body(user("go"), call("a"), user("wait"), says("assistant", "hm"), output("a"))),
    ).toEqual([]);
  });

  it("W9 W10 accepts any first and last message", () => {
    expect(openaiResponses.check(body(says("assistant", "hi"), user("go"), says("assistant", "done")))).toEqual([]);
  });

  it("takes items of unknown types for the model's, and so what a program of the model does", () => {
    const program = { type: "program", id: "prog_1", call_id: "p", code: "", fingerprint: "f" };
    const done = { type: "program_output", id: "out_1", call_id: "p", result: "", status: "completed" };
    const own = { id: "msg_1", ...says("assistant", "so") };
    for (const item of [program, done, { type: "new_kind" }])
      expect(openaiResponses.check(body(user("go"), reasoning("rs_1"), item, own))).toEqual([]);
    for (const item of ["item_reference", "additional_tools", "configuration_update", "compaction_trigger"])
      expect(
        openaiResponses.check(body(user("go"), reasoning("rs_1"), { type: item })).map(({ rule }) => rule),
      ).toEqual(["W16"]);
  });

  it("accepts items of hosted tools and of unknown types", () => {
    const said = body(user("go"), web, says("assistant", "so"), { type: "new_kind" });
    expect(openaiResponses.check(said)).toEqual([]);
    // A model that was told not to reason has no reasoning to send back.
    expect(openaiResponses.check({ reasoning: { effort: "none" }, ...said })).toEqual([]);
    expect(openaiResponses.check(body(...said.input, user("on"), reasoning("rs_1"), says("assistant", "so")))).toEqual(
      [],
    );
  });
});
