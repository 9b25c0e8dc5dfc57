import Anthropic from "@anthropic-ai/sdk";
import { asThreadId } from "@threadfold/core";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { scriptedFetch } from "../testing/doubles.ts";
import { workedSession } from "../testing/sessions.ts";
import { answer, ask, chat, work } from "./sdk-loops.ts";

const threadId = asThreadId("example");

it("the AI SDK example runs in the SDK's own loop", async () => {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 2, text: 2, reasoning: 0 },
  };
  let calls = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const isCall = calls++ % 2 === 0;
      const call = {
        type: "tool-call" as const,
        toolCallId: `c${calls}`,
        toolName: "search_thread",
        input: '{"query":"x"}',
      };
      return {
        content: [isCall ? call : { type: "text", text: "Done." }],
        finishReason: { unified: isCall ? "tool-calls" : "stop", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
  const session = await chat(threadId, model, {}, ["Begin.", "And now?"]);
  expect(session.thread.length).toBe(8);
  expect(session.stats().usage).toMatchObject({ inputTokens: 40 });
});

it("the Anthropic SDK example runs its tools", async () => {
  const message = (id: string, content: readonly object[], stop_reason: string) => ({
    ...{
      id,
      type: "message",
      role: "assistant",
      model: "claude-haiku-4-5",
      content,
      stop_reason,
      stop_sequence: null,
    },
    usage: { input_tokens: 10, output_tokens: 2 },
  });
  const { fetch, bodies } = scriptedFetch([
    { body: message("msg_1", [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }], "tool_use") },
    { body: message("msg_2", [{ type: "text", text: "Done." }], "end_turn") },
  ]);
  const client = new Anthropic({ apiKey: "test", fetch });
  const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
  const { session, message: last } = await work(
    threadId,
    client,
    tools,
    async ({ name }) => `what ${name} gave`,
    "Begin.",
  );
  expect(last.id).toBe("msg_2");
  expect(session.thread.length).toBe(4);
  expect(JSON.stringify(bodies[1])).toContain("what read gave");
  expect(JSON.stringify(bodies[0])).toContain("search_thread");
});

it("the OpenAI SDK examples work with both of its APIs", async () => {
  const completion = {
    ...{ id: "c_1", object: "chat.completion", created: 1, model: "gpt-5.1" },
    choices: [{ index: 0, message: { role: "assistant", content: "Done." }, finish_reason: "stop" }],
  };
  const chatting = scriptedFetch([{ body: completion }]);
  const session = await ask(threadId, new OpenAI({ apiKey: "test", fetch: chatting.fetch }), ["Begin."]);
  expect(session.thread.length).toBe(2);

  const content = [{ type: "output_text", text: "Done.", annotations: [] }];
  const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "c",
    name: "search_thread",
    arguments: '{"query":"step 1"}',
  };
  const responding = scriptedFetch([
    { body: { id: "resp_0", object: "response", status: "completed", error: null, output: [call] } },
    { body: { id: "resp_1", object: "response", status: "completed", error: null, output } },
  ]);
  const worked = await workedSession("openai-responses", 2);
  expect(await answer(worked, new OpenAI({ apiKey: "test", fetch: responding.fetch }))).toBe("Done.");
  expect(worked.thread.length).toBe(8);
  expect(JSON.stringify(responding.bodies[1])).toContain("step 1");
  for (const { bodies } of [chatting, responding]) expect(JSON.stringify(bodies[0])).toContain("read_artifact");
});
