import { cpuTimeMs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { END_OF_HISTORY } from "../../neutral/summary-message.ts";
import { legalityTests, type RuleCase } from "../../testing/legality-tests.ts";
import { anthropicMessages } from "./format.ts";

const tools = [{ name: "read", input_schema: { type: "object" } }];
const deferred = { name: "rare", input_schema: { type: "object" }, defer_loading: true };
const user = (...content: unknown[]) => ({
  role: "user",
  content: content.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)),
});
const assistant = (...content: unknown[]) => ({ ...user(...content), role: "assistant" });
const system = (...content: unknown[]) => ({ ...user(...content), role: "system" });
const call = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "read", input });
const result = (id: string, content: unknown = "ok") => ({ type: "tool_result", tool_use_id: id, content });
const thinking = (signature = "c2ln") => ({ type: "thinking", thinking: "hm", signature });
const served = (id: string) => ({ type: "server_tool_use", id, name: "web_search", input: {} });
const found = (id: string) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const searched = (id: string, ...names: readonly string[]) => ({
  type: "tool_search_tool_result",
  tool_use_id: id,
  content: {
    type: "tool_search_tool_search_result",
    tool_references: names.map((tool_name) => ({ type: "tool_reference", tool_name })),
  },
});
const document = (enabled: boolean) => ({
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "so" },
  citations: { enabled },
});
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
const imageOf = (length: number) => ({ ...image, source: { ...image.source, data: "A".repeat(length) } });
const cached = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral" } });
const body = (...messages: unknown[]) => ({ tools, messages });

const CLEARING = "context-management-2025-06-27";
const clearing = { type: "clear_tool_uses_20250919" };
const compacting = { type: "compact_20260112", trigger: { type: "input_tokens", value: 100_000 } };
const signedItem = { type: "compaction", content: "so far", signature: "c2ln" };

const pointer = `[Externalized Content - artifact:a]\n…\n${END_OF_HISTORY}`;

const cases: readonly RuleCase[] = [
  {
    rule: "W1",
    name: "call without result",
    bad: body(user("go"), assistant(call("a")), user("and?")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a"), "and?")),
  },
  {
    rule: "W2",
    name: "result with unknown id",
    bad: body(user("go"), assistant(call("a")), user(result("a"), result("z"))),
    at: "$.messages[2].content[1]",
    good: body(user("go"), assistant(call("a"), call("z")), user(result("a"), result("z"))),
  },
  {
    rule: "W3",
    name: "user message between call and result",
    bad: body(user("go"), assistant(call("a")), user("wait"), user(result("a"))),
    at: "$.messages[3].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a")), user("wait")),
  },
  {
    rule: "W4",
    name: "assistant message between call and result",
    bad: body(user("go"), assistant(call("a")), user("wait"), assistant("ok"), user(result("a"))),
    at: "$.messages[4].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a"), "wait"), assistant("ok"), user("go on")),
  },
  {
    rule: "W5",
    name: "duplicate result id",
    bad: body(user("go"), assistant(call("a")), user(result("a"), result("a"))),
    at: "$.messages[2].content[1]",
    good: body(user("go"), assistant(call("a")), user(result("a"))),
  },
  {
    rule: "W6",
    name: "swapped ids",
    bad: body(user("go"), assistant(call("a")), user(result("b")), assistant(call("b")), user(result("a"))),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))),
  },
  {
    rule: "W7",
    name: "parallel calls with one missing result",
    bad: body(user("go"), assistant(call("a"), call("b")), user(result("b"))),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(call("a"), call("b")), user(result("b"), result("a"))),
  },
  {
    rule: "W8",
    name: "results before the call",
    bad: body(user("go"), assistant("first"), user(result("a")), assistant(call("a")), user("?")),
    at: "$.messages[2].content[0]",
    good: body(user("go"), assistant("first"), user("?"), assistant(call("a")), user(result("a"))),
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
    name: "empty text block",
    bad: body(user("go", "")),
    at: "$.messages[0].content[1]",
    good: body(user("go")),
  },
  {
    rule: "W11",
    name: "white space as content",
    bad: body({ role: "user", content: " \n" }),
    at: "$.messages[0].content[0]",
    good: body({ role: "user", content: "x" }),
  },
  {
    rule: "W11",
    name: "blank text in a result",
    bad: body(user("go"), assistant(call("a")), user(result("a", [{ type: "text", text: " " }]))),
    at: "$.messages[2].content[0].content[0]",
    good: body(user("go"), assistant(call("a")), user({ type: "tool_result", tool_use_id: "a" })),
  },
  {
    rule: "W11",
    name: "blank system text",
    bad: { system: [{ type: "text", text: "" }], messages: [user("go")] },
    at: "$.system[0]",
    good: { system: "x", messages: [user("go")] },
  },
  {
    rule: "W11",
    name: "empty image",
    bad: body(user("see", { type: "image", source: { ...image.source, data: "" } })),
    at: "$.messages[0].content[1]",
    good: body(user("see", image)),
  },
  {
    rule: "W11",
    name: "document without an address in a result",
    bad: body(
      user("go"),
      assistant(call("a")),
      user(result("a", [image, { type: "document", source: { type: "url", url: " " } }])),
    ),
    at: "$.messages[2].content[0].content[1]",
    good: body(user("go"), assistant(call("a")), user(result("a", [image, document(false)]))),
  },
  {
    rule: "media-size",
    name: "image of more than ten MiB in a result",
    bad: body(user("go"), assistant(call("a")), user(result("a", [imageOf(10 * 2 ** 20 + 4)]))),
    at: "$.messages[2].content[0].content[0]",
    good: body(user(imageOf(10 * 2 ** 20))),
  },
  {
    rule: "W12",
    name: "unsigned thinking",
    bad: body(user("go"), assistant(thinking(""), "hi"), user("on")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(thinking(), "hi"), user("on")),
  },
  {
    rule: "W12",
    name: "thinking in a user message",
    bad: body(user("go", thinking())),
    at: "$.messages[0].content[1]",
    good: body(user("go")),
  },
  {
    rule: "W12",
    name: "thinking at the end of a turn",
    bad: body(user("go"), assistant("hi", thinking()), user("on")),
    at: "$.messages[1].content[1]",
    good: body(user("go"), assistant(thinking(), "hi"), user("on")),
  },
  {
    rule: "W12",
    name: "thinking dropped from the open tool loop",
    bad: {
      ...body(user("go"), assistant(call("a")), user(result("a"))),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    at: "$.messages[1].content[0]",
    good: {
      ...body(user("go"), assistant(thinking(), call("a")), user(result("a"))),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
  },
  {
    rule: "W12",
    name: "an open tool loop with thinking neither at its beginning nor in its last step",
    bad: {
      ...body(
        ...[user("go"), assistant(call("a")), user(result("a")), assistant(thinking(), call("b")), user(result("b"))],
        ...[assistant(call("c")), user(result("c"))],
      ),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    at: "$.messages[5].content[0]",
    good: {
      // As a model works that thinks once in a turn: before its first call.
      ...body(user("go"), assistant(thinking(), call("a")), user(result("a")), assistant(call("b")), user(result("b"))),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
  },
  {
    rule: "W13",
    name: "thinking retained after an edited prefix",
    bad: body(
      user("go"),
      assistant(`[Context Summary - Turns 1-2]\n…\n${END_OF_HISTORY}`, thinking(), "hi"),
      user("on"),
    ),
    at: "$.messages[1].content[1]",
    good: body(user("go"), assistant("[Context Summary - Turns 1-2] is what I read", thinking(), "hi"), user("on")),
  },
  {
    rule: "W13",
    name: "thinking behind the pointer to a folded span, and not behind one that the user sends",
    bad: body(user("go"), assistant(pointer, thinking(), "hi"), user("on")),
    at: "$.messages[1].content[1]",
    good: body(user(pointer), assistant(thinking(), "hi"), user("on")),
  },
  {
    rule: "W12",
    name: "redacted thinking without its data",
    bad: body(user("go"), assistant({ type: "redacted_thinking", data: "" }, "hi"), user("on")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant({ type: "redacted_thinking", data: "eA==" }, "hi"), user("on")),
  },
  {
    rule: "W12",
    name: "an open tool loop without thinking, where a budget is set for it, and not where it is adaptive",
    bad: {
      ...body(user("go"), assistant(call("a")), user(result("a"))),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    at: "$.messages[1].content[0]",
    good: { ...body(user("go"), assistant(call("a")), user(result("a"))), thinking: { type: "adaptive" } },
  },
  {
    rule: "W12",
    name: "a loop without thinking that the user has not left",
    bad: {
      ...body(user("go"), assistant(thinking(), "hi"), user("on"), assistant(call("a")), user(result("a"))),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    at: "$.messages[3].content[0]",
    good: {
      ...body(user("go"), assistant(call("a")), user(result("a")), assistant("hi"), user("on")),
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
  },
  {
    rule: "W17",
    name: "marks within results are counted",
    bad: body(
      ...[user("go"), assistant(call("a"))],
      user(result("a", [cached("1"), cached("2"), cached("3")]), cached("4"), cached("5")),
    ),
    at: "$",
    good: body(
      ...[user("go"), assistant(call("a"))],
      user(result("a", [cached("1"), cached("2"), cached("3")]), cached("4"), "5"),
    ),
  },
  {
    rule: "failed-results",
    name: "a picture in a failed result",
    bad: body(user("go"), assistant(call("a")), user({ ...result("a", [image]), is_error: true })),
    at: "$.messages[2].content[0].content[0]",
    good: body(user("go"), assistant(call("a")), user({ ...result("a", "no"), is_error: true }, image)),
  },
  {
    rule: "failed-results",
    name: "a reference in a failed result",
    bad: body(
      user("go"),
      assistant(call("a")),
      user({ ...result("a", [{ type: "tool_reference", tool_name: "read" }]), is_error: true }),
    ),
    at: "$.messages[2].content[0].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a", [{ type: "tool_reference", tool_name: "read" }]))),
  },
  {
    rule: "server-tools",
    name: "a server tool without its result, and the user speaks",
    bad: body(user("go"), assistant(served("s")), user("well?")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant("so", served("s"))),
  },
  {
    rule: "server-tools",
    name: "the result of a server tool that nobody called",
    bad: body(user("go"), assistant(found("s"), "so"), user("on")),
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(served("s"), found("s"), "so"), user("on")),
  },
  {
    rule: "server-tools",
    name: "the result of a server tool behind what the user said, which also leaves the call open",
    bad: body(user("go"), assistant(served("s")), user("well?"), assistant(found("s"), "so"), user("on")),
    at: "$.messages[1].content[0]",
    good: body(
      user("go"),
      assistant(served("s"), call("a")),
      user(result("a")),
      assistant(found("s"), "so"),
      user("on"),
    ),
  },
  {
    rule: "server-tools",
    name: "a server tool under an id that was used",
    bad: body(user("go"), assistant(served("s"), found("s"), served("s"), "so"), user("on")),
    at: "$.messages[1].content[2].id",
    good: body(user("go"), assistant(served("s"), found("s"), served("t"), found("t"), "so"), user("on")),
  },
  {
    rule: "thinking-tool-choice",
    name: "forced tool use while thinking has a budget",
    bad: { ...body(user("go")), thinking: { type: "enabled" }, tool_choice: { type: "any" } },
    at: "$.tool_choice",
    good: { ...body(user("go")), thinking: { type: "adaptive" }, tool_choice: { type: "any" } },
  },
  {
    rule: "thinking-tool-choice",
    name: "one tool is forced while thinking has a budget",
    bad: { ...body(user("go")), thinking: { type: "enabled" }, tool_choice: { type: "tool", name: "read" } },
    at: "$.tool_choice",
    good: { ...body(user("go")), thinking: { type: "enabled" }, tool_choice: { type: "auto" } },
  },
  {
    rule: "W17",
    name: "more than 4 cache breakpoints",
    bad: {
      system: [cached("a")],
      tools: [{ ...tools[0], cache_control: { type: "ephemeral" } }],
      messages: [user(cached("b"), cached("c"), cached("d"))],
    },
    at: "$",
    good: { system: [cached("a")], messages: [user(cached("b"), cached("c"), cached("d"))] },
  },
  {
    rule: "W18",
    name: "result block not first in the user turn",
    bad: body(user("go"), assistant(call("a")), user("so", result("a"))),
    at: "$.messages[2].content[1]",
    good: body(user("go"), assistant(call("a")), user(result("a"), "so")),
  },
  {
    rule: "W19",
    name: "arguments that are no object",
    bad: body(user("go"), assistant(call("a", "{")), user(result("a"))),
    at: "$.messages[1].content[0].input",
    good: body(user("go"), assistant(call("a", { _raw: "{" })), user(result("a"))),
  },
  {
    rule: "callers",
    name: "a call of a program that is not there",
    bad: body(
      user("go"),
      assistant({ ...call("a"), caller: { type: "code_execution_20260120", tool_id: "s" } }),
      user(result("a")),
    ),
    at: "$.messages[1].content[0].caller",
    good: body(
      user("go"),
      assistant(served("s"), { ...call("a"), caller: { type: "code_execution_20260120", tool_id: "s" } }),
      user(result("a")),
    ),
  },
  {
    rule: "roles",
    name: "a message of a role that the API does not have",
    bad: body(user("go"), { role: "tool", content: "x" }),
    at: "$.messages[1].role",
    good: body(user("go"), user("x")),
  },
  {
    rule: "system-places",
    name: "a system message before the conversation",
    bad: body(system("be kind"), user("go")),
    at: "$.messages[0]",
    good: { system: "be kind", messages: [{ role: "system", output_config: { effort: "low" } }, user("go")] },
  },
  {
    rule: "system-places",
    name: "a system message between what the user says",
    bad: body(user("go"), system("be kind"), user("on")),
    at: "$.messages[1]",
    good: body(user("go"), user("on"), system("be kind"), system("be brief")),
  },
  {
    rule: "system-places",
    name: "a system message behind the assistant",
    bad: body(user("go"), assistant("so"), system("be kind"), assistant("on"), user("well?")),
    at: "$.messages[2]",
    good: body(user("go"), system("be kind"), assistant("on"), user("well?")),
  },
  {
    rule: "system-places",
    name: "a system message for a model that takes none",
    bad: { ...body(user("go"), system("be kind")), model: "claude-sonnet-5" },
    at: "$.messages[1]",
    good: { ...body(user("go"), system("be kind")), model: "claude-sonnet-5-5" },
  },
  {
    rule: "system-places",
    name: "a system message for one turn that holds more than text",
    bad: body(user("go"), { ...system({ type: "tool_removal", tool: {} }), clear_at: "next_user_message" }),
    at: "$.messages[1].content[0]",
    good: body(user("go"), { ...system("be kind"), clear_at: "next_user_message" }),
  },
  {
    rule: "system-places",
    name: "a system message for one turn with a breakpoint",
    bad: body(user("go"), { ...system(cached("be kind")), clear_at: "next_user_message" }),
    at: "$.messages[1].content[0]",
    good: body(user("go"), { ...system(cached("be kind")), clear_at: "never" }),
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
    bad: body(user("go"), assistant(call("a|b")), user(result("a|b"))),
    at: "$.messages[1].content[0].id",
    good: body(user("go"), assistant(call("a_b")), user(result("a_b"))),
  },
  {
    rule: "call-id-once",
    name: "a call id that is used again",
    bad: body(user("go"), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))),
    at: "$.messages[3].content[0].id",
    good: body(user("go"), assistant(call("a")), user(result("a")), assistant(call("a-2")), user(result("a-2"))),
  },
  {
    rule: "tools-declared",
    name: "calls without tools",
    bad: { messages: [user("go"), assistant(call("a")), user(result("a"))] },
    at: "$.messages[1].content[0]",
    good: body(user("go"), assistant(call("a")), user(result("a"))),
  },
  {
    rule: "tool-names",
    name: "a tool name with other signs",
    bad: { tools: [{ name: "a.b" }], messages: [user("go")] },
    at: "$.tools[0].name",
    good: { tools: [{ name: "a_b" }], messages: [user("go")] },
  },
  {
    rule: "tool-names-once",
    name: "a tool defined twice",
    bad: { tools: [...tools, ...tools], messages: [user("go")] },
    at: "$.tools[1].name",
    good: { tools, messages: [user("go")] },
  },
  {
    rule: "tool-schemas",
    name: "a schema of another type",
    bad: { tools: [...tools, { name: "list", input_schema: { type: "array", items: {} } }], messages: [user("go")] },
    at: "$.tools[1].input_schema.type",
    good: { tools: [...tools, { type: "bash_20250124", name: "bash" }], messages: [user("go")] },
  },
  {
    rule: "tool-schemas",
    name: "a schema with alternatives at its top",
    bad: { tools: [...tools, { name: "list", input_schema: { type: "object", anyOf: [{}] } }], messages: [user("go")] },
    at: "$.tools[1].input_schema.anyOf",
    good: {
      tools: [...tools, { name: "list", input_schema: { type: "object", properties: { a: { anyOf: [{}] } } } }],
      messages: [user("go")],
    },
  },
  {
    rule: "tool-schemas",
    name: "a schema without a type",
    bad: { tools: [{ type: "custom", name: "list", input_schema: {} }], messages: [user("go")] },
    at: "$.tools[0].input_schema.type",
    good: { tools: [{ type: "custom", name: "list", input_schema: { type: "object" } }], messages: [user("go")] },
  },
  {
    rule: "deferred-tools",
    name: "a deferred tool with a cache breakpoint",
    bad: { tools: [...tools, { ...deferred, cache_control: { type: "ephemeral" } }], messages: [user("go")] },
    at: "$.tools[1].cache_control",
    good: { tools: [...tools, deferred], messages: [user("go")] },
  },
  {
    rule: "deferred-tools",
    name: "no tool that is not deferred",
    bad: { tools: [deferred], messages: [user("go")] },
    at: "$.tools",
    good: { tools: [...tools, deferred], messages: [user("go")] },
  },
  {
    rule: "tool-references",
    name: "a reference to a tool that is not defined",
    bad: body(
      user("go"),
      assistant(call("a")),
      user(
        result("a", [
          { type: "text", text: "found" },
          { type: "tool_reference", tool_name: "gone" },
        ]),
      ),
    ),
    at: "$.messages[2].content[0].content[1]",
    good: body(user("go"), assistant(call("a")), user(result("a", [{ type: "tool_reference", tool_name: "read" }]))),
  },
  {
    rule: "tool-references",
    name: "a tool search of the provider's that found a tool which is not defined",
    bad: body(user("go"), assistant(served("s"), searched("s", "read", "gone"), "so"), user("on")),
    at: "$.messages[1].content[1].content.tool_references[1]",
    good: body(user("go"), assistant(served("s"), searched("s", "read"), "so"), user("on")),
  },
  {
    rule: "media-places",
    name: "a picture of the assistant",
    bad: body(user("go"), assistant(image), user("on")),
    at: "$.messages[1].content[0]",
    good: body(user("go", image), assistant("nice"), user("on")),
  },
  {
    rule: "citations",
    name: "citations for one of two documents",
    bad: body(user("go", document(true), document(false))),
    at: "$.messages[0].content[2]",
    good: body(user("go", document(true), document(true))),
  },
  {
    rule: "citations",
    name: "citations for a document and not for one in a result",
    bad: body(user("go", document(true)), assistant(call("a")), user(result("a", [document(false)]))),
    at: "$.messages[2].content[0].content[0]",
    good: body(user("go", document(false)), assistant(call("a")), user(result("a", [document(false)]))),
  },
  {
    rule: "citations",
    name: "citations in an answer that has a form",
    bad: { ...body(user("go", document(true))), output_config: { format: { type: "json_schema", schema: {} } } },
    at: "$.messages[0].content[1]",
    good: { ...body(user("go", document(false))), output_config: { format: { type: "json_schema", schema: {} } } },
  },
  {
    rule: "beta-features",
    name: "a signed compaction block with the feature of those at a threshold",
    bad: { ...body(assistant({ ...signedItem }, "so"), user("on")), betas: ["compact-2026-01-12"] },
    at: "$.messages[0].content[0]",
    good: { ...body(assistant({ ...signedItem }, "so"), user("on")), betas: ["compact-2026-09-04"] },
  },
  {
    rule: "beta-features",
    name: "a compaction at a threshold without its beta feature",
    bad: { ...body(user("go")), betas: [CLEARING], context_management: { edits: [clearing, compacting] } },
    at: "$.context_management.edits[1]",
    good: {
      ...{ ...body(user("go")), context_management: { edits: [clearing, compacting] } },
      betas: [CLEARING, "compact-2026-01-12"],
    },
  },
  {
    rule: "beta-features",
    name: "cleared tool uses without their beta feature",
    bad: { ...body(user("go")), betas: [], context_management: { edits: [clearing] } },
    at: "$.context_management.edits[0]",
    good: { ...body(user("go")), betas: [CLEARING], context_management: { edits: [clearing] } },
  },
  {
    rule: "beta-features",
    name: "a compaction on demand without its beta feature",
    bad: { ...body(user("go")), betas: ["compact-2026-01-12"], compaction: { type: "summarize" } },
    at: "$.compaction",
    good: { ...body(user("go")), betas: ["compact-2026-09-04"], compaction: { type: "summarize" } },
  },
  {
    rule: "beta-features",
    name: "servers of MCP without their beta feature",
    bad: { ...body(user("go")), betas: [], mcp_servers: [{ type: "url", name: "wiki", url: "https://example.com" }] },
    at: "$.mcp_servers",
    good: { ...body(user("go")), betas: ["mcp-client-2025-11-20"], mcp_servers: [] },
  },
  {
    rule: "beta-features",
    name: "a compaction block without its beta feature",
    bad: { ...body(assistant({ type: "compaction", content: "so far" }, "so"), user("on")), betas: ["files-api-2025"] },
    at: "$.messages[0].content[0]",
    good: {
      ...body(assistant({ type: "compaction", content: "so far" }, "so"), user("on")),
      betas: ["compact-2026-01-12"],
    },
  },
  {
    rule: "beta-features",
    name: "a system message for one turn without its beta feature",
    bad: { ...body(user("go"), { ...system("be kind"), clear_at: "next_user_message" }), betas: [] },
    at: "$.messages[1].clear_at",
    good: {
      ...body(user("go"), { ...system("be kind"), clear_at: "next_user_message" }),
      betas: ["mid-conversation-system-clear-at-2026-08-21"],
    },
  },
  {
    rule: "beta-features",
    name: "another effort from a message on without its beta feature",
    bad: { ...body(user("go"), { role: "system", output_config: { effort: "low" } }), betas: [] },
    at: "$.messages[1].output_config",
    good: {
      ...body(user("go"), { role: "system", output_config: { effort: "low" } }),
      betas: ["mid-conversation-output-config-2026-07-01"],
    },
  },
  {
    rule: "beta-features",
    name: "a change of the tools without its beta feature",
    bad: { ...body(user("go"), system({ type: "tool_removal", tool: {} })), betas: [] },
    at: "$.messages[1].content[0]",
    good: { ...body(user("go"), system({ type: "tool_removal", tool: {} })), betas: ["inline-tools-2026-09-15"] },
  },
  {
    rule: "compaction-blocks",
    name: "an empty compaction block",
    bad: body(assistant({ type: "compaction", content: "" }, "so"), user("on")),
    at: "$.messages[0].content[0]",
    good: body(assistant({ type: "compaction", content: null }, "so"), user("on")),
  },
  {
    rule: "compaction-blocks",
    name: "a signed compaction block behind what it stands for",
    bad: body(user("go"), assistant({ type: "compaction", content: "so far", signature: "c2ln" }, "so"), user("on")),
    at: "$.messages[1].content[0]",
    good: body(assistant({ type: "compaction", content: "so far", signature: "c2ln" }, "so"), user("on")),
  },
  {
    rule: "compaction-blocks",
    name: "a second compaction block behind a signed one",
    bad: body(
      assistant({ type: "compaction", content: "so far", signature: "c2ln" }, { type: "compaction", content: "more" }),
      user("on"),
    ),
    at: "$.messages[0].content[1]",
    good: body(
      assistant({ type: "compaction", content: "so far", signature: "c2ln" }, { type: "compaction", content: null }),
      user("on"),
    ),
  },
  {
    rule: "shape",
    name: "a block of another shape",
    bad: body(user({ type: "text", txt: "go" })),
    at: "$.messages[0].content[0].type",
    good: body(user("go")),
  },
  {
    rule: "shape",
    name: "a user's block of a type that the API does not have",
    bad: body(user({ type: "input_text", text: "go" })),
    at: "$.messages[0].content[0].type",
    good: body(user({ type: "container_upload", file_id: "f" }, { type: "search_result", source: "s" })),
  },
  {
    rule: "shape",
    name: "a block of a system message of a type that the API does not take there",
    bad: body(user("go"), system(image)),
    at: "$.messages[1].content[0].type",
    good: body(user("go"), system("be kind", { type: "tool_addition", tool: {} })),
  },
  {
    rule: "shape",
    name: "a block in a result of a type that the API does not have",
    bad: body(user("go"), assistant(call("a")), user(result("a", [{ type: "output_text", text: "ok" }]))),
    at: "$.messages[2].content[0].content[0].type",
    good: body(user("go"), assistant(call("a")), user(result("a", [{ type: "browser_state", tabs: [] }]))),
  },
];

const strange: readonly unknown[] = [
  { messages: 1 },
  { messages: [1, null, { role: 3, content: [null, 2, { type: "tool_use" }] }], tools: "x" },
];

describe("anthropic-messages legality", () => {
  legalityTests(anthropicMessages, { cases, strange });

  it("accepts system messages behind results and behind what a tool of the provider found", () => {
    const behindResults = body(user("go"), assistant(call("a")), user(result("a")), system("be kind"), assistant("so"));
    expect(anthropicMessages.check(body(...behindResults.messages, user("on")))).toEqual([]);
    expect(anthropicMessages.check(body(user("go"), assistant(served("s"), found("s")), system("be kind")))).toEqual(
      [],
    );
  });

  it("accepts blocks of unknown types from the model", () => {
    expect(anthropicMessages.check(body(user("go"), assistant({ type: "new_kind" }, "so"), user("on")))).toEqual([]);
  });

  it("takes linear time for a payload full of misplaced results", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => user(result(`r${index}`)));
    const started = cpuTimeMs();
    expect(anthropicMessages.check(body(user("go"), assistant("x"), ...many)).length).toBe(20_000);
    expect(cpuTimeMs() - started).toBeLessThan(10_000);
  });
});
