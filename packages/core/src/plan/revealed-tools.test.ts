import { describe, expect, it } from "vitest";
import type { JsonValue } from "../json/json-value.ts";
import { result, text } from "../laws/messages.ts";
import type { Part } from "../model/part.ts";
import type { ToolDefinition } from "../providers/chat-request.ts";
import { isDeferredTool, schemaDigestOf, toolKey, toolNameOf, toolsFoundIn } from "./revealed-tools.ts";

const tool = (providerMetadata?: ToolDefinition["providerMetadata"], type = "object"): ToolDefinition => ({
  ...{ name: "deploy", inputSchema: { type } },
  ...(providerMetadata !== undefined && { providerMetadata }),
});
const found = (...parts: readonly Part[]) => toolsFoundIn({ parts });
const opaque = (value: JsonValue): Part => ({ type: "opaque", provider: "openai", value });
const answer = (value: JsonValue): Part => result("c1", "", { toolName: "find", content: { type: "json", value } });

describe("a tool definition", () => {
  it("is deferred if the metadata of any provider says so", () => {
    expect(isDeferredTool(tool({ anthropic: { defer_loading: true } }))).toBe(true);
    expect(isDeferredTool(tool({ openai: {}, anthropic: { defer_loading: true } }))).toBe(true);
    const others: readonly ToolDefinition["providerMetadata"][] = [
      ...[
        undefined,
        {},
        { anthropic: {} },
        { anthropic: { defer_loading: false } },
        { anthropic: { defer_loading: "yes" } },
      ],
    ];
    for (const fields of others) expect(isDeferredTool(tool(fields))).toBe(false);
  });

  it("is identified by name and namespace, and its schema by a digest", () => {
    expect(toolNameOf(tool())).toEqual({ name: "deploy" });
    expect(toolNameOf(tool({ openai: { namespace: { name: "ops" } } }))).toEqual({ name: "deploy", namespace: "ops" });
    for (const namespace of ["ops", ["ops"], null, { name: 7 }, {}])
      expect(toolNameOf(tool({ openai: { namespace } }))).toEqual({ name: "deploy" });
    const names = [{ name: "a" }, { name: "a", namespace: "b" }, { name: "b", namespace: "a" }, { name: "b" }];
    expect(new Set(names.map(toolKey)).size).toBe(4);
    expect(toolKey({ name: "a" })).toBe(toolKey({ name: "a" }));
    expect(schemaDigestOf(tool())).toBe(schemaDigestOf({ ...tool(), description: "Ships it." }));
    expect(schemaDigestOf(tool())).not.toBe(schemaDigestOf(tool(undefined, "array")));
  });
});

describe("the tools that a message reveals", () => {
  it("include those referenced by a result of the host's search", () => {
    const references = [
      { type: "tool_reference", tool_name: "deploy" },
      { type: "text", tool_name: "x" },
      { type: "tool_reference" },
      "deploy",
      null,
    ];
    expect(found(answer(references))).toEqual([{ name: "deploy" }]);
    expect(found(answer({ type: "tool_reference", tool_name: "deploy" }))).toEqual([]);
    expect(found(text("deploy"), result("c1", '[{"type":"tool_reference","tool_name":"deploy"}]'))).toEqual([]);
  });

  it("include those referenced by a result of the provider's search", () => {
    const references = [
      { type: "tool_reference", tool_name: "deploy" },
      { type: "tool_reference", tool_name: "notify" },
    ];
    const content = { type: "tool_search_tool_search_result", tool_references: references };
    expect(found(opaque({ type: "tool_search_tool_result", content }))).toEqual([
      { name: "deploy" },
      { name: "notify" },
    ]);
    expect(found(opaque({ type: "tool_search_tool_result", content: "none" }))).toEqual([]);
    expect(found(opaque({ type: "other", content }), opaque("text"), opaque([content]), opaque(null))).toEqual([]);
  });

  it("include those that a search defines, with their definitions", () => {
    const parameters = { type: "object", properties: {} };
    const output = (...tools: readonly JsonValue[]) => opaque({ type: "tool_search_output", tools: [...tools] });
    const [plain] = found(
      output({
        type: "function",
        name: "deploy",
        description: "Ships it.",
        parameters,
        defer_loading: true,
        strict: true,
      }),
    );
    expect(plain).toEqual({
      name: "deploy",
      definition: {
        name: "deploy",
        description: "Ships it.",
        inputSchema: parameters,
        providerMetadata: { openai: { strict: true } },
      },
    });
    const [bare] = found(output({ type: "function", name: "deploy", description: "" }));
    expect(bare?.definition).toEqual({ name: "deploy", inputSchema: expect.any(Object) });
    expect(found(output({ type: "custom", name: "deploy" }))[0]?.definition?.providerMetadata).toEqual({
      openai: { type: "custom" },
    });
    expect(found(output({ type: "function" }, { type: "function", name: "" }, "deploy", 7))).toEqual([]);
    expect(found(opaque({ type: "tool_search_result", tools: [{ type: "function", name: "deploy" }] }))).toEqual([]);
  });

  it("include all tools of a namespace that a search defines", () => {
    const inner = { type: "function", name: "deploy" };
    const namespace = {
      type: "namespace",
      name: "ops",
      description: "Operations.",
      tools: [inner, { ...inner, name: "stop" }],
    };
    const tools = found(opaque({ type: "tool_search_output", tools: [namespace] }));
    expect(tools.map(({ name, namespace: own }) => [name, own])).toEqual([
      ["deploy", "ops"],
      ["stop", "ops"],
    ]);
    expect(tools[0]?.definition?.providerMetadata).toEqual({
      openai: { namespace: { name: "ops", description: "Operations." } },
    });
    // A namespace within a namespace is a tool of it.
    const nested = found(opaque({ type: "tool_search_output", tools: [{ ...namespace, tools: [namespace] }] }));
    expect(nested.map(({ name }) => name)).toEqual(["ops"]);
  });
});
