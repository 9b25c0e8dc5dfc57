import Anthropic from "@anthropic-ai/sdk";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import type { ToolCallPart } from "@threadfold/core";
import { anthropicTurn } from "@threadfold/integrations/anthropic";
import { openaiChatTurn, openaiResponsesTurn } from "@threadfold/integrations/openai";
import { ThreadProjection, ThreadSession } from "@threadfold/integrations/openai-agents";
import OpenAI from "openai";
import { asMessageId, asThreadId, asToolCallId, type MessageInput, type Part } from "threadfold";
import { MAX_TOKENS, thinkingOf } from "../provider/anthropic-protocol.ts";
import type { Body } from "../provider/provider-protocol.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT, toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** The Anthropic SDK's own client with the loop helper, streaming. */
export async function anthropicSdk({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const client = new Anthropic({ baseURL: url, apiKey: "scripted" });
  const turn = anthropicTurn({
    session,
    client,
    model,
    max_tokens: MAX_TOKENS,
    thinking: thinkingOf(model),
    onStream: (stream) => stream.on("text", () => undefined),
  });
  for (const text of userMessages) {
    let answer = await turn.send(text);
    while (answer.message.stop_reason !== "end_turn")
      answer = answer.calls.length === 0 ? await turn.step() : await turn.send(resultsOf(answer.calls));
  }
}

const resultsOf = (calls: readonly Anthropic.ToolUseBlock[]): Anthropic.MessageParam => ({
  role: "user",
  content: calls.map(({ id, name, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: toolResult({ name, input: input as never }),
  })),
});

/** The OpenAI SDK's own client with the loop helper for Chat Completions, streaming. */
export async function openaiChat({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
  const turn = openaiChatTurn({ session, client, model, onStream: () => undefined });
  for (const text of userMessages) {
    let answer = await turn.send(text);
    while (answer.completion.choices[0]?.finish_reason !== "stop")
      answer = answer.calls.length === 0 ? await turn.step() : await turn.send(answer.calls.flatMap(chatResults));
  }
}

function chatResults(call: OpenAI.Chat.ChatCompletionMessageToolCall): OpenAI.Chat.ChatCompletionToolMessageParam[] {
  if (call.type !== "function") return [];
  const { name, arguments: input } = call.function;
  return [{ role: "tool", tool_call_id: call.id, content: toolResult({ name, input: JSON.parse(input) }) }];
}

/** The OpenAI SDK's own client with the loop helper for Responses. */
export async function openaiResponses({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
  const turn = openaiResponsesTurn({ session, client, model });
  for (const text of userMessages) {
    let answer = await turn.send(text);
    while (answer.response.status === "incomplete" || answer.calls.length > 0)
      answer = answer.calls.length === 0 ? await turn.step() : await turn.send(answer.calls.map(responseResult));
  }
}

const responseResult = (call: OpenAI.Responses.ResponseFunctionToolCall): OpenAI.Responses.ResponseInputItem => ({
  type: "function_call_output",
  call_id: call.call_id,
  output: toolResult({ name: call.name, input: JSON.parse(call.arguments) }),
});

/** The Agents SDK with its own runner; the items of the conversation are in a separate thread. */
export async function openaiAgents({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 3 });
  const projection = new ThreadProjection({ session });
  const runner = new Runner({
    callModelInputFilter: projection.callModelInputFilter,
    modelProvider: projection.modelProvider(new OpenAIProvider({ openAIClient })),
    tracingDisabled: true,
  });
  const agent = new Agent({
    name: "engineer",
    instructions: SYSTEM_TEXT,
    model,
    modelSettings: { store: false },
    tools: SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) =>
      tool({
        name,
        description,
        parameters: inputSchema as never,
        strict: false,
        execute: (input) => toolResult({ name, input: input as never }),
      }),
    ),
  });
  const threadId = asThreadId(`${session.threadId}-items`);
  const items = new ThreadSession({ threadId, threads: session.store.threads });
  for (const text of userMessages) await runner.run(agent, text, { session: items, maxTurns: 50 });
}

const CREATED_AT = "2026-01-01T00:00:00.000Z";
const STOPS = { end_turn: "end", tool_use: "end", max_tokens: "max-output" } as const;

/** No host at all: a loop over `fetch`, written only for a session. */
export async function plainAnthropic(world: AgentWorld): Promise<void> {
  for (const [turn, text] of world.userMessages.entries()) {
    await world.session.append([said("user", `user-${turn}`, [{ type: "text", text }])]);
    while (await step(world));
  }
}

/** Makes one model call and runs the tools that it asks for. Returns false when the turn is over. */
async function step(world: AgentWorld): Promise<boolean> {
  const { session } = world;
  const answer = await ask(world);
  const parts = (answer["content"] as readonly Body[]).map(partOf);
  const usage = answer["usage"] as Readonly<Record<string, number>>;
  const { appended, discarded } = await session.complete({
    messages: [said("assistant", answer["id"] as string, parts)],
    usage: {
      inputTokens: (usage["input_tokens"] ?? 0) + (usage["cache_read_input_tokens"] ?? 0),
      cacheReadTokens: usage["cache_read_input_tokens"] ?? 0,
      outputTokens: usage["output_tokens"] ?? 0,
    },
    stopReason: STOPS[answer["stop_reason"] as keyof typeof STOPS],
  });
  const calls = appended.flatMap(({ parts: whole }) => whole.filter((part) => part.type === "tool-call"));
  await session.append(calls.map(answered));
  return calls.length + discarded.length > 0;
}

/** Sends the next request until it is answered: again after a busy or failing server, folded after an overflow. */
async function ask(world: AgentWorld): Promise<Body> {
  const { url, model, session } = world;
  const prepared = await session.prepare();
  const settings = { model, max_tokens: MAX_TOKENS, thinking: thinkingOf(model) };
  const body = JSON.stringify({ ...settings, ...prepared.payload });
  for (;;) {
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body });
    const answer = (await response.json()) as Body;
    if (response.ok) return answer;
    if (response.status === 429 || response.status >= 500) continue;
    const { retry } = await session.failed({ status: response.status, ...answer });
    if (!retry) throw new Error(`The provider refused the request: ${JSON.stringify(answer)}`);
    return ask(world);
  }
}

const said = (role: "user" | "assistant", id: string, parts: readonly Part[]): MessageInput => ({
  id: asMessageId(id),
  role,
  parts,
  createdAt: CREATED_AT,
});

function partOf(block: Body): Part {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: block["text"] as string };
    case "thinking": {
      const signature = block["signature"] as string;
      return { type: "reasoning", text: block["thinking"] as string, provider: "anthropic", signature };
    }
    default:
      return {
        type: "tool-call",
        callId: asToolCallId(block["id"] as string),
        toolName: block["name"] as string,
        input: block["input"] as ToolCallPart["input"],
      };
  }
}

const answered = ({ callId, toolName, input }: ToolCallPart): MessageInput => ({
  id: asMessageId(`result-${callId}`),
  role: "tool",
  createdAt: CREATED_AT,
  parts: [
    {
      type: "tool-result",
      result: {
        toolName,
        callId,
        outcome: "success",
        content: { type: "text", text: toolResult({ name: toolName, input: input as Body as never }) },
      },
    },
  ],
});
