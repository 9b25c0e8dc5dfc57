import { AgentThread, asMessageId, type JsonObject, type MessageInput, type Part } from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { type AnyJson, renderSample } from "../../testing/render-sample.ts";
import {
  ARTIFACT,
  image,
  type MessageSpec,
  planWith,
  pointerOver,
  SAMPLE_THREAD_ID,
  signed,
  summaryOver,
  threadOf,
} from "../../testing/sample-thread.ts";

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const opaque = (value: JsonObject): Part => ({ type: "opaque", provider: "anthropic", value });
const served = (id: string): Part => opaque({ type: "server_tool_use", id, name: "web_search", input: {} });
const found = (id: string): Part => opaque({ type: "web_search_tool_result", tool_use_id: id, content: [] });

/** Renders for Anthropic what must be legal, and shows the blocks of each message by their types. */
function render(specs: readonly MessageSpec[], options: Parameters<typeof renderSample>[1] = {}) {
  const sample = renderSample(threadOf(...specs), { format: "anthropic-messages", tools, ...options });
  expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
  expect(sample.format.check(sample.payload)).toEqual([]);
  const blocks = sample.messages.map(({ content }) => content.map(({ type }: JsonObject) => type).join());
  return { ...sample, blocks };
}

describe("a failed result in Anthropic's format", () => {
  const failed = (id: string, more: Parameters<typeof result>[2] = {}): Part =>
    result(id, "", { outcome: "failure", content: { type: "blocks", blocks: [text("no"), image] as never }, ...more });

  it("keeps its error mark and text, and shows its pictures after the batch's results", () => {
    const { blocks, messages, warnings } = render([
      ["user", "go"],
      ["assistant", call("a"), call("b")],
      ["tool", failed("a")],
      ["tool", result("b", "ok")],
      ["user", "well?"],
    ]);
    expect(blocks).toEqual(["text", "tool_use,tool_use", "tool_result,tool_result,text,image,text"]);
    expect(messages[2].content[0]).toMatchObject({
      is_error: true,
      content: [text("no"), text("[image below the results: image/png, a.png]")],
    });
    expect(messages[2].content[2].text).toBe("[Media of read: failure]");
    expect(warnings).toContainEqual({ kind: "media-moved", messageIds: ["m3"] });
  });

  it("names its pictures by the name that its tool is sent with", () => {
    const { messages } = render([
      ["user", "go"],
      ["assistant", call("a", "files/read")],
      ["tool", failed("a", { toolName: "files/read" })],
      ["user", "well?"],
    ]);
    expect(messages[1].content[0].name).toBe("files_read");
    expect(messages[2].content[1].text).toBe("[Media of files_read: failure]");
  });

  it("sends the provider's own block types as text", () => {
    const value = [{ tool_name: "read", type: "tool_reference" }];
    const content = { type: "json", value } as const;
    const { messages } = render([
      ["user", "go"],
      ["assistant", call("a"), call("b")],
      ["tool", failed("a", { content })],
      ["tool", result("b", "", { content })],
    ]);
    expect(messages[2].content.map(({ content: shown }: JsonObject) => shown)).toEqual([JSON.stringify(value), value]);
  });
});

describe("a call that a program of the model made", () => {
  const running = opaque({ type: "server_tool_use", id: "srv", name: "code_execution", input: {} });
  const ran = opaque({ type: "code_execution_tool_result", tool_use_id: "srv", content: {} });
  const caller = { type: "code_execution_20260120", tool_id: "srv" };
  const called = (id: string): Part => ({ ...call(id), providerMetadata: { anthropic: { caller } } }) as Part;
  const specs: readonly MessageSpec[] = [
    ["user", "go"],
    ["assistant", running, called("a")],
    ["tool", result("a", "ok")],
    ["assistant", called("b")],
    ["tool", result("b", "ok")],
    ["assistant", ran, "so"],
    ["user", "on"],
  ];
  const callers = (numbers: readonly number[]) =>
    render(
      specs,
      numbers.length === 0 ? {} : { plan: planWith(threadOf(...specs), summaryOver(threadOf(...specs), numbers)) },
    )
      .messages.flatMap(({ content }) => content)
      .filter((block) => "caller" in block);

  it("names the program while it is shown, and none once it is folded", () => {
    expect(callers([])).toMatchObject([
      { id: "a", caller },
      { id: "b", caller },
    ]);
    expect(callers([2, 3])).toEqual([]);
    expect(callers([6])).toEqual([]);
  });
});

describe("tool references", () => {
  const reference = (tool_name: string) => ({ type: "tool_reference", tool_name });
  const offered = [...tools, { name: "mcp.search", inputSchema: { type: "object" } }];
  const revealing = (...names: readonly string[]): Part =>
    result("a", "", { content: { type: "json", value: names.map(reference) } });
  const specs = (answer: Part): readonly MessageSpec[] => [
    ["user", "go"],
    ["assistant", call("a")],
    ["tool", answer],
  ];
  const shown = ({ messages }: ReturnType<typeof render>) => messages[2].content[0].content;

  it("stay while the request defines the tool, under the name that it is sent with", () => {
    const kept = render(specs(revealing("read")));
    expect([shown(kept), kept.warnings]).toEqual([[reference("read")], []]);
    const renamed = render(specs(revealing("mcp.search", "read")), { tools: offered });
    expect(shown(renamed)).toEqual([reference("mcp_search"), reference("read")]);
    expect(renamed.warnings.map(({ kind }) => kind)).toEqual(["tool-renamed"]);
  });

  it("become a line of text when the host no longer offers the tool", () => {
    const line = { type: "text", text: "[tool no longer offered: mcp.search]" };
    const warning = { kind: "tool-reference-left-out", names: ["mcp.search"], messageIds: ["m3"] };
    const mixed = render(specs(revealing("mcp.search", "read")));
    expect([shown(mixed), mixed.warnings]).toEqual([[line, reference("read")], [warning]]);
    const alone = render(specs(revealing("mcp.search")));
    expect([shown(alone), alone.warnings]).toEqual([[line], [warning]]);
  });

  it("leave the cache mark on the last tool that is not deferred", () => {
    const rare = { name: "rare", inputSchema: {}, providerMetadata: { anthropic: { defer_loading: true } } };
    const { format, request } = render([["user", "go"]], { tools: [...tools, rare] });
    const { payload } = format.lower(request, { cache: {} });
    expect(payload["tools"]).toMatchObject([{ cache_control: { type: "ephemeral" } }, { defer_loading: true }]);
    expect(format.check(payload)).toEqual([]);
  });

  it("disappear from the provider's own search results when the host no longer offers the tool", () => {
    const list = (...names: readonly string[]): JsonObject => ({
      type: "tool_search_tool_result",
      tool_use_id: "s",
      content: { type: "tool_search_tool_search_result", tool_references: names.map(reference) },
    });
    const search = opaque({ type: "server_tool_use", id: "s", name: "tool_search_tool_regex", input: {} });
    const thread = (value: JsonObject): readonly MessageSpec[] => [
      ["user", "go"],
      ["assistant", search, opaque(value), "So."],
      ["user", "on"],
    ];
    const { messages, warnings } = render(thread(list("mcp.search", "read")));
    expect(messages[1].content[1]).toEqual(list("read"));
    expect(warnings).toEqual([{ kind: "tool-reference-left-out", names: ["mcp.search"], messageIds: ["m2"] }]);
    expect(render(thread(list("read"))).warnings).toEqual([]);
  });
});

describe("tools that the provider runs", () => {
  it("W9 send a turn that the provider paused back as the last message", () => {
    const { blocks, warnings } = render([
      ["user", "go"],
      ["assistant", "I look.", served("s1"), found("s1"), served("s2")],
    ]);
    expect(blocks).toEqual(["text", "text,server_tool_use,web_search_tool_result,server_tool_use"]);
    expect(warnings).toEqual([]);
    const goneOn = render([
      ["user", "go"],
      ["assistant", "I look.", served("s1")],
      ["assistant", found("s1"), "Found."],
      ["user", "on"],
    ]);
    expect(goneOn.blocks).toEqual(["text", "text,server_tool_use,web_search_tool_result,text", "text"]);
  });

  it("keep a call open across the results that it waits for", () => {
    const loop: readonly MessageSpec[] = [
      ["user", "go"],
      ["assistant", served("code"), call("a")],
      ["tool", result("a", "1")],
    ];
    expect(render(loop).blocks).toEqual(["text", "server_tool_use,tool_use", "tool_result"]);
    expect(render([...loop, ["assistant", found("code"), "So."], ["user", "on"]]).blocks).toEqual([
      "text",
      "server_tool_use,tool_use",
      "tool_result",
      "web_search_tool_result,text",
      "text",
    ]);
  });

  it("keep a call open across steps of the tool loop that runs inside it", () => {
    const { blocks } = render([
      ["user", "go"],
      ["assistant", served("code"), call("a")],
      ["tool", result("a", "1")],
      ["assistant", call("b")],
      ["tool", result("b", "2")],
    ]);
    expect(blocks.slice(1)).toEqual(["server_tool_use,tool_use", "tool_result", "tool_use", "tool_result"]);
  });

  it.each<readonly [string, readonly MessageSpec[], readonly string[]]>([
    [
      "a call and the user speaks",
      [
        ["user", "go"],
        ["assistant", "so", served("s")],
        ["user", "well?"],
      ],
      ["m2"],
    ],
    [
      "a result alone",
      [
        ["user", "go"],
        ["assistant", found("s"), "so"],
        ["user", "on"],
      ],
      ["m2"],
    ],
    [
      "a second result",
      [
        ["user", "go"],
        ["assistant", served("s"), found("s"), found("s"), "so"],
      ],
      ["m2"],
    ],
    [
      "a result behind the user",
      [
        ["user", "go"],
        ["assistant", "so", served("s")],
        ["user", "hm"],
        ["assistant", found("s"), "x"],
        ["user", "on"],
      ],
      ["m2", "m4"],
    ],
    [
      "an id that is used again",
      [
        ["user", "go"],
        ["assistant", served("s"), found("s")],
        ["user", "on"],
        ["assistant", served("s"), "so"],
      ],
      ["m4"],
    ],
  ])("W1 W2 drop calls and results without a partner, with a warning: %s", (_name, specs, messageIds) => {
    const { warnings } = render(specs);
    expect(warnings).toContainEqual({ kind: "opaque-left-out", reason: "without-partner", messageIds });
  });

  it("W13 let a user message part a fold from thinking when the call between them is dropped", () => {
    const seen: readonly MessageSpec[] = [
      ["user", "go"],
      ["assistant", "so"],
    ];
    const paused: readonly MessageSpec[] = [...seen, ["assistant", served("s")], ["assistant", signed, "I wait."]];
    const folded = threadOf(...seen);
    const options = { plan: planWith(folded, pointerOver(folded, [2], "span")), summaryRole: "assistant" } as const;
    // While the call waits, it is what the thinking follows, and the provider goes on with it.
    expect(render(paused, options).blocks).toEqual(["text", "text,server_tool_use,thinking,text"]);
    const { blocks, messages, warnings } = render([...paused, ["user", "on"]], options);
    expect(blocks).toEqual(["text", "text", "text", "thinking,text", "text"]);
    expect(messages[2]).toEqual({ role: "user", content: [text("[Continue from here]")] });
    expect(warnings).toEqual([
      { kind: "opaque-left-out", reason: "without-partner", messageIds: ["m3"] },
      { kind: "turn-opened", messageIds: ["m4"] },
    ]);
  });

  it("add nothing after a paused turn, not even a continuation or rehydrated content", () => {
    const paused: readonly MessageSpec[] = [
      ["user", "go"],
      ["assistant", "I look.", served("s")],
    ];
    const rehydrated = [{ artifactId: ARTIFACT, content: "x", tokens: 1, truncated: false }];
    expect(render(paused, { continuation: "And?", rehydrated }).blocks).toEqual(["text", "text,server_tool_use"]);
  });
});

/** A thread of messages that have more than a role and parts. */
const threadWith = (...messages: readonly Omit<MessageInput, "id" | "createdAt">[]): AgentThread =>
  AgentThread.empty(SAMPLE_THREAD_ID).append(
    messages.map((message, index) => {
      return { id: asMessageId(`m${index + 1}`), createdAt: `2025-01-01T00:00:0${index}.000Z`, ...message };
    }),
  );

describe("an answer with which another model went on", () => {
  const [from, to] = ["claude-opus-5-5", "claude-opus-4-8"];
  const handover = {
    type: "opaque",
    provider: "anthropic",
    value: { type: "fallback", from: { model: from }, to: { model: to } },
  } as Part;
  const thread = threadWith(
    { role: "user", parts: [text("go") as Part] },
    { role: "assistant", model: to, parts: [signed, handover, signed, call("a")] },
    { role: "tool", parts: [result("a", "ok")] },
  );
  const typesFor = (model: string): readonly string[] => {
    const { messages, payload, format } = renderSample(thread, { format: "anthropic-messages", model });
    expect(format.check(payload)).toEqual([]);
    return messages[1].content.map(({ type }: AnyJson) => type);
  };

  it("W12 keeps the thinking of both for either of them, on its side of the handover, and for no other model", () => {
    const whole = ["thinking", "fallback", "thinking", "tool_use"];
    expect([typesFor(from), typesFor(to)]).toEqual([whole, whole]);
    expect(typesFor("claude-sonnet-5")).toEqual(["fallback", "tool_use"]);
  });
});

describe("a system message inside a conversation", () => {
  const model = "claude-opus-5";
  const specs: readonly MessageSpec[] = [
    ["user", "go"],
    ["assistant", call("a")],
    ["tool", result("a", "ok")],
    ["system", "be kind"],
    ["assistant", call("b")],
    ["tool", result("b", "ok")],
    ["assistant", "one"],
    ["user", "on"],
    ["system", "be brief"],
    ["assistant", "two"],
    ["user", "end"],
  ];
  const turns = ({ messages }: ReturnType<typeof render>) =>
    messages.map(({ role, content }) => [role, ...content.map((block: JsonObject) => block["text"] ?? block["type"])]);

  it("stays where it is for a model that takes it, and is a user's notice for any other", () => {
    const { messages, warnings } = render(specs, { model });
    expect(messages.map(({ role }) => role[0]).join("")).toBe("uausauausau");
    expect(messages[3]).toEqual({ role: "system", content: [text("be kind")] });
    expect(warnings).toEqual([]);
    for (const other of [{}, { model: "claude-sonnet-5" }, { model: "in-house" }]) {
      const sample = render(specs, other);
      expect(sample.messages.map(({ role }) => role)).not.toContain("system");
      expect(sample.warnings.map(({ kind }) => kind)).toContain("system-as-notice");
    }
    const host = { systemInside: true } as const;
    for (const other of [{}, { model: "claude-sonnet-5" }, { model: "in-house" }])
      expect(render(specs, { ...other, host }).messages[3].role).toBe("system");
  });

  it.each([
    ["assistant", [5, 6, 7, 8]],
    ["user", [5, 6, 7, 8]],
    ["assistant", [1, 2, 3]],
    ["user", [1, 2, 3, 5, 6, 7]],
    ["assistant", [1, 2, 3, 5, 6, 7, 8]],
  ] as const)("keeps its role whatever a summary by the %s replaces around it: %j", (summaryRole, numbers) => {
    const thread = threadOf(...specs);
    const sample = render(specs, { model, summaryRole, plan: planWith(thread, summaryOver(thread, numbers)) });
    const systems = turns(sample).filter(([role]) => role === "system");
    expect(systems.flatMap(([, ...texts]) => texts)).toEqual(["be kind", "be brief"]);
    expect(sample.warnings.map(({ kind }) => kind)).not.toContain("system-as-notice");
  });

  it("waits for the answer that follows what the user says in between", () => {
    const { messages } = render(
      [
        ["user", "go"],
        ["system", "be kind"],
        ["user", "on"],
        ["assistant", "so"],
        ["user", "end"],
      ],
      { model },
    );
    expect(messages.map(({ role }) => role)).toEqual(["user", "system", "assistant", "user"]);
    expect(messages[0].content).toEqual([text("go"), text("on")]);
  });

  it("is a notice where no place for it comes", () => {
    const { messages, warnings } = render(
      [
        ["user", "go"],
        ["assistant", "so"],
        ["system", "be kind"],
      ],
      { model },
    );
    expect(messages.at(-1)).toEqual({ role: "user", content: [text("[System notice]"), text("be kind")] });
    expect(warnings.map(({ kind }) => kind)).toEqual(["system-as-notice"]);
  });

  it.each<readonly [what: string, between: readonly MessageSpec[]]>([
    ["an answer", []],
    ["another one", [["system", "be brief"]]],
    ["an answer with nothing in it", [["assistant", " "]]],
    ["a user who says nothing", [["user", " "]]],
    [
      "an answer with nothing in it and another one",
      [
        ["assistant", " "],
        ["system", "be brief"],
      ],
    ],
  ])("stays a notice behind %s once the model answers", (_, between) => {
    const before: readonly MessageSpec[] = [["user", "go"], ["assistant", "so"], ...between, ["system", "be kind"]];
    const after: readonly MessageSpec[] = [...before, ["assistant", "yes"], ["user", "end"]];
    const [first, second] = [before, after].map((said) => turns(render(said, { model })));
    expect(first?.at(-1)?.slice(-2)).toEqual(["[System notice]", "be kind"]);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.slice(first?.length)).toEqual([
      ["assistant", "yes"],
      ["user", "end"],
    ]);
  });

  it("comes after what is brought back for this request", () => {
    const rehydrated = [{ artifactId: ARTIFACT, content: "the file", tokens: 2, truncated: false }];
    const { messages } = render(
      [
        ["user", "go"],
        ["system", "be kind"],
      ],
      { model, rehydrated },
    );
    expect(messages.map(({ role }) => role)).toEqual(["user", "system"]);
  });

  it("keeps its fields, and its own message where it has any", () => {
    const own = (fields: JsonObject, ...parts: Part[]) => ({
      role: "system" as const,
      parts,
      providerMetadata: { anthropic: fields },
    });
    const thread = threadWith(
      own({ output_config: { effort: "low" } }),
      { role: "user", parts: [text("go")] },
      own({ clear_at: "next_user_message" }, text("be kind")),
      { role: "system", parts: [text("be brief")] },
      { role: "assistant", parts: [text("so")] },
      { role: "user", parts: [text("end")] },
    );
    const cache = { ttl: "5m" } as const;
    const sample = renderSample(thread, { format: "anthropic-messages", model });
    expect(sample.messages).toEqual([
      { role: "system", output_config: { effort: "low" }, content: [] },
      { role: "user", content: [text("go")] },
      { role: "system", clear_at: "next_user_message", content: [text("be kind")] },
      { role: "system", content: [text("be brief")] },
      { role: "assistant", content: [text("so")] },
      { role: "user", content: [text("end")] },
    ]);
    expect([sample.format.check(sample.payload, sample.manifest), sample.warnings]).toEqual([[], []]);
    const upTo = { ...sample.request, messages: sample.request.messages.slice(0, 3) };
    expect(sample.format.check(sample.format.lower(upTo, { cache }).payload)).toEqual([]);
    const elsewhere = renderSample(thread, { format: "openai-chat" });
    expect(elsewhere.warnings.map(({ kind }) => kind)).toEqual(["message-left-out", "field-left-out"]);
  });
});

describe("an image that is larger than Anthropic takes", () => {
  const sized = (length: number): Part => ({
    type: "image",
    source: { kind: "base64", mediaType: "image/png", data: "A".repeat(length) },
  });
  const most = 10 * 2 ** 20;

  it("is replaced by a marker, where it is said and in results, and goes to other providers as it is", () => {
    const content = { type: "blocks", blocks: [sized(most + 4)] } as never;
    const specs: readonly MessageSpec[] = [
      ["user", sized(most), sized(most + 4)],
      ["assistant", call("a")],
      ["tool", result("a", content)],
    ];
    const { messages, warnings } = render(specs);
    expect(messages[0].content.map(({ type }: JsonObject) => type)).toEqual(["image", "text"]);
    expect(messages[2].content[0].content).toEqual([text("[image left out: image/png]")]);
    expect(warnings).toEqual([{ kind: "media-replaced", reason: "too-large", messageIds: ["m1", "m3"] }]);
    expect(renderSample(threadOf(...specs), { format: "openai-responses" }).warnings).toEqual([]);
  });
});
