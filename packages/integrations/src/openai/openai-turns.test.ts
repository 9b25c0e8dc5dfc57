import { pinnedClock } from "@threadfold/core/laws";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { OVERFLOWS, type ScriptedAnswer, scriptedFetch } from "../testing/doubles.ts";
import { NOON, sessionIn, workedSession } from "../testing/sessions.ts";
import { fromOpenaiChat, openaiChatTurn, toOpenaiChatRequest } from "./chat-completions.ts";
import {
  fromOpenaiResponse,
  openaiResponsesTurn,
  threadfoldResponsesTools,
  toOpenaiResponsesRequest,
} from "./responses.ts";

const clock = pinnedClock(NOON);
const model = "gpt-x";

function clientFor(...answers: readonly ScriptedAnswer[]) {
  const { fetch, bodies } = scriptedFetch(answers);
  return { client: new OpenAI({ apiKey: "test", fetch, maxRetries: 0 }), bodies };
}

describe("a loop over Chat Completions", () => {
  const completion = (id: string, message: object, finish_reason = "stop") => ({
    ...{ id, object: "chat.completion", created: 1, model },
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 50, completion_tokens: 5, total_tokens: 55, prompt_tokens_details: { cached_tokens: 10 } },
  });
  const call = (id: string, args = `{"path":"${id}"}`) => ({
    ...{ id, type: "function", function: { name: "read", arguments: args } },
  });

  it("sends the session's request and appends the answer", async () => {
    const { client, bodies } = clientFor(
      { body: completion("c_1", { tool_calls: [call("a"), call("b")] }, "tool_calls") },
      { body: completion("c_2", { content: "Done." }) },
    );
    const session = await sessionIn("openai-chat", { frame: { system: ["Be brief."], tools: [] } });
    const parameters = { type: "object", properties: {} };
    const tools = [{ type: "function" as const, function: { name: "read", description: "Reads.", parameters } }];
    const turn = openaiChatTurn({ session, client, model, clock, temperature: 0.5, tools });
    const { calls } = await turn.send("Read both.");
    expect(calls.map(({ id }) => id)).toEqual(["a", "b"]);
    await turn.send(calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: `of ${id}` })));
    expect(bodies[1]).toMatchObject({
      ...{ model, temperature: 0.5, tools },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user" },
        { role: "assistant", tool_calls: [{ id: "a" }, { id: "b" }] },
        { role: "tool", tool_call_id: "a" },
        { role: "tool", tool_call_id: "b" },
      ],
    });
    expect(session.thread.messagesBetween(1)[0]).toMatchObject({ id: "c_1", model, usage: { cacheReadTokens: 10 } });
    expect(session.thread.length).toBe(5);
  });

  it("uses the session's frame when the call gives none", async () => {
    const { client, bodies } = clientFor({ body: completion("c_1", { content: "Done." }) });
    const session = await sessionIn("openai-chat", { frame: { system: ["Be brief."], tools: [] } });
    await openaiChatTurn({ session, client, model, clock }).send("Begin.");
    expect(bodies[0]).toMatchObject({ messages: [{ role: "system", content: "Be brief." }, { role: "user" }] });
  });

  it("L19 folds and retries once after an overflow", async () => {
    const { client, bodies } = clientFor(OVERFLOWS.openai, { body: completion("c_1", { content: "Done." }) });
    const session = await workedSession("openai-chat", 20, { config: { maxInputTokens: 40_000 } });
    await openaiChatTurn({ session, client, model, clock }).send("And now?");
    expect(session.plan.version).toBe(1);
    expect(JSON.stringify(bodies[1]).length).toBeLessThan(JSON.stringify(bodies[0]).length);
    const refusing = clientFor(OVERFLOWS.openai, OVERFLOWS.openai, OVERFLOWS.openai);
    const again = openaiChatTurn({ session, client: refusing.client, model, clock });
    await expect(again.send("And now?")).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    expect(refusing.bodies).toHaveLength(2);
  });

  it("leaves out a call that the output limit cut off", async () => {
    const cut = { tool_calls: [call("a"), call("b", '{"pa')] };
    const { client } = clientFor({ body: completion("c_1", cut, "length") });
    const session = await sessionIn("openai-chat");
    const { calls } = await openaiChatTurn({ session, client, model, clock }).send("Begin.");
    expect(calls.map(({ id }) => id)).toEqual(["a"]);
    expect(session.thread.messagesBetween(1)[0]?.parts).toHaveLength(1);
  });

  it("recognizes a call that the output limit cut off by an id of any length", async () => {
    const long = `call_1__thought__${"c2ln".repeat(200)}`;
    const cut = { tool_calls: [call("a"), call(long, '{"pa')] };
    const { client } = clientFor({ body: completion("c_1", cut, "length") });
    const session = await sessionIn("openai-chat");
    const { calls } = await openaiChatTurn({ session, client, model, clock }).send("Begin.");
    expect(calls.map(({ id }) => id)).toEqual(["a"]);
  });

  it("gives calls without an id a unique id, so that each result finds its call", async () => {
    const nameless = { tool_calls: [call(""), { ...call("b"), id: undefined }] };
    const { client, bodies } = clientFor(
      { body: completion("c_1", nameless, "tool_calls") },
      { body: completion("c_2", nameless, "tool_calls") },
      { body: completion("c_3", { content: "Done." }) },
    );
    const session = await sessionIn("openai-chat");
    const turn = openaiChatTurn({ session, client, model, clock });
    const first = await turn.send("Read both.");
    // The user interrupts: the first calls are never answered.
    const { calls } = await turn.send("No, again.");
    expect(new Set([...first.calls, ...calls].map(({ id }) => id)).size).toBe(4);
    await turn.send(calls.map(({ id }, index) => ({ role: "tool", tool_call_id: id, content: `result ${index}` })));
    const results = bodies[2]?.["messages"] as readonly { readonly role: string; readonly content: string }[];
    expect(results.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      ...["[no result was recorded]", "[no result was recorded]", "result 0", "result 1"],
    ]);
  });

  it("reads a stream and its usage", async () => {
    const chunk = (delta: object, finish_reason: string | null, usage: object | null = null) => ({
      ...{ id: "c_1", object: "chat.completion.chunk", created: 1, model, usage },
      choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    });
    const { usage } = completion("c_1", {});
    const { client, bodies } = clientFor({
      events: [
        chunk({ role: "assistant", content: "Do" }, null),
        chunk({ content: "ne." }, "stop"),
        chunk({}, null, usage),
      ],
    });
    const session = await sessionIn("openai-chat");
    const heard: string[] = [];
    const turn = openaiChatTurn({
      ...{ session, client, model, clock },
      onStream: (stream) => stream.on("content", (delta) => heard.push(delta)),
    });
    await turn.send("Begin.");
    expect(heard).toEqual(["Do", "ne."]);
    expect(bodies[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(session.stats().usage).toMatchObject({ inputTokens: 50 });
  });

  it("works in two functions for a loop of one's own", async () => {
    const { client } = clientFor({ body: completion("c_1", { content: "Done.", refusal: null }) });
    const session = await workedSession("openai-chat", 1);
    const answer = await client.chat.completions.create({ model, ...toOpenaiChatRequest(await session.prepare()) });
    if (!("choices" in answer)) throw new Error("It is no completion.");
    const { appended } = await session.complete(fromOpenaiChat(answer));
    expect(appended).toMatchObject([{ id: "c_1", parts: [{ type: "text", text: "Done." }] }]);
    expect(() => fromOpenaiChat({ ...answer, choices: [] })).toThrow(
      expect.objectContaining({ code: "INVALID_MESSAGE" }),
    );
  });
});

describe("a loop over Responses", () => {
  const response = (id: string, output: readonly object[], more: object = {}) => ({
    ...{ id, object: "response", created_at: 1, model, status: "completed", error: null, incomplete_details: null },
    ...{ instructions: null, metadata: {}, parallel_tool_calls: true, temperature: 1, tool_choice: "auto", tools: [] },
    output,
    usage: {
      ...{ input_tokens: 50, output_tokens: 5, total_tokens: 55 },
      input_tokens_details: { cached_tokens: 10 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
    ...more,
  });
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "eA==" };
  const call = (id: string, args = `{"path":"${id}"}`) => ({
    ...{ type: "function_call", id: `fc_${id}`, call_id: id, name: "read", arguments: args, status: "completed" },
  });
  const said = (text: string) => ({
    ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text, annotations: [] }],
  });

  it("sends the session's request and returns reasoning unchanged", async () => {
    const { client, bodies } = clientFor(
      { body: response("resp_1", [reasoning, call("a"), call("b")]) },
      { body: response("resp_2", [said("Done.")]) },
    );
    const session = await sessionIn("openai-responses");
    const turn = openaiResponsesTurn({
      session,
      client,
      model,
      clock,
      instructions: "Be brief.",
      max_output_tokens: 99,
    });
    const { calls } = await turn.send("Read both.");
    const outputs = calls.map(({ call_id }) => ({
      type: "function_call_output" as const,
      call_id,
      output: `of ${call_id}`,
    }));
    const { response: last } = await turn.send(outputs);
    expect(last.output_text).toBe("Done.");
    expect(bodies[1]).toMatchObject({
      ...{ model, store: false, max_output_tokens: 99, instructions: "Be brief." },
      input: [
        { role: "user" },
        reasoning,
        { type: "function_call", call_id: "a" },
        { type: "function_call", call_id: "b" },
        { type: "function_call_output", call_id: "a", output: "of a" },
        { type: "function_call_output", call_id: "b", output: "of b" },
      ],
    });
    expect([...session.thread.messagesBetween(0)].map(({ id }) => id)).toEqual(
      ["work-0", "resp_1", "work-2", "work-3", "resp_2"].map((id) => expect.stringContaining(id)),
    );
    expect(session.thread.messagesBetween(1)[0]).toMatchObject({ model, usage: { reasoningTokens: 2 } });
  });

  it.each<[string, ScriptedAnswer]>([
    ["the request is refused", OVERFLOWS.openai],
    [
      "the response says so",
      {
        body: response("resp_0", [], {
          status: "failed",
          error: { code: "context_length_exceeded", message: "Too long." },
        }),
      },
    ],
  ])("L19 folds and retries once when %s as too long", async (_, overflow) => {
    const { client, bodies } = clientFor(overflow, { body: response("resp_1", [said("Done.")]) });
    const session = await workedSession("openai-responses", 20, { config: { maxInputTokens: 40_000 } });
    await openaiResponsesTurn({ session, client, model, clock }).send("And now?");
    expect(session.plan.version).toBe(1);
    expect(JSON.stringify(bodies[1]).length).toBeLessThan(JSON.stringify(bodies[0]).length);
  });

  it("throws an error for a response that failed for another reason", async () => {
    const failed = { status: "failed", error: { code: "server_error", message: "Try later." } };
    const { client } = clientFor({ body: response("resp_1", [], failed) });
    const session = await sessionIn("openai-responses");
    const sent = openaiResponsesTurn({ session, client, model, clock }).send("Begin.");
    await expect(sent).rejects.toMatchObject({ code: "MODEL_CALL_FAILED", cause: failed.error });
    expect(session.thread.length).toBe(1);
  });

  it.each([
    ["server_error", "unavailable", true],
    ["vector_store_timeout", "unavailable", true],
    ["rate_limit_exceeded", "rate-limited", true],
    ["invalid_prompt", "rejected", false],
    ["image_too_large", "rejected", false],
  ])("says whether a response that failed with %s may be retried", async (code, kind, retryable) => {
    const failed = { status: "failed", error: { code, message: "It failed." } };
    const { client } = clientFor({ body: response("resp_1", [], failed) });
    const sent = openaiResponsesTurn({ session: await sessionIn("openai-responses"), client, model, clock });
    await expect(sent.send("Begin.")).rejects.toMatchObject({ details: { kind }, retryable });
  });

  it("leaves out a call that the output limit cut off", async () => {
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const { client } = clientFor({ body: response("resp_1", [call("a"), call("b", '{"pa')], cut) });
    const session = await sessionIn("openai-responses");
    const { calls } = await openaiResponsesTurn({ session, client, model, clock }).send("Begin.");
    expect(calls.map(({ call_id }) => call_id)).toEqual(["a"]);
  });

  const patch = { type: "custom_tool_call", id: "ctc_1", call_id: "p", name: "apply_patch", input: "*** Begin Patch" };
  const localShell = { type: "local_shell_call", id: "lsh_1", call_id: "l", status: "completed" };
  const shell = { type: "shell_call", id: "sh_1", call_id: "s", status: "completed", environment: { type: "local" } };
  const click = { type: "computer_call", id: "cu_1", call_id: "c", status: "completed", pending_safety_checks: [] };
  const edit = { type: "apply_patch_call", id: "ap_1", call_id: "e", status: "completed" };
  const find = { type: "tool_search_call", id: "ts_1", call_id: "t", status: "completed", execution: "client" };

  it.each([
    ["a function", call("a")],
    ["a custom tool", patch],
    ["a local shell", { ...localShell, action: { type: "exec", command: ["ls"], env: {} } }],
    ["a shell of the host", { ...shell, action: { commands: ["ls"] } }],
    ["a computer", { ...click, action: { type: "screenshot" } }],
    ["an edit of a file", { ...edit, operation: { type: "delete_file", path: "a" } }],
    ["a search for tools", { ...find, arguments: {} }],
  ])("passes the host a call of %s", async (_, item) => {
    const { client } = clientFor({ body: response("resp_1", [reasoning, item]) });
    const { calls } = await openaiResponsesTurn({
      ...{ session: await sessionIn("openai-responses"), client, model, clock },
    }).send("Begin.");
    expect(calls).toEqual([item]);
  });

  it.each([
    ["ran at the provider", [{ ...shell, environment: { type: "container_reference", container_id: "x" } }]],
    ["is answered in the response", [shell, { type: "shell_call_output", id: "o", call_id: "s", output: [] }]],
    ["is a search at the provider", [{ ...find, execution: "server", call_id: null }]],
    ["was cut off", [said("I click."), { ...click, status: "incomplete" }]],
    ["was cut off in a custom tool's input", [said("I edit."), patch]],
  ])("passes the host no call that %s", async (_, output) => {
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const { client } = clientFor({ body: response("resp_1", output, cut) });
    const session = await sessionIn("openai-responses");
    expect((await openaiResponsesTurn({ session, client, model, clock }).send("Begin.")).calls).toEqual([]);
  });

  it("returns an answer that both recalls and calls a tool of the host", async () => {
    const read = { ...call("r", '{"query":"step 1"}'), name: "search_thread" };
    const { client, bodies } = clientFor(
      { body: response("resp_1", [read, edit]) },
      { body: response("resp_2", [said("Done.")]) },
    );
    const session = await workedSession("openai-responses", 2);
    const tools = threadfoldResponsesTools(session);
    const turn = openaiResponsesTurn({ session, client, model, clock, tools });
    const { calls, retry } = await turn.send("What was step 1?");
    expect([calls, retry, bodies.length]).toEqual([[edit], false, 1]);
  });

  it.each([
    ["id", "as the SDK's type has it"],
    ["call_id", "as OpenAI's guide has it"],
  ])("sends the result of a local shell with its call named in `%s`, %s, if the host does so", async (field) => {
    const { client, bodies } = clientFor(
      { body: response("resp_1", [{ ...localShell, action: { type: "exec", command: ["ls"], env: {} } }]) },
      { body: response("resp_2", [said("Done.")]) },
    );
    const turn = openaiResponsesTurn({ session: await sessionIn("openai-responses"), client, model, clock });
    await turn.send("List the files.");
    const output = { type: "local_shell_call_output", [field]: "l", output: "a.ts" } as const;
    await turn.send(output as never);
    expect(Object(bodies[1]).input).toContainEqual(output);
  });

  it("passes each stream of the SDK to the host", async () => {
    const whole = response("resp_1", [said("Done.")]);
    const { client } = clientFor({
      events: [
        { type: "response.created", response: { ...whole, output: [], status: "in_progress" } },
        { type: "response.output_item.added", output_index: 0, item: { ...said(""), content: [] } },
        { type: "response.completed", response: whole },
      ],
    });
    const session = await sessionIn("openai-responses");
    const heard: string[] = [];
    const turn = openaiResponsesTurn({
      ...{ session, client, model, clock },
      onStream: (stream) => stream.on("response.completed", ({ type }) => heard.push(type)),
    });
    await turn.send("Begin.");
    expect(heard).toEqual(["response.completed"]);
    expect(session.thread.length).toBe(2);
  });

  it("works in two functions for a loop of one's own", async () => {
    const { client } = clientFor({ body: response("resp_1", [said("Done.")]) });
    const session = await workedSession("openai-responses", 1);
    const answer = await client.responses.create({ model, ...toOpenaiResponsesRequest(await session.prepare()) });
    if (!("output" in answer)) throw new Error("It is no response.");
    await session.complete(fromOpenaiResponse(answer));
    await session.complete(fromOpenaiResponse(answer));
    expect(session.thread.length).toBe(4);
  });
});
