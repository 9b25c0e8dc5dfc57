import type {
  ChatMessage,
  ChatRequest,
  JsonObject,
  MediaPart,
  OpaquePart,
  Part,
  PlanRecord,
  ProviderMetadata,
  TextPart,
  ToolCallPart,
  ToolDefinition,
} from "@threadfold/core";
import { call, result, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { type AnyJson, renderSample } from "../../testing/render-sample.ts";
import { image, type MessageSpec, planWith, recordOver, summaryOver, threadOf } from "../../testing/sample-thread.ts";
import { openaiResponses } from "./format.ts";

const FORMAT = { format: "openai-responses" } as const;
const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" };
const reasoning: Part = {
  type: "reasoning",
  text: "",
  provider: "openai",
  encrypted: "ZW5j",
  providerMetadata: { openai: { item } },
};
const withId = (part: Part, id: string): Part => ({ ...part, providerMetadata: { openai: { id } } }) as Part;
const opaque = (value: object): Part => ({ type: "opaque", provider: "openai", value }) as Part;
const kindsOf = (input: readonly { readonly type: string }[]): readonly string[] => input.map(({ type }) => type);

describe("a program of the model", () => {
  const program = { type: "program", id: "prog_1", call_id: "p", code: "await tools.read()", fingerprint: "f" };
  const done = { type: "program_output", id: "out_1", call_id: "p", result: "ok", status: "completed" };
  const caller = { type: "program", caller_id: "p" };
  const called = (id: string): Part => ({ ...call(id), providerMetadata: { openai: { caller } } }) as Part;
  const specs: readonly MessageSpec[] = [
    ["user", "go"],
    ["assistant", opaque(program), called("a")],
    ["tool", result("a", "ok")],
    ["assistant", called("b")],
    ["tool", result("b", "ok")],
    ["assistant", opaque(done), "so"],
    ["user", "on"],
  ];
  const shown = (numbers: readonly number[], length = specs.length) => {
    const thread = threadOf(...specs.slice(0, length));
    const plan = numbers.length === 0 ? planWith(thread) : planWith(thread, summaryOver(thread, numbers));
    const sample = renderSample(thread, { ...FORMAT, plan });
    expect(sample.format.check(sample.payload, sample.manifest)).toEqual([]);
    return sample.payload.input as readonly JsonObject[];
  };

  it("goes out as it came, with the calls that it made and their outputs, finished or not", () => {
    const calls = [
      { type: "function_call", call_id: "a", name: "read", arguments: '{"path":"a.ts"}', caller },
      { type: "function_call_output", call_id: "a", output: "ok", caller },
    ];
    expect(shown([]).slice(1, 4)).toEqual([program, ...calls]);
    expect(shown([])[6]).toEqual(done);
    expect(shown([], 3).slice(1)).toEqual([program, ...calls]);
    expect(shown([], 5).slice(1, 4)).toEqual([program, ...calls]);
  });

  it("is not named by the calls that stay once it is folded", () => {
    expect(shown([2, 3]).filter((one) => "caller" in one)).toEqual([]);
    expect(kindsOf(shown([2, 3]) as never)).not.toContain("program_output");
    expect(kindsOf(shown([4, 5, 6]) as never)).not.toContain("program");
    expect(shown([4, 5, 6]).filter((one) => "caller" in one)).toEqual([]);
  });
});

it("a change of the settings stays where it is", () => {
  const change = { type: "configuration_update", reasoning: { effort: "low" } };
  const thread = threadOf(["user", "go"], ["assistant", opaque(change), "so"], ["user", "on"]);
  expect(renderSample(thread, FORMAT).payload.input[1]).toEqual(change);
});

describe("openai-responses rendering", () => {
  it("goes out as it came: reasoning, ids and hosted calls, item by item", () => {
    const hosted = { type: "web_search_call", id: "ws_1", status: "completed" };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", reasoning, opaque(hosted), withId(call("a"), "fc_1")],
      ["tool", result("a", "ok")],
      ["user", "on"],
    );
    const { payload, warnings } = renderSample(thread, FORMAT);
    expect(payload.input.slice(1, 4)).toEqual([
      item,
      hosted,
      { type: "function_call", id: "fc_1", call_id: "a", name: "read", arguments: '{"path":"a.ts"}' },
    ]);
    expect(warnings).toEqual([]);
  });

  it("sends a search without an id, as Codex does", () => {
    const hosted = { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const thread = threadOf(["user", "go"], ["assistant", reasoning, opaque(hosted), "so"], ["user", "on"]);
    const { payload, warnings, format } = renderSample(thread, FORMAT);
    expect(payload.input[2]).toEqual(hosted);
    expect(warnings).toEqual([]);
    expect(format.check({ ...payload, reasoning: { effort: "low" } })).toEqual([]);
  });

  it("keeps encrypted reasoning behind an edit, without the ids of what was changed", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", reasoning, withId(call("a", "write", { content: "x".repeat(400) }), "fc_1")],
      ["tool", result("a", "ok")],
      ["user", "on"],
    );
    const plan = planWith(thread, {
      ...recordOver(thread, 2),
      action: "clear",
      targets: ["tool-input"],
      preservedFields: {},
    });
    const { payload } = renderSample(thread, { ...FORMAT, plan });
    expect(payload.input[1]).toEqual({ type: "reasoning", summary: [], encrypted_content: "ZW5j" });
    expect(payload.input[2]).toMatchObject({ type: "function_call", arguments: expect.stringContaining("[cleared") });
    expect(payload.input[2]).not.toHaveProperty("id");
  });

  it("W16 Responses leaves out reasoning whose follower was folded, in clear text or of another provider", () => {
    const foreign: Part = { type: "reasoning", text: "", provider: "anthropic", encrypted: "cmVk" };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", reasoning],
      ["assistant", call("a")],
      ["tool", result("a", "ok")],
      ["assistant", foreign, { type: "reasoning", text: "aloud", provider: "openai" }, "so"],
      ["user", "on"],
    );
    const { payload, warnings } = renderSample(thread, {
      ...FORMAT,
      plan: planWith(thread, summaryOver(thread, [3, 4])),
    });
    expect(kindsOf(payload.input)).toEqual(["message", "message", "message", "message"]);
    expect(warnings).toEqual([
      { kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m5"] },
      { kind: "reasoning-left-out", reason: "not-signed", messageIds: ["m5"] },
      { kind: "reasoning-left-out", reason: "at-the-end", messageIds: ["m2"] },
    ]);
  });

  it("W16 Responses leaves out reasoning behind which the host's answer stands", () => {
    const search = (more: object) => opaque({ type: "tool_search_call", execution: "client", ...more });
    const found = (more: object) => opaque({ type: "tool_search_output", execution: "client", tools: [], ...more });
    const thread = threadOf(
      ["user", "go"],
      ["assistant", search({ call_id: "s1" }), reasoning, found({ call_id: "s1" }), reasoning, call("a")],
      ["tool", result("a", "ok")],
      // This call is shown with its answer, behind the reasoning.
      ["assistant", search({ call_id: "s2" }), reasoning],
      ["assistant", found({ call_id: "s2" }), "so"],
      // What the provider found itself is part of its answer.
      ["assistant", search({ call_id: null }), reasoning, found({ call_id: null }), "done"],
      ["user", "on"],
    );
    const { payload, warnings, format } = renderSample(thread, FORMAT);
    expect(format.check(payload)).toEqual([]);
    expect(kindsOf(payload.input)).toEqual([
      ...["message", "tool_search_call", "tool_search_output", "reasoning", "function_call", "function_call_output"],
      ...["reasoning", "tool_search_call", "tool_search_output", "message"],
      ...["tool_search_call", "reasoning", "tool_search_output", "message", "message"],
    ]);
    expect(warnings).toEqual([
      { kind: "call-moved", messageIds: ["m4"] },
      { kind: "reasoning-left-out", reason: "at-the-end", messageIds: ["m2"] },
    ]);
  });

  it("W16 Responses sends a hosted call with its reasoning before an answer that came late", () => {
    const asked = opaque({ type: "computer_call", id: "cu_1", call_id: "c1", actions: [], status: "completed" });
    const seen = opaque({ type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot" } });
    const thread = threadOf(["user", "go"], ["assistant", reasoning, asked], ["user", "hurry"], ["user", seen]);
    const { payload, warnings, format } = renderSample(thread, FORMAT);
    expect(format.check({ ...payload, reasoning: { effort: "low" } })).toEqual([]);
    expect(payload.input.slice(2, 4)).toEqual([item, (asked as OpaquePart).value]);
    expect(kindsOf(payload.input.slice(4))).toEqual(["computer_call_output"]);
    expect(warnings).toEqual([{ kind: "call-moved", messageIds: ["m2"] }]);
    const before = renderSample(thread.atVersion(3), FORMAT).payload.input;
    expect(payload.input.slice(0, before.length)).toEqual(before);
  });

  describe("W16 Responses, where several items share their reasoning", () => {
    const asks = (tool: string, id: string) => opaque({ type: `${tool}_call`, id: `id_${id}`, call_id: id });
    const answers = (tool: string, id: string) =>
      opaque({ type: `${tool}_call_output`, call_id: id, output: { type: "computer_screenshot" } });
    /** The items after the first message in short form, with the id of those that are sent with one. */
    const sent = (...said: readonly MessageSpec[]): readonly string[] => {
      const { payload, format } = renderSample(threadOf(["user", "go"], ...said), FORMAT);
      expect(format.check({ ...payload, reasoning: { effort: "low" } })).toEqual([]);
      return payload.input
        .slice(1)
        .map(({ type, id, call_id }: AnyJson) => [type, call_id, id].filter((name) => name !== undefined).join(" "));
    };

    it("sends calls that cannot do without it together, before the first of their late answers", () => {
      const both: MessageSpec = ["assistant", reasoning, asks("computer", "a"), asks("computer", "b")];
      const together = ["reasoning rs_1", "computer_call a id_a", "computer_call b id_b"];
      const outputs = ["computer_call_output a", "computer_call_output b"];
      expect(
        sent(both, ["user", "hurry"], ["user", answers("computer", "a"), answers("computer", "b")], ["user", "on"]),
      ).toEqual(["message", ...together, ...outputs, "message"]);
      expect(
        sent(
          both,
          ["user", "hurry"],
          ["user", answers("computer", "b")],
          ["assistant", "so"],
          ["user", answers("computer", "a")],
        ),
      ).toEqual(["message", ...together, outputs[1], "message", outputs[0]]);
    });

    it("sends a call that can do without it before its own late answer, and without its id", () => {
      const both: MessageSpec = ["assistant", reasoning, asks("shell", "a"), asks("apply_patch", "b")];
      const a = ["shell_call a", "shell_call_output a"];
      const b = ["apply_patch_call b", "apply_patch_call_output b"];
      expect(sent(both, ["user", "hurry"], ["user", answers("shell", "a"), answers("apply_patch", "b")])).toEqual([
        "message",
        "reasoning rs_1",
        `${a[0]} id_a`,
        a[1],
        ...b,
      ]);
      expect(
        sent(
          both,
          ["user", "hurry"],
          ["user", answers("apply_patch", "b")],
          ["assistant", "so"],
          ["user", answers("shell", "a")],
        ),
      ).toEqual(["message", "reasoning rs_1", `${b[0]} id_b`, b[1], "message", ...a]);
      const searched = opaque({ type: "web_search_call", id: "ws_1" });
      expect(
        sent(
          ["assistant", reasoning, asks("shell", "a"), searched],
          ["user", "hurry"],
          ["user", answers("shell", "a")],
        ),
      ).toEqual(["reasoning rs_1", "web_search_call ws_1", "message", ...a]);
    });

    it("leaves a call that cannot do without it where the reasoning stays", () => {
      const late: readonly MessageSpec[] = [
        ["user", "hurry"],
        ["user", answers("computer", "b")],
      ];
      expect(
        sent(
          ["assistant", reasoning, asks("computer", "a"), asks("computer", "b")],
          ["user", answers("computer", "a")],
          ...late,
        ),
      ).toEqual([
        ...["reasoning rs_1", "computer_call a id_a", "computer_call b id_b"],
        ...["computer_call_output a", "message", "computer_call_output b"],
      ]);
      expect(
        sent(
          ["assistant", reasoning, withId(call("f"), "fc_1"), asks("computer", "b")],
          ["tool", result("f", "ok")],
          ...late,
        ),
      ).toEqual([
        ...["reasoning rs_1", "function_call f fc_1", "computer_call b id_b"],
        ...["function_call_output f", "message", "computer_call_output b"],
      ]);
    });

    it("sends late calls of which one was never answered as if that one had not been made", () => {
      expect(
        sent(
          ["assistant", reasoning, asks("computer", "a"), asks("computer", "b")],
          ["user", "hurry"],
          ["user", answers("computer", "b")],
        ),
      ).toEqual(["message", "reasoning rs_1", "computer_call b id_b", "computer_call_output b"]);
    });

    it("keeps the ids from the reasoning to a hosted item where a plan cleared a call in between", () => {
      const thread = threadOf(
        ["user", "go"],
        [
          "assistant",
          reasoning,
          withId(call("a", "write", { content: "x".repeat(400) }), "fc_1"),
          opaque({ type: "web_search_call", id: "ws_1" }),
          withId(call("b"), "fc_2"),
        ],
        ["tool", result("a", "ok")],
        ["tool", result("b", "ok")],
        ["user", "on"],
      );
      const clear = {
        ...recordOver(thread, 2),
        action: "clear",
        targets: ["tool-input"],
        preservedFields: {},
      } as const;
      const { payload } = renderSample(thread, { ...FORMAT, plan: planWith(thread, clear) });
      expect(payload.input[2].arguments).toContain("[cleared");
      expect(payload.input.slice(1, 5).map(({ id }: AnyJson) => id)).toEqual(["rs_1", "fc_1", "ws_1", undefined]);
    });
  });

  it("W5 gives ids that are used again another form, and W19 wraps arguments that are no object", () => {
    const thread = threadOf(
      ["user", "go"],
      ["assistant", call("a", "read", "x" as never)],
      ["tool", result("a", "1")],
      ["assistant", call("a")],
      ["tool", result("a", "2")],
    );
    const { payload } = renderSample(thread, FORMAT);
    expect(payload.input.slice(1)).toMatchObject([
      { call_id: "a", arguments: '{"_raw":"x"}' },
      { call_id: "a", output: "1" },
      { call_id: "a-2" },
      { call_id: "a-2", output: "2" },
    ]);
  });

  it("W1 W2 sends calls of hosted tools and their outputs together or not at all, and no item twice", () => {
    const asked = opaque({ type: "computer_call", id: "cu_1", call_id: "c1" });
    const unanswered = opaque({ type: "computer_call", id: "cu_2", call_id: "c2" });
    const screen = opaque({ type: "computer_call_output", call_id: "c1", output: {} });
    const stray = opaque({ type: "computer_call_output", call_id: "c3", output: {} });
    const compaction = opaque({ type: "compaction", id: "cmp_1", encrypted_content: "ZW5j" });
    const thread = threadOf(
      ["user", compaction, "go"],
      ["assistant", asked, unanswered],
      ["user", screen, stray],
      ["assistant", compaction, opaque({ type: "compaction", encrypted_content: "" }), "so"],
      ["user", "on"],
    );
    const { payload, warnings, format, manifest } = renderSample(thread, FORMAT);
    expect(kindsOf(payload.input)).toEqual([
      "compaction",
      "message",
      "computer_call",
      "computer_call_output",
      "message",
      "message",
    ]);
    expect(format.check(payload)).toEqual([]);
    expect(
      format.check(
        {
          ...payload,
          input: [...payload.input.slice(0, 4), { type: "message", role: "x", content: "so" }, payload.input[5]],
        },
        manifest,
      ),
    ).toMatchObject([{ rule: "roles", messageId: "m4" }]);
    expect(warnings).toEqual([
      { kind: "opaque-left-out", reason: "malformed", messageIds: ["m4"] },
      { kind: "opaque-left-out", reason: "repeated", messageIds: ["m4"] },
      { kind: "opaque-left-out", reason: "without-partner", messageIds: ["m2", "m3"] },
    ]);
  });

  it("sends pictures in outputs, and free text to custom tools as it is", () => {
    const custom = { ...call("a", "sh", "ls" as never), providerMetadata: { openai: { type: "custom_tool_call" } } };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", custom as Part],
      ["tool", result("a", "", { content: { type: "blocks", blocks: [image] } })],
      ["assistant", custom as Part],
    );
    const { payload, warnings, format } = renderSample(thread, FORMAT);
    expect(payload.input.slice(1)).toMatchObject([
      { type: "custom_tool_call", input: "ls" },
      { type: "custom_tool_call_output", output: [{ type: "input_image" }] },
      { type: "custom_tool_call", call_id: "a-2" },
      { type: "custom_tool_call_output", call_id: "a-2", output: "[no result was recorded]" },
    ]);
    expect(format.check(payload)).toEqual([]);
    expect(warnings.map(({ kind }) => kind)).not.toContain("tool-input-wrapped");
  });

  it("sends calls of a local shell as they came, with the id that their reasoning needs, unless a fold cleared them", () => {
    const action = { type: "exec", command: ["ls", "-l"], env: {} };
    const fields = { openai: { type: "local_shell_call", itemId: "lsh_1" } };
    const shell = { ...call("a", "local_shell", action), providerMetadata: fields } as Part;
    const reasoning = { item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" } };
    const thought = {
      type: "reasoning",
      text: "",
      provider: "openai",
      encrypted: "x",
      providerMetadata: { openai: reasoning },
    };
    const thread = threadOf(
      ["user", "go"],
      ["assistant", thought as Part, shell],
      ["tool", result("a", "a.ts")],
      ["assistant", { ...call("b", "local_shell", action), providerMetadata: fields } as Part],
      ["tool", result("b", "", { content: { type: "blocks", blocks: [image] } })],
      ["assistant", { ...call("c", "local_shell", "[cleared]" as never), providerMetadata: fields } as Part],
    );
    const { payload, format } = renderSample(thread, FORMAT);
    expect(payload.input.slice(2)).toMatchObject([
      { type: "local_shell_call", id: "lsh_1", call_id: "a", action, status: "completed" },
      { type: "local_shell_call_output", id: "a", output: "a.ts" },
      { type: "local_shell_call", call_id: "b", action },
      { type: "function_call_output", call_id: "b", output: [{ type: "input_image" }] },
      { type: "function_call", call_id: "c", name: "local_shell" },
      { type: "function_call_output", call_id: "c", output: "[no result was recorded]" },
    ]);
    expect(payload.input[4].id).toBeUndefined();
    expect(format.check(payload)).toEqual([]);
  });

  it("names the call of a local shell's result as the host did, also when a fold took the result's body", () => {
    const action = { type: "exec", command: ["ls"], env: {} };
    const shell = (id: string): Part =>
      ({ ...call(id, "local_shell", action), providerMetadata: { openai: { type: "local_shell_call" } } }) as Part;
    const answered = (id: string, fields: JsonObject): Part =>
      ({
        ...result(id, "a.ts ".repeat(200)),
        providerMetadata: { openai: { type: "local_shell_call_output", ...fields } },
      }) as Part;
    const thread = threadOf(
      ["user", "go"],
      ["assistant", shell("a")],
      ["tool", answered("a", {})],
      ["assistant", shell("b")],
      ["tool", answered("b", { itemId: "b" })],
      ["assistant", shell("c")],
      ["tool", answered("c", { itemId: "lsho_1" })],
    );
    const cleared = [2, 4, 6].map(
      (number): PlanRecord => ({
        ...recordOver(thread, number),
        action: "clear",
        targets: ["tool-result"],
        preservedFields: {},
      }),
    );
    for (const plan of [planWith(thread), planWith(thread, ...cleared)]) {
      const input = renderSample(thread, { ...FORMAT, plan });
      const outputs = input.payload.input.filter(({ type }: JsonObject) => type === "local_shell_call_output");
      expect(outputs.map(({ output: _, ...names }: JsonObject) => names)).toEqual([
        { type: "local_shell_call_output", call_id: "a" },
        { type: "local_shell_call_output", id: "b" },
        // An item may have an id of its own besides.
        { type: "local_shell_call_output", call_id: "c" },
      ]);
      expect(input.format.check(input.payload)).toEqual([]);
    }
  });

  it("W16 judges what a host adds to the payload by whether it told that nothing is stored", () => {
    const added = (store: boolean) => {
      const { format, payload, manifest } = renderSample(threadOf(["user", "go"]), { ...FORMAT, host: { store } });
      const input = [{ type: "item_reference", id: "rs_1" }, ...payload.input];
      return format.check({ ...payload, input }, manifest).map(({ rule }) => rule);
    };
    expect([added(false), added(true)]).toEqual([["stateless"], []]);
  });
});

describe("each part of a request", () => {
  const lowered = (request: Partial<ChatRequest>): AnyJson =>
    openaiResponses.lower({ system: [], tools: [], messages: [], ...request }).payload;
  const said = (role: ChatMessage["role"], ...parts: readonly Part[]): ChatMessage => ({ role, parts, sources: [] });
  const inputOf = (...messages: readonly ChatMessage[]): readonly AnyJson[] => lowered({ messages }).input;
  const id = { kind: "file-id", fileId: "file_1" } as const;

  it("has no instructions and no tools where there are none", () => {
    expect(Object.keys(lowered({})).filter((key) => key === "instructions" || key === "tools")).toEqual([]);
    expect(lowered({ system: ["a", "b"] }).instructions).toBe("a\n\nb");
  });

  it("has system text before a role as instructions, and from there on as messages", () => {
    const { instructions, input } = lowered({
      system: [
        "host",
        { text: "one", role: "developer" },
        { text: "two", role: "developer", continues: true },
        "three",
      ],
    });
    expect(instructions).toBe("host");
    expect(input).toEqual([
      {
        type: "message",
        role: "developer",
        content: [
          { type: "input_text", text: "one" },
          { type: "input_text", text: "two" },
        ],
      },
      { type: "message", role: "developer", content: "three" },
    ]);
    expect(lowered({ system: [{ text: "one", role: "system" }] })).toMatchObject({
      input: [{ role: "system", content: "one" }],
    });
    expect(lowered({ system: [{ text: "one", role: "system" }] }).instructions).toBeUndefined();
    const marked = {
      text: "one",
      role: "system",
      providerMetadata: { openai: { prompt_cache_breakpoint: true } },
    } as const;
    expect(lowered({ system: [marked] }).input[0].content).toEqual([
      { type: "input_text", text: "one", prompt_cache_breakpoint: true },
    ]);
  });

  it("puts what the user says at once into one message, and what the assistant says into one each", () => {
    expect(inputOf(said("user", text("a"), text("b")))).toEqual([
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "a" },
          { type: "input_text", text: "b" },
        ],
      },
    ]);
    expect(inputOf(said("assistant", text("a"), text("b"))).map(({ content }) => content)).toEqual(["a", "b"]);
    expect(inputOf(said("system", text("a")))[0]).toEqual({ type: "message", role: "developer", content: "a" });
    const system = { ...said("system", text("a")), providerMetadata: { openai: { role: "system" } } };
    expect(inputOf(system)[0].role).toBe("system");
  });

  it("shows a picture in the detail that is known, else in any", () => {
    const detail = (providerMetadata: ProviderMetadata) =>
      inputOf(said("user", { type: "image", source: id, providerMetadata }))[0].content[0].detail;
    const given: readonly ProviderMetadata[] = [{ openai: { detail: "high" } }, { openai: { detail: "other" } }, {}];
    expect(given.map(detail)).toEqual(["high", "auto", "auto"]);
    expect(detail({ google: {} })).toBe("auto");
  });

  it("gives an output the kind of its call, as text or as a list", () => {
    const free: Part = {
      ...(call("a", "sh") as ToolCallPart),
      input: "ls",
      providerMetadata: { openai: { type: "custom_tool_call" } },
    };
    const outputs = (...parts: readonly Part[]) =>
      inputOf(said("assistant", call("b"), free), ...parts.map((part) => said("tool", part)))
        .slice(2)
        .map(({ type, call_id, output }) => [type, call_id, output]);
    const blocks = (...list: readonly (TextPart | MediaPart)[]): Part => result("b", { type: "blocks", blocks: list });
    expect(outputs(result("a", "1"), result("b", "2"))).toEqual([
      ["custom_tool_call_output", "a", "1"],
      ["function_call_output", "b", "2"],
    ]);
    expect(outputs(blocks(text("x"), text("y")))[0]?.[2]).toBe("x\ny");
    expect(outputs(blocks(text("x"), { type: "image", source: id }))[0]?.[2]).toEqual([
      { type: "input_text", text: "x" },
      { type: "input_image", detail: "auto", file_id: "file_1" },
    ]);
    expect(inputOf(said("tool", result("b", "2")))[0].type).toBe("function_call_output");
  });

  it("has reasoning as its item where the log has it, else as its text", () => {
    const lowerOne = (fields: object) =>
      inputOf(said("assistant", { type: "reasoning", text: "", provider: "openai", ...fields } as Part))[0];
    expect(lowerOne({ text: "hm", encrypted: "ZW5j" })).toEqual({
      ...{ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "ZW5j" },
    });
    expect(lowerOne({})).toEqual({ type: "reasoning", summary: [], encrypted_content: "" });
    const [first, second] = [
      { type: "summary_text", text: "a" },
      { type: "reasoning_text", text: "b" },
    ];
    const item = (fields: object) => lowerOne({ text: "hm", providerMetadata: { openai: { item: fields } } });
    expect(item({ summary: [first], content: [second] })).toMatchObject({ summary: [first], content: [second] });
    const own = [{ type: "summary_text", text: "hm" }];
    expect(item({ summary: [first, second] })).toMatchObject({ summary: own });
    expect(item({ summary: [first, { type: "summary_text" }] })).toMatchObject({ summary: own });
    expect(item({ summary: "a" })).toMatchObject({ summary: own });
    expect(Object.hasOwn(item({}), "content")).toBe(false);
  });

  it("defines a function with a schema that lists its properties, a custom tool with its format", () => {
    const tools = (tool: Partial<ToolDefinition>) =>
      lowered({ tools: [{ name: "t", inputSchema: { type: "object" }, ...tool }] }).tools[0];
    expect(tools({})).toEqual({
      type: "function",
      name: "t",
      parameters: { type: "object", properties: {} },
      strict: false,
    });
    expect(tools({ description: "does" }).description).toBe("does");
    expect(Object.hasOwn(tools({ description: "" }), "description")).toBe(false);
    expect(tools({ inputSchema: {} }).parameters).toEqual({ type: "object", properties: {} });
    expect(tools({ inputSchema: { type: "string" } }).parameters).toEqual({ type: "string" });
    const listed = { type: "object", properties: { a: {} } };
    expect(tools({ inputSchema: listed }).parameters).toEqual(listed);
    const format = (given: JsonObject) =>
      tools({ providerMetadata: { openai: { type: "custom", format: given } } }).format;
    const grammar = { type: "grammar", syntax: "lark", definition: "x" };
    expect(format({ type: "text", other: 1 })).toEqual({ type: "text" });
    expect(format(grammar)).toEqual(grammar);
    expect(format({ ...grammar, syntax: "regex" })).toEqual({ ...grammar, syntax: "regex" });
    for (const wrong of [
      { ...grammar, syntax: "ebnf" },
      { ...grammar, definition: 1 },
      { ...grammar, type: "other" },
      {},
    ])
      expect(format(wrong)).toBeUndefined();
  });
});
