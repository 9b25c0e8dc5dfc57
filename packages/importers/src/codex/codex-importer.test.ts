import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { importerLaws, jsonLines } from "../laws/importer-laws.ts";

const at = (second: number) => `2026-01-05T10:00:${String(second).padStart(2, "0")}.000Z`;
const line = (type: string, payload: object, second = 1) => ({ timestamp: at(second), type, payload });
const item = (payload: object, second = 1) => line("response_item", payload, second);
const event = (payload: object) => line("event_msg", payload);
const meta = line("session_meta", { id: "rollout-1", base_instructions: { text: "be brief" } }, 0);
const said = (role: string, text: string) => {
  const type = role === "assistant" ? "output_text" : "input_text";
  return item({ type: "message", role, content: [{ type, text }] });
};
const call = (id: string, name = "shell") =>
  item({ type: "function_call", id: `fc_${id}`, name, arguments: '{"command":["ls"]}', call_id: id });
const output = (id: string, value: unknown) => item({ type: "function_call_output", call_id: id, output: value });
const usage = (input: number) => ({ input_tokens: input, cached_input_tokens: 10, output_tokens: 5, total_tokens: 0 });
const tokens = (input: number) => event({ type: "token_count", info: { last_token_usage: usage(input) } });
const open = (...lines: readonly object[]) => importSession(jsonLines([meta, ...lines]));

describe("codexImporter", () => {
  it("reads session id and instructions, and keeps developer messages in place as system text", async () => {
    const bytes = jsonLines([meta, said("developer", "rules"), said("user", "go")]);
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.system]).toEqual(["codex", "rollout-1", ["be brief"]]);
    expect(
      session.messages.map(({ id, role, providerMetadata }) => [id, role, providerMetadata?.openai?.role]),
    ).toEqual([
      ["codex-2", "system", "developer"],
      ["codex-3", "user", undefined],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "codex" }))).toEqual([]);
  });

  it("makes one message per response, with its encrypted reasoning and all its source lines", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [{ text: "hm" }], encrypted_content: "secret" };
    const { messages } = await open(
      said("user", "go"),
      item(reasoning, 2),
      said("assistant", "looking"),
      call("c1"),
      call("c2", "read"),
      output("c2", "b"),
      output("c1", "a"),
      said("assistant", "done"),
    );
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(messages[1]?.metadata?.source).toEqual({ line: 3, lines: [3, 4, 5, 6] });
    expect(messages[1]?.parts).toEqual([
      {
        type: "reasoning",
        text: "hm",
        provider: "openai",
        encrypted: "secret",
        providerMetadata: { openai: { item: reasoning } },
      },
      { type: "text", text: "looking" },
      {
        type: "tool-call",
        callId: "c1",
        toolName: "shell",
        input: { command: ["ls"] },
        providerMetadata: { openai: { itemId: "fc_c1" } },
      },
      {
        type: "tool-call",
        callId: "c2",
        toolName: "read",
        input: { command: ["ls"] },
        providerMetadata: { openai: { itemId: "fc_c2" } },
      },
    ]);
    expect(messages[2]?.parts).toMatchObject([{ result: { callId: "c2", toolName: "read" } }]);
  });

  it("skips display events that repeat the items", async () => {
    const session = await open(
      event({ type: "user_message", message: "go" }),
      said("user", "go"),
      event({ type: "agent_reasoning", text: "hm" }),
      event({ type: "agent_message", message: "done" }),
      said("assistant", "done"),
      event({ type: "exec_command_end", stdout: "x" }),
      event({ type: "turn_aborted", reason: "interrupted" }),
      item({ type: "ghost_snapshot", ghost_commit: {} }),
    );
    expect(session.messages).toHaveLength(2);
    expect(session.nonPrompt.map(({ kind }) => kind)).toContain("response_item/ghost_snapshot");
    expect(session.warnings).toEqual([]);
  });

  it("assigns usage to the preceding response, includes cached tokens once, and ignores repeated reports", async () => {
    const { messages } = await open(
      said("user", "go"),
      call("c1"),
      output("c1", "a"),
      tokens(100),
      tokens(100),
      event({ type: "token_count", info: null }),
      said("assistant", "done"),
      tokens(200),
      tokens(0),
    );
    const seen = messages.map(({ role, usage: own }) => [role, own?.inputTokens, own?.cacheReadTokens]);
    expect(seen).toEqual([
      ["user", undefined, undefined],
      ["assistant", 100, 10],
      ["tool", undefined, undefined],
      ["assistant", 200, 10],
    ]);
  });

  it("recognizes a compaction that has only a summary, with the size of its prompt", async () => {
    const session = await open(
      said("user", "go"),
      said("assistant", "ok"),
      tokens(900),
      line("compacted", { message: "sum" }),
    );
    expect(session.messages.at(-1)).toMatchObject({ role: "user", origin: "compaction", parts: [{ text: "sum" }] });
    expect(session.compactions).toEqual([{ messageId: "codex-5", tokensBefore: 900 }]);
  });

  it("imports only the new items of a replacement history, and records the repeated ones", async () => {
    const blob = { type: "compaction", encrypted_content: "blob" };
    const message = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
    const history = [message("go"), message("Summary of before:\nsum"), blob];
    const session = await open(
      said("user", "go"),
      said("assistant", "ok"),
      line("compacted", { message: "sum", replacement_history: history }),
    );
    expect(session.messages.at(-1)?.parts).toEqual([
      { type: "text", text: "Summary of before:\nsum" },
      { type: "opaque", provider: "openai", value: blob },
    ]);
    expect(session.compactions[0]?.details).toEqual({ replacedBy: 3, kept: ["codex-2"] });
  });

  it("knows how a command ended that may run on, and what was not done, by the words above its output", async () => {
    const head = (ended: string) =>
      `Chunk ID: 9f3a\nWall time: 0.1 seconds\n${ended}\nOriginal token count: 3\nOutput:\nok`;
    const script = (ended: string) => [
      { type: "input_text", text: `Script ${ended}\nWall time 0.1 seconds\nOutput:\n` },
    ];
    const cases: readonly (readonly [body: unknown, outcome: string])[] = [
      [head("Process exited with code 1"), "failure"],
      [head("Process exited with code -1073741510"), "failure"],
      [head("Process exited with code 0"), "success"],
      [head("Process running with session ID 7"), "partial"],
      ["Output:\nProcess exited with code 1\n", "success"],
      ["Wall time: 3.2 seconds\naborted by user", "failure"],
      ["aborted by user after 3.2s", "failure"],
      ["aborted", "failure"],
      ["apply_patch verification failed: Failed to find expected lines", "failure"],
      [script("failed"), "failure"],
      [script("completed"), "success"],
    ];
    const { messages } = await open(
      ...cases.flatMap(([body], index) => [call(`c${index}`), output(`c${index}`, body)]),
    );
    const outcomes = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.result.outcome] : [])),
    );
    expect(outcomes).toEqual(cases.map(([, outcome]) => outcome));
  });

  it("recognizes failed commands in every Codex spelling, and keeps results as the model read them", async () => {
    const old = '{"output":"no","metadata":{"exit_code":2,"duration_seconds":0.1}}';
    const bodies = [old, "Exit code: 1\nWall time: 0\nOutput:\nno", { content: "no", success: false }, "fine"];
    const { messages } = await open(...bodies.flatMap((body, index) => [call(`c${index}`), output(`c${index}`, body)]));
    const results = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.result] : [])),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual(["failure", "failure", "failure", "success"]);
    expect(results.map(({ content }) => content)).toEqual([
      { type: "text", text: old },
      { type: "text", text: bodies[1] },
      { type: "text", text: "no" },
      { type: "text", text: "fine" },
    ]);
  });

  it("keeps custom calls as text and provider tool items unchanged, and marks Codex's own texts as the harness's", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "x" } };
    const { messages } = await open(
      said("user", "<environment_context><cwd>/x</cwd></environment_context>"),
      item(search),
      item({ type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin Patch" }),
      item({ type: "custom_tool_call_output", call_id: "c1", output: [{ type: "input_text", text: "ok" }] }),
      item({ type: "agent_message", author: "b", content: [{ type: "input_text", text: "from another agent" }] }),
    );
    expect(messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["user", "harness"],
      ["assistant", undefined],
      ["tool", undefined],
      ["user", "harness"],
    ]);
    expect(messages[1]?.parts).toMatchObject([
      { type: "opaque", provider: "openai", value: search },
      { type: "tool-call", toolName: "apply_patch", input: "*** Begin Patch" },
    ]);
    expect(messages[2]?.parts).toMatchObject([{ result: { content: { type: "text", text: "ok" } } }]);
  });

  it("tracks the model of each turn, and reports the sessions that a forked rollout names", async () => {
    const session = await open(
      line("turn_context", { model: "gpt-a" }),
      said("assistant", "one"),
      line("session_meta", { id: "parent" }),
      line("turn_context", { model: "gpt-b" }),
      said("assistant", "two"),
    );
    expect(session.messages.map(({ model }) => model)).toEqual(["gpt-a", "gpt-b"]);
    expect(session.warnings).toEqual([{ kind: "several-session-ids", ids: ["rollout-1", "parent"] }]);
  });

  it("puts turns that the user took back on a branch, and what was said instead on the main one", async () => {
    const back = (num_turns: number) => event({ type: "thread_rolled_back", num_turns });
    const turn = (text: string) => [said("user", text), said("assistant", `${text}!`)];
    const spoken = async (...lines: readonly object[]) =>
      (await open(said("user", "<environment_context>"), ...lines)).messages
        .slice(1)
        .map(({ branch, parts: [part] }) => [part?.type === "text" ? part.text : "", branch?.replace(/\d+$/, "…")]);
    expect(await spoken(...turn("a"), ...turn("b"), call("c1"), output("c1", "x"), back(1), ...turn("c"))).toEqual([
      ...[["a"], ["a!"]].map(([text]) => [text, undefined]),
      ...["b", "b!", ""].map((text) => [text, "abandoned/codex-…"]),
      ...["c", "c!"].map((text) => [text, undefined]),
    ]);
    const branches = async (...lines: readonly object[]) =>
      (await open(...lines)).messages.map(({ branch }) => branch !== undefined);
    expect(await branches(...turn("a"), ...turn("b"), back(1), back(1), ...turn("c"))).toEqual([
      ...[true, true, true, true, false, false],
    ]);
    expect(await branches(...turn("a"), ...turn("b"), back(7), ...turn("c"))).toEqual([
      ...[true, true, true, true, false, false],
    ]);
    expect(await branches(...turn("a"), back(0), event({ type: "thread_rolled_back" }))).toEqual([false, false]);
    expect(await branches(...turn("a"), line("compacted", { message: "sum" }), back(1))).toEqual([false, false, false]);
    const bytes = jsonLines([meta, ...turn("a"), ...turn("b"), tokens(9), back(1), ...turn("c"), tokens(7)]);
    expect(await brokenLaws(importerLaws({ bytes, format: "codex" }))).toEqual([]);
  });

  it("reads what agents say to each other, and tools that are added later, as words of the harness", async () => {
    const told = { author: "/root/worker", recipient: "/root", content: "Done.", trigger_turn: true };
    const { messages, warnings, nonPrompt } = await open(
      said("user", "go"),
      said("assistant", "ok"),
      item({ type: "additional_tools", role: "developer", tools: [] }),
      line("inter_agent_communication", told),
      line("inter_agent_communication", { author: "/root/worker", encrypted_content: "secret" }),
    );
    expect(messages.slice(2).map(({ role, origin, parts: [part] }) => [role, origin, part?.type])).toEqual([
      ["user", "harness", "opaque"],
      ["user", "harness", "text"],
    ]);
    expect([warnings, nonPrompt.at(-1)]).toEqual([[], { kind: "inter_agent_communication", lines: [6] }]);
  });

  it.each([
    "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nfor `b` with root /b\n</INSTRUCTIONS>",
    '<codex_internal_context source="goal">\nGo on.\n</codex_internal_context>',
    "<extension_context>\nIt is late.\n</extension_context>",
    "<recommended_plugins>\n- Drive (d)\n</recommended_plugins>",
    '<hook_prompt hook_run_id="h1">Run the tests.</hook_prompt>',
    "<external_calendar>noon</external_calendar>",
    "Warning: The maximum number of unified exec processes you can keep open is 60.",
  ])("knows that nobody typed %s", async (words) => {
    const { messages } = await open(said("user", words), said("user", `About: ${words}`));
    expect(messages.map(({ origin }) => origin)).toEqual(["harness", undefined]);
  });

  it("reads early rollouts, whose lines are the items themselves", async () => {
    const bytes = jsonLines([
      { id: "old-1", timestamp: at(0), instructions: "be brief", git: {} },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" },
      { type: "function_call_output", call_id: "c1", output: "ok" },
    ]);
    const session = await importSession(bytes);
    expect([session.format, session.threadId, session.system]).toEqual(["codex", "old-1", ["be brief"]]);
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(await brokenLaws(importerLaws({ bytes, format: "codex" }))).toEqual([]);
  });

  it("reports invalid lines and unknown types", async () => {
    const session = await importSession(
      jsonLines([
        meta,
        7,
        "{ cut",
        item({}),
        item({ type: "message", role: "ghost" }),
        line("dream", {}),
        said("user", "go"),
      ]),
    );
    expect(session.malformed.map(({ line: at }) => at)).toEqual([2, 3, 4, 5]);
    expect(session.warnings).toEqual([{ kind: "unknown-record", type: "dream", count: 1, firstLine: 6 }]);
  });
});
