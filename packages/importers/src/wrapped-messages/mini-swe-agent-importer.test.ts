import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { importSession } from "../importing/sessions.ts";
import { damageLaws, importerLaws, jsonDocument } from "../laws/importer-laws.ts";

const completion = {
  model: "gemini",
  usage: { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 60 } },
  choices: [{ message: { content: "x", reasoning: "never sent again" } }],
};
const bytes = jsonDocument({
  trajectory_format: "mini-swe-agent-1",
  instance_id: "django-1",
  info: { config: { model: { model_name: "google/gemini" } } },
  messages: [
    { role: "system", content: "one bash block" },
    { role: "user", content: "<pr_description>" },
    { role: "assistant", content: "THOUGHT: look\n\n```bash\nls\n```", extra: { response: completion } },
    { role: "user", content: "<returncode>0</returncode>\n<output>\na\n</output>" },
    { role: "assistant", content: "done" },
    { role: "exit", content: "diff" },
  ],
});

describe("miniSweAgentImporter", () => {
  it("starts a turn only for the task: observations and the end of the run are the harness's", async () => {
    const session = await importSession(bytes);
    expect(session.format).toBe("mini-swe-agent");
    expect(session.messages.map(({ role, origin }) => [role, origin])).toEqual([
      ["system", undefined],
      ["user", undefined],
      ["assistant", undefined],
      ["user", "harness"],
      ["assistant", undefined],
      ["user", "harness"],
    ]);
    expect(await brokenLaws(importerLaws({ bytes, format: "mini-swe-agent" }))).toEqual([]);
  });

  it("includes the cache in the input once, and leaves out reasoning that is never resent", async () => {
    const { messages } = await importSession(bytes);
    expect(messages[2]?.usage).toEqual({ inputTokens: 100, outputTokens: 9, cacheReadTokens: 60 });
    expect(messages[2]?.parts).toEqual([{ type: "text", text: "THOUGHT: look\n\n```bash\nls\n```" }]);
  });

  const run = (...messages: readonly object[]) =>
    jsonDocument({
      trajectory_format: "mini-swe-agent-1.1",
      info: { mini_version: "2.2.8", config: { model: { model_name: "claude" } } },
      messages: [{ role: "system", content: "use bash" }, { role: "user", content: "Fix it." }, ...messages],
    });
  const ended = (returncode: number) => ({ raw_output: "", returncode, timestamp: 1_783_376_869 + returncode });
  const calling = (...ids: readonly string[]) => ({
    ...{ role: "assistant", content: null, reasoning_content: "hm" },
    thinking_blocks: [
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "c2VjcmV0" },
    ],
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } })),
    extra: { timestamp: 1_783_376_868.634 },
  });

  it("reads the calls of newer versions with their thoughts, times and exit codes", async () => {
    const stopped = { raw_output: "", returncode: -1, exception_info: "timed out" };
    const observed = (id: string, extra: object) => ({ role: "tool", tool_call_id: id, content: "x", extra });
    const calls = run(
      calling("c1", "c2", "c3"),
      observed("c1", ended(0)),
      observed("c2", ended(2)),
      observed("c3", stopped),
    );
    const { messages } = await importSession(calls);
    expect(messages[2]).toMatchObject({ createdAt: "2026-07-06T22:27:48.634Z" });
    expect(messages[2]?.parts.slice(0, 2)).toEqual([
      { type: "reasoning", text: "hm", provider: "anthropic", signature: "c2ln" },
      { type: "reasoning", text: "", provider: "anthropic", encrypted: "c2VjcmV0" },
    ]);
    expect(
      messages
        .slice(3)
        .map(({ createdAt, parts: [part] }) => [createdAt, part?.type === "tool-result" && part.result.outcome]),
    ).toEqual([
      ["2026-07-06T22:27:49.000Z", "success"],
      ["2026-07-06T22:27:51.000Z", "failure"],
      ["2026-07-06T22:27:51.001Z", "failure"],
    ]);
    expect(await brokenLaws(importerLaws({ bytes: calls, format: "mini-swe-agent" }))).toEqual([]);
  });

  it("reads runs over the Responses API, where an answer is the whole response", async () => {
    const response = (...output: readonly object[]) => ({
      ...{ object: "response", model: "gpt", usage: { input_tokens: 10, output_tokens: 2 }, output },
      extra: { timestamp: 1_783_376_868.634 },
    });
    const call = { type: "function_call", call_id: "c1", name: "bash", arguments: '{"command":"ls"}' };
    const reasoning = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }] };
    const answered = run(
      response(reasoning, call),
      { type: "function_call_output", call_id: "c1", output: "<returncode>1</returncode>", extra: ended(1) },
      response({ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }),
      { type: "message", role: "user", content: [{ type: "input_text", text: "No tool calls found." }], extra: {} },
      response(),
      { role: "exit", content: "", extra: { exit_status: "Submitted" } },
    );
    const session = await importSession(answered);
    expect([session.format, session.malformed, session.model]).toEqual(["mini-swe-agent", [], "gpt"]);
    expect(session.nonPrompt).toEqual([{ kind: "response", lines: [1], paths: ["/messages/6"] }]);
    expect(session.messages.map(({ role, origin, parts }) => [role, origin, ...parts.map(({ type }) => type)])).toEqual(
      [
        ["system", undefined, "text"],
        ["user", undefined, "text"],
        ["assistant", undefined, "reasoning", "tool-call"],
        ["tool", undefined, "tool-result"],
        ["assistant", undefined, "text"],
        ["user", "harness", "text"],
        ["user", "harness", "text"],
      ],
    );
    expect(session.messages[2]).toMatchObject({ model: "gpt", usage: { inputTokens: 10, outputTokens: 2 } });
    expect(session.messages[3]?.parts).toMatchObject([{ result: { toolName: "bash", outcome: "failure" } }]);
    expect(session.messages[3]?.createdAt).toBe("2026-07-06T22:27:50.000Z");
    expect(await brokenLaws(importerLaws({ bytes: answered, format: "mini-swe-agent" }))).toEqual([]);
    expect(await brokenLaws(damageLaws({ bytes: answered, format: "mini-swe-agent" }))).toEqual([]);
  });

  it("takes a command that the user typed for the user's", async () => {
    const typed = {
      role: "user",
      content: "User command: \n```bash\nls\n```",
      extra: { actions: [{ command: "ls" }] },
    };
    const { messages } = await importSession(run(typed, { role: "user", content: "a.ts", extra: ended(0) }));
    expect(messages.slice(2).map(({ origin }) => origin)).toEqual([undefined, "harness"]);
  });

  it.each([
    ["UserNewTask", "The user added a new task: And the docs.", undefined],
    [
      "UserRejection",
      "Commands not executed. The user rejected your commands with the following message: No.",
      undefined,
    ],
    ["UserRejection", "Commands not executed. Switching to human mode", "harness"],
    ["UserInterruption", "Interrupted by user: Use git.", undefined],
    ["UserInterruption", "Interrupted by user: Temporary interruption caught.", "harness"],
    ["FormatError", "Please always provide EXACTLY ONE action.", "harness"],
  ])("begins a turn where the user had a say, and nowhere else: %s, %s", async (interrupt_type, content, origin) => {
    for (const answer of [calling("c1"), { object: "response", output: [] }]) {
      const { messages } = await importSession(run(answer, { role: "user", content, extra: { interrupt_type } }));
      expect(messages.at(-1)).toMatchObject({ role: "user", parts: [{ type: "text", text: content }] });
      expect(messages.at(-1)?.origin).toBe(origin);
    }
  });
});
