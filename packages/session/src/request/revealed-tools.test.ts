import type { JsonValue, ToolDefinition } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { anthropicMessages } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
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
  it("stays declared when the search is folded away, and in every session from then on", async () => {
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

  it("is deferred again when its schema is another, and when the fold is undone", async () => {
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

  it("costs a thread without deferred tools nothing: its plans name none", async () => {
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
