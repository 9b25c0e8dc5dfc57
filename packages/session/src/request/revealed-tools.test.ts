import type { JsonObject, JsonValue, MessageInput, Part, ToolDefinition } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { anthropicMessages, openaiResponses } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { springSlidingPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { openSession, work } from "../testing/agent-work.ts";

const plain = (name: string): ToolDefinition => ({ name, inputSchema: { type: "object" } });
const deferred = (name: string, type = "object"): ToolDefinition => ({
  name,
  inputSchema: { type, properties: { path: { type: "string" } } },
  providerMetadata: { anthropic: { defer_loading: true } },
});
const frame = {
  system: ["You are an agent."],
  tools: [plain("bash"), plain("find_tools"), deferred("deploy"), deferred("notify")],
};

const found: JsonValue = [{ type: "tool_reference", tool_name: "deploy" }];
const search = [
  message("u0", "user", "Ship it."),
  assistant("s0", call("find", "find_tools", { query: "deploy" })),
  tool("s1", result("find", "", { toolName: "find_tools", content: { type: "json", value: found } })),
];

const config = { maxInputTokens: 8_000, costModelEnabled: false };
const open = (store = createMemoryStore()) => openSession({ store, format: anthropicMessages, config, frame });

/** Names of the tools that the provider shows only where a search for them stands in the request. */
const deferredIn = ({ payload }: PreparedRequest): readonly unknown[] =>
  (payload["tools"] as unknown as readonly Record<string, unknown>[])
    .filter((definition) => definition["defer_loading"] === true)
    .map(({ name }) => name);

describe("a tool that a search revealed", () => {
  it("stays declared after the search is folded away, in this session and in every later one", async () => {
    const store = createMemoryStore();
    const session = await open(store);
    await session.append(search);
    const shown = await session.prepare();
    expect(deferredIn(shown)).toEqual(["deploy", "notify"]);
    expect(shown.payloadText).toContain('"type":"tool_reference"');

    await session.append(work(0, 12, 600));
    const folded = await session.prepare();
    expect(folded.payloadText).not.toContain('"type":"tool_reference"');
    expect(deferredIn(folded)).toEqual(["notify"]);
    expect(folded.violations).toEqual([]);
    expect(session.plan.revealedTools).toEqual([{ name: "deploy", schemaDigest: expect.any(String) }]);

    const reopened = await open(store);
    expect((await reopened.render()).payloadText).toBe(folded.payloadText);
    await reopened.append(work(12, 30, 600));
    const later = await reopened.prepare();
    expect(later.plan.version).toBeGreaterThan(folded.plan.version);
    expect(deferredIn(later)).toEqual(["notify"]);
    await reopened.revert(folded.plan.version);
    expect(deferredIn(await reopened.render())).toEqual(["notify"]);
    expect((await reopened.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("is deferred again when its schema changes and when the fold is reverted", async () => {
    const session = await open();
    await session.append([...search, ...work(0, 12, 600)]);
    await session.prepare();
    const changed = {
      ...frame,
      tools: frame.tools.map((one) => (one.name === "deploy" ? deferred("deploy", "string") : one)),
    };
    expect(deferredIn(await session.prepare({ frame: changed }))).toEqual(["deploy", "notify"]);
    expect(deferredIn(await session.prepare({ frame }))).toEqual(["notify"]);
    await session.revert(0);
    expect(deferredIn(await session.render())).toEqual(["deploy", "notify"]);
  });

  it("is named by no plan of a thread without deferred tools", async () => {
    const session = await openSession({
      format: anthropicMessages,
      config,
      frame: { ...frame, tools: [plain("bash")] },
    });
    await session.append([...search, ...work(0, 12, 600)]);
    await session.prepare();
    expect(session.plan.version).toBe(1);
    expect(session.plan).not.toHaveProperty("revealedTools");
  });
});

describe("a namespace that an OpenAI search revealed", () => {
  const described = { name: "crm", description: "Customers and orders." };
  const inCrm = (name: string, more: JsonObject = {}, type = "string"): ToolDefinition => ({
    name,
    inputSchema: { type: "object", properties: { customer: { type } } },
    providerMetadata: { openai: { namespace: described, ...more } },
  });
  const hidden = { defer_loading: true };
  const hosted: ToolDefinition = {
    name: "tool_search",
    inputSchema: { type: "object" },
    providerMetadata: { openai: { type: "tool_search" } },
  };
  const tools = [plain("bash"), hosted, inCrm("orders", hidden), inCrm("refund", hidden)];
  const openCrm = (more: { readonly store?: ReturnType<typeof createMemoryStore> } = {}) =>
    // A provider's item is never rewritten: it is folded by a window that moves on.
    openSession({ format: openaiResponses, config, frame: { tools }, preset: springSlidingPreset, ...more });

  const wire = (name: string, type = "string") => ({
    ...{ type: "function", name, parameters: { type: "object", properties: { customer: { type } } } },
    ...{ strict: false, defer_loading: true },
  });
  const item = (value: JsonObject): Part => ({ type: "opaque", provider: "openai", value });
  /** A search of the provider's own has no id; one of the host's has. */
  const searched = (id: string, callId: string | null, ...found: readonly JsonObject[]): readonly MessageInput[] => [
    message(`${id}-call`, "assistant", [
      item({ type: "tool_search_call", call_id: callId, arguments: {} }),
      item({ type: "tool_search_output", call_id: callId, tools: [{ type: "namespace", ...described, tools: found }] }),
    ]),
  ];
  const go = message("u0", "user", "Which orders are open?");

  /** What a request declares of the namespace: each tool, and whether it is deferred. */
  const crmIn = ({ payload }: PreparedRequest): readonly unknown[] => {
    const groups = (payload["tools"] as unknown as readonly JsonObject[]).filter(({ type }) => type === "namespace");
    expect(groups.length).toBeLessThan(2);
    return groups.flatMap((group) =>
      (group["tools"] as readonly JsonObject[]).map(({ name, defer_loading: deferred = false, parameters }) => [
        name,
        deferred,
        ((parameters as JsonObject)["properties"] as JsonObject)["customer"],
      ]),
    );
  };
  const text = { type: "string" };
  const figure = { type: "integer" };

  it("keeps its tools declared after the search is folded away: live, reopened and replayed", async () => {
    const store = createMemoryStore();
    const session = await openCrm({ store });
    await session.append([go, ...searched("s0", null, wire("orders")), ...searched("s1", null, wire("orders"))]);
    const shown = await session.prepare();
    expect(crmIn(shown)).toEqual([
      ["orders", true, text],
      ["refund", true, text],
    ]);
    expect(shown.payload["tools"]).toContainEqual({ type: "tool_search" });
    expect(shown.payloadText.match(/"tool_search_output"/g)).toHaveLength(2);
    expect(shown.violations).toEqual([]);

    await session.append(work(0, 12, 600));
    const folded = await session.prepare();
    expect(folded.payloadText).not.toContain('"tool_search_output"');
    expect(crmIn(folded)).toEqual([
      ["orders", false, text],
      ["refund", true, text],
    ]);
    expect(folded.violations).toEqual([]);
    expect(session.plan.revealedTools).toEqual([
      { name: "orders", namespace: "crm", schemaDigest: expect.any(String) },
    ]);
    const reopened = await openCrm({ store });
    expect((await reopened.render()).payloadText).toBe(folded.payloadText);
    expect((await reopened.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("keeps the newest definition of the host's own search unless the host defines it, and is declared once", async () => {
    const store = createMemoryStore();
    const session = await openCrm({ store });
    await session.append([go, ...searched("s0", "a", wire("audit")), ...searched("s1", "b", wire("audit", "integer"))]);
    await session.append(work(0, 12, 600));
    const folded = await session.prepare();
    expect(folded.payloadText).not.toContain('"tool_search_output"');
    expect(crmIn(folded)).toContainEqual(["audit", false, figure]);
    expect(crmIn(folded)).toHaveLength(3);

    // Found once more, with another schema: the search that is shown declares it.
    await session.append(searched("s2", "c", wire("audit")));
    const again = await session.prepare();
    expect(crmIn(again).map((one) => (one as readonly unknown[])[0])).toEqual(["orders", "refund"]);
    expect(again.payloadText.match(/"audit"/g)).toHaveLength(1);

    await session.append(work(12, 30, 600));
    const later = await session.prepare();
    expect(later.plan.version).toBeGreaterThan(folded.plan.version);
    expect(crmIn(later)).toContainEqual(["audit", false, text]);
    expect(later.violations).toEqual([]);
    const reopened = await openCrm({ store });
    expect((await reopened.render()).payloadText).toBe(later.payloadText);
    expect((await reopened.replay()).every(({ equal }) => equal)).toBe(true);

    // The host's own definition, once it has one, is the one that counts.
    const own = { tools: [...tools, inCrm("audit")] };
    expect(crmIn(await session.prepare({ frame: own }))).toEqual([
      ["orders", true, text],
      ["refund", true, text],
      ["audit", false, text],
    ]);
  });

  it("is declared outright for a model without tool search, and deferred again for one that has it", async () => {
    const session = await openCrm();
    await session.append([go, ...searched("s0", null, wire("orders")), ...work(0, 2, 20)]);
    session.switchModel({ model: "gpt-5.1" });
    const older = await session.prepare();
    expect([older.violations, older.payloadText.includes("tool_search")]).toEqual([[], false]);
    expect(crmIn(older)).toEqual([
      ["orders", false, text],
      ["refund", false, text],
    ]);
    expect(older.warnings).toContainEqual(expect.objectContaining({ kind: "opaque-left-out", reason: "other-model" }));
    expect(older.warnings).toContainEqual(expect.objectContaining({ names: ["openai.defer_loading"] }));
    session.switchModel({ model: "gpt-5.4" });
    const newer = await session.prepare();
    expect([newer.violations, newer.payloadText.includes("tool_search_output")]).toEqual([[], true]);
    expect(crmIn(newer).every((one) => (one as readonly unknown[])[1] === true)).toBe(true);
  });

  it("keeps its tools declared when the provider's own compaction stands for the search", async () => {
    const session = await openSession({
      ...{ format: openaiResponses, config, frame: { tools }, model: "gpt-5.4" },
      providerCompaction: { when: "threshold" },
    });
    await session.append([go, ...searched("s0", null, wire("orders")), ...searched("s1", "a", wire("audit"))]);
    await session.append([
      ...work(0, 3, 100),
      message("c0", "assistant", item({ type: "compaction", id: "cmp_1", encrypted_content: "ZW5j" })),
      message("u1", "user", "And now?"),
    ]);
    const compacted = await session.prepare();
    expect(compacted.payloadText).toContain('"cmp_1"');
    expect(compacted.payloadText).not.toContain('"tool_search_output"');
    expect(crmIn(compacted)).toEqual([
      ["orders", false, text],
      ["refund", true, text],
      ["audit", false, text],
    ]);
    expect(compacted.violations).toEqual([]);
  });

  it("is told apart from a tool of the same name outside it", async () => {
    const session = await openCrm();
    const both = { tools: [...tools, { ...deferred("orders"), providerMetadata: { openai: hidden } }] };
    await session.append([go, ...searched("s0", null, wire("orders")), ...work(0, 12, 600)]);
    const folded = await session.prepare({ frame: both });
    expect(crmIn(folded)[0]).toEqual(["orders", false, text]);
    expect(folded.payload["tools"]).toContainEqual(expect.objectContaining({ name: "orders", defer_loading: true }));
    expect(folded.violations).toEqual([]);
    expect(folded.warnings.map(({ kind }) => kind)).not.toContain("tool-definition-left-out");
  });
});
