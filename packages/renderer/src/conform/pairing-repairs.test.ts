import { asPinId, type Message, type Part, toolResultText } from "@threadfold/core";
import { call, growthOnQuadrupling, result } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { FORMATS, formatById } from "../formats/formats.ts";
import { countThread } from "../laws/render-inputs.ts";
import { keptMessage } from "../neutral/draft-view.ts";
import { GrowingRendering } from "../rendering/growing-rendering.ts";
import { type AnyJson, inEveryFormat, renderSample } from "../testing/render-sample.ts";
import {
  type MessageSpec,
  messagesOf,
  planWith,
  signed,
  summaryOver,
  threadOf,
  threadOfEntries,
} from "../testing/sample-thread.ts";
import { WarningLog } from "../warnings/warning-log.ts";
import { conform } from "./repairs.ts";

describe("repairs of calls and results", () => {
  const roles = (messages: readonly { readonly role: string; readonly parts: readonly Part[] }[]) =>
    messages.map(({ role, parts }) =>
      parts
        .map((part) =>
          part.type === "tool-call" ? part.callId : part.type === "tool-result" ? `=${part.result.callId}` : role,
        )
        .join(),
    );

  it("leave out open calls of a model that another one took over from", () => {
    const handover = { type: "opaque", provider: "anthropic", value: { type: "fallback", from: {}, to: {} } } as Part;
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a"), call("b"), handover, "so", call("c")],
      ["tool", result("a", "ok")],
      ["user", "on"],
    );
    const sent = renderSample(thread, { format: "anthropic-messages" });
    expect(roles(sent.request.messages)).toEqual(["user", "a,assistant,assistant,c", "=a", "=c", "user"]);
    expect(sent.warnings.filter(({ kind }) => kind.startsWith("call-"))).toEqual([
      { kind: "call-left-out", messageIds: ["m2"] },
      { kind: "call-unanswered", messageIds: ["m2"] },
    ]);
    expect(sent.format.check(sent.payload)).toEqual([]);
    // Elsewhere nobody knows of handovers.
    const others = renderSample(thread, { format: "openai-chat" });
    expect(roles(others.request.messages)).toEqual(["user", "a,b,assistant,c", "=a", "=b", "=c", "user"]);
  });

  it("leave out an open call of another model even if an earlier one had its id", () => {
    const handover = { type: "opaque", provider: "anthropic", value: { type: "fallback", from: {}, to: {} } } as Part;
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "ok")],
      ["assistant", call("a"), handover, "so"],
      ["user", "on"],
    );
    const { request, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(roles(request.messages)).toEqual(["user", "a", "=a", "assistant,assistant", "user"]);
    expect(warnings).toContainEqual({ kind: "call-left-out", messageIds: ["m4"] });
  });

  it("A10 W1 W7 answer open calls in place with a marked failure", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a"), call("b")],
      ["tool", result("b", "ok")],
      ["user", "so?"],
    );
    for (const { request, warnings, format, payload } of inEveryFormat(thread, planWith(thread))) {
      expect(roles(request.messages)).toEqual(["user", "a,b", "=a", "=b", "user"]);
      expect(request.messages[2]).toMatchObject({
        synthetic: "missing-result",
        parts: [{ result: { outcome: "failure" } }],
      });
      expect(warnings).toContainEqual({ kind: "call-unanswered", messageIds: ["m2"] });
      expect(format.check(payload)).toEqual([]);
    }
    expect(renderSample(thread, { format: "anthropic-messages" }).messages[2].content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "a",
      content: "[no result was recorded]",
      is_error: true,
    });
  });

  it("P2 answer calls of one batch that share an id in order, with the same result when the thread grows", () => {
    const specs: readonly MessageSpec[] = [
      ["user", "go"],
      ["assistant", call("a"), call("a")],
      ["tool", result("a", "one")],
      ["tool", result("a", "two")],
      ["user", "on"],
      ["assistant", call("b")],
      ["user", "wait"],
      ["tool", result("b", "late")],
      ["tool", result("z", "stray")],
    ];
    const whole = threadOf(...specs);
    const plan = planWith(threadOf());
    for (const format of FORMATS) {
      let following: GrowingRendering | undefined;
      for (let version = 1; version <= whole.version; version++) {
        const thread = whole.atVersion(version);
        const input = { thread, plan, ledger: countThread(thread), system: [], tools: [] };
        following = following?.grow(input) ?? GrowingRendering.of(input, format);
        const { request } = renderSample(thread, { plan, format: format.id });
        expect(following.rendering.request).toEqual(request);
        const bodies = request.messages.flatMap(({ parts }) =>
          parts.flatMap((part) => (part.type === "tool-result" ? [toolResultText(part.result.content)] : [])),
        );
        if (version > 3) expect(bodies.slice(0, 2)).toEqual(["one", "two"]);
      }
    }
  });

  it("A8 A10 W2 W5 drop a second result and a result without a call, with a warning", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "1")],
      ["tool", result("a", "2")],
      ["tool", result("z", "3")],
      ["user", "on"],
    );
    for (const { request, warnings } of inEveryFormat(thread, planWith(thread))) {
      expect(roles(request.messages)).toEqual(["user", "a", "=a", "user"]);
      expect(warnings).toContainEqual({ kind: "result-left-out", reason: "answered-already", messageIds: ["m4"] });
      expect(warnings).toContainEqual({ kind: "result-left-out", reason: "no-call", messageIds: ["m5"] });
    }
  });

  it("A9 accept a failed result as the answer to its call", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "rejected by the user", { outcome: "failure" })],
    );
    expect(renderSample(thread, { format: "anthropic-messages" }).messages[2].content[0]).toMatchObject({
      is_error: true,
    });
    const { warnings } = renderSample(thread, { format: "openai-chat" });
    expect(warnings).toEqual([{ kind: "outcome-not-expressed", messageIds: ["m3"] }]);
  });

  it("L25 drop a result whose call was folded away, even under a plan that is not normalized", () => {
    const thread = threadOf(["user", "go"], ["assistant", call("a")], ["tool", result("a", "1")], ["user", "on"]);
    const plan = planWith(thread, summaryOver(thread, [1, 2]));
    for (const { request, format, payload } of inEveryFormat(thread, plan)) {
      expect(roles(request.messages)).not.toContain("=a");
      expect(format.check(payload)).toEqual([]);
    }
  });

  it("G2 W3 W4 W6 W8 move results directly after their calls, in the order of the calls", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a"), call("b")],
      ["user", "wait"],
      ["tool", result("b", "2")],
      ["assistant", call("c")],
      ["tool", result("a", "1")],
      ["tool", result("c", "3")],
    );
    for (const { request, warnings, format, payload } of inEveryFormat(thread, planWith(thread))) {
      expect(roles(request.messages)).toEqual(["user", "a,b", "=a", "=b", "user", "c", "=c"]);
      expect(warnings).toContainEqual({ kind: "result-moved", messageIds: ["m6", "m4", "m7"] });
      expect(format.check(payload)).toEqual([]);
    }
  });

  it("give no warning when only a rendered pin separates a call from its result", () => {
    const [question, caller, answer] = messagesOf([
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "1")],
    ]) as [Message, Message, Message];
    const thread = threadOfEntries(
      { type: "message", message: question },
      { type: "message", message: caller },
      { type: "pin", pin: { id: asPinId("p"), text: "never", authority: "user", origin: "explicit" } },
      { type: "message", message: answer },
    );
    const { request, warnings } = renderSample(thread);
    expect(roles(request.messages)).toEqual(["user", "a", "=a", "user"]);
    expect(warnings).toEqual([]);
  });

  it("G7 give a reused call id and its result a new id where ids must be unique", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a")],
      ["tool", result("a", "1")],
      ["assistant", call("a"), call("a-2")],
      ["tool", result("a", "2")],
      ["tool", result("a-2", "3")],
    );
    const { request, warnings } = renderSample(thread, { format: "anthropic-messages" });
    expect(roles(request.messages)).toEqual(["user", "a", "=a", "a-2,a-2-2", "=a-2", "=a-2-2"]);
    expect(warnings).toContainEqual({ kind: "call-id-changed", messageIds: ["m4", "m5", "m6"] });
    expect(roles(renderSample(thread, { format: "openai-chat" }).request.messages)).toEqual([
      "user",
      "a",
      "=a",
      "a,a-2",
      "=a",
      "=a-2",
    ]);
  });

  it("rewrite call ids of other providers to accepted ones, the same in call and result", () => {
    const id = `call_${"x".repeat(29)}|fc_${"y".repeat(50)}`;
    const thread = threadOf(["user", "go"], ["assistant", call(id)], ["tool", result(id, "1")]);
    for (const { messages, format, payload } of inEveryFormat(thread, planWith(thread)).slice(0, 2)) {
      expect(format.check(payload)).toEqual([]);
      const given = messages[1].content?.[0].id ?? messages[1].tool_calls[0].id;
      expect(messages[2].tool_call_id ?? messages[2].content[0].tool_use_id).toBe(given);
    }
  });

  it("W19 wrap arguments that are not a JSON object in one", () => {
    const broken: Part = {
      ...(call("a") as Extract<Part, { type: "tool-call" }>),
      input: '{"path',
      invalidInput: '{"path',
    };
    const nothing: Part = { ...(call("b") as Extract<Part, { type: "tool-call" }>), input: null };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", broken, nothing],
      ["tool", result("a", "1")],
      ["tool", result("b", "2")],
    );
    expect(
      renderSample(thread, { format: "anthropic-messages" }).messages[1].content.map((block: AnyJson) => block.input),
    ).toEqual([{ _raw: '{"path' }, {}]);
    const { messages, warnings } = renderSample(thread, { format: "openai-chat" });
    expect(messages[1].tool_calls.map((one: AnyJson) => one.function.arguments)).toEqual(['{"_raw":"{\\"path"}', "{}"]);
    expect(warnings).toEqual([{ kind: "tool-input-wrapped", messageIds: ["m2"] }]);
  });

  it("say that a result's call is ambiguous only if several were open when it came", () => {
    const thread = threadOf(
      ["user", "go"],
      ["tool", result("a", "of no call")],
      ["assistant", call("a")],
      ["assistant", call("a")],
      ["tool", result("a", "of which?")],
      ["user", "on"],
    );
    const { warnings } = renderSample(thread, { format: "openai-chat" });
    expect(warnings.filter(({ kind }) => kind === "result-left-out")).toEqual([
      { kind: "result-left-out", reason: "no-call", messageIds: ["m2"] },
      { kind: "result-left-out", reason: "ambiguous-call", messageIds: ["m5"] },
    ]);
  });

  it("declare and count the tools that a thread uses when the host declares none", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a", "mcp.read"), call("b", "")],
      ["tool", result("a", "1")],
      ["tool", result("b", "1")],
    );
    const { request, warnings, breakdown } = renderSample(thread, { format: "anthropic-messages" });
    expect(request.tools.map(({ name }) => name)).toEqual(["mcp_read", "unnamed_tool"]);
    expect(breakdown.tools).toBeGreaterThan(0);
    expect(warnings).toContainEqual({ kind: "tools-declared", names: ["mcp_read", "unnamed_tool"], messageIds: [] });
    expect(warnings).toContainEqual({
      kind: "tool-renamed",
      names: ["mcp.read → mcp_read", " → unnamed_tool"],
      messageIds: ["m2"],
    });
    expect(renderSample(thread, { format: "openai-chat" }).request.tools).toEqual([]);
  });

  it("give each result the name that its call is sent with", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a", "mcp.read"), call("b", "bash"), call("b", "read")],
      ["tool", result("a", "1", { toolName: "mcp.read" })],
      ["tool", result("b", "2", { toolName: "" })],
      ["tool", result("b", "3", { toolName: "read" })],
      ["assistant", call("c", "a tool")],
    );
    const named = (format: string) => {
      const sample = renderSample(thread, { format });
      expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
      const tools = sample.request.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-result"));
      return tools.map((part) => (part as Extract<Part, { type: "tool-result" }>).result.toolName);
    };
    expect(named("neutral")).toEqual(["mcp.read", "bash", "read", "a tool"]);
    for (const format of ["ai-sdk", "openai-chat"])
      expect(named(format)).toEqual(["mcp_read", "bash", "read", "a_tool"]);
    for (const format of ["gemini", "gemini-interactions"])
      expect(named(format)).toEqual(["mcp.read", "bash", "read", "a_tool"]);
    const { messages, warnings } = renderSample(thread, { format: "ai-sdk" });
    expect(messages[2].content[0]).toMatchObject({ toolCallId: "a", toolName: "mcp_read" });
    expect(warnings.filter(({ kind }) => kind === "call-id-changed")).toEqual([
      { kind: "call-id-changed", messageIds: ["m2", "m5"] },
    ]);
  });
});

describe("P9: however many calls one message makes, making a request legal takes as much time for each", () => {
  const item = (type: string, fields: object): Part => ({
    type: "opaque",
    provider: "openai",
    value: { type, ...fields },
  });
  const shell = (name: string): Part => item("shell_call", { call_id: name, action: { commands: [] } });
  const ran = (name: string): Part => item("shell_call_output", { call_id: name, output: [] });
  const search = (name: string): Part => item("tool_search_call", { id: name, execution: "server", arguments: {} });
  const found = (name: string): Part =>
    item("tool_search_output", { id: `${name}-found`, execution: "server", tools: [] });

  type Shape = readonly [name: string, format: string, size: number, of: (names: string[]) => readonly MessageSpec[]];
  const oneByOne = (names: string[], answer: (name: string) => MessageSpec) => names.toReversed().map(answer);
  const shapes: readonly Shape[] = [
    [
      "results in another order",
      "anthropic-messages",
      4_000,
      (names) => [
        ["assistant", ...names.map((name) => call(name))],
        ...oneByOne(names, (name) => ["tool", result(name, "ok")]),
      ],
    ],
    [
      "the provider's items, answered one by one",
      "openai-responses",
      1_000,
      (names) => [["assistant", ...names.map(shell)], ...oneByOne(names, (name) => ["user", ran(name)])],
    ],
    [
      "the provider's items, answered late",
      "openai-responses",
      1_000,
      (names) => [
        ["assistant", ...names.map(shell)],
        ["user", "wait", ...names.toReversed().map(ran)],
      ],
    ],
    [
      "the provider's items without a name",
      "openai-responses",
      4_000,
      (names) => [["assistant", ...names.map(search), ...names.map(found)]],
    ],
    [
      "answers that begin with reasoning",
      "anthropic-messages",
      1_000,
      (names) => names.map((name) => ["assistant", signed, name]),
    ],
  ];

  it.each(shapes)("%s", async (_, id, size, specsOf) => {
    const { requirements } = formatById(id).rules;
    const inputOf = (count: number) => {
      const thread = threadOf(
        ["user", "go"],
        ...specsOf(Array.from({ length: count }, (_none, place) => `name-${place}`)),
      );
      const input = { thread, plan: planWith(thread), ledger: countThread(thread), system: [], tools: [] };
      return { input, messages: [...thread.messages] };
    };
    const work = ({ input, messages }: ReturnType<typeof inputOf>) => {
      const drafts = messages.map(keptMessage);
      const ends = { first: true, last: true };
      conform({ system: [], tools: [], drafts }, { requirements, input, warnings: new WarningLog(), ends });
    };
    expect(await growthOnQuadrupling(inputOf, work, size)).toBeLessThan(10);
  });
});
