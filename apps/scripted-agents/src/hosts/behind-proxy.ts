import Anthropic from "@anthropic-ai/sdk";
import { type RunningProxy, startProxy, THREAD_HEADER } from "@threadfold/proxy";
import OpenAI from "openai";
import { MAX_TOKENS, thinkingOf } from "../provider/anthropic-protocol.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT, toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** An agent that is unaware of Threadfold: the Anthropic SDK, streaming, with its whole history in each request. */
export const proxiedAnthropic = (world: AgentWorld): Promise<void> =>
  behindProxy(world, async ({ baseUrls }, headers) => {
    const { model, userMessages } = world;
    const client = new Anthropic({ baseURL: baseUrls.anthropic, apiKey: "scripted", defaultHeaders: headers });
    const tools = SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) => ({
      ...{ name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema },
    }));
    const settings = { model, max_tokens: MAX_TOKENS, thinking: thinkingOf(model), system: SYSTEM_TEXT, tools };
    const messages: Anthropic.MessageParam[] = [];
    for (const content of userMessages) {
      messages.push({ role: "user", content });
      for (let isDone = false; !isDone; ) {
        const answer = await client.messages.stream({ ...settings, messages }).finalMessage();
        // An answer that was cut off is requested again, and leaves no trace in the agent's own history.
        if (answer.stop_reason === "max_tokens") continue;
        messages.push({ role: "assistant", content: answer.content });
        isDone = answer.stop_reason === "end_turn";
        if (!isDone) messages.push({ role: "user", content: answer.content.flatMap(anthropicResult) });
      }
    }
  });

function anthropicResult(block: Anthropic.ContentBlock): Anthropic.ToolResultBlockParam[] {
  if (block.type !== "tool_use") return [];
  const content = toolResult({ name: block.name, input: block.input as never });
  return [{ type: "tool_result", tool_use_id: block.id, content }];
}

/** The same over Chat Completions, streaming. */
export const proxiedChat = (world: AgentWorld): Promise<void> =>
  behindProxy(world, async ({ baseUrls }, headers) => {
    const { model, userMessages } = world;
    const client = new OpenAI({ baseURL: baseUrls.openai, apiKey: "scripted", defaultHeaders: headers });
    const tools = SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) => ({
      ...{ type: "function" as const, function: { name, description, parameters: inputSchema } },
    }));
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM_TEXT }];
    for (const content of userMessages) {
      messages.push({ role: "user", content });
      for (let isDone = false; !isDone; ) {
        const { choices } = await client.chat.completions.stream({ model, tools, messages }).finalChatCompletion();
        const [choice] = choices;
        if (choice === undefined || choice.finish_reason === "length") continue;
        messages.push(choice.message);
        isDone = choice.finish_reason === "stop";
        messages.push(...(choice.message.tool_calls ?? []).flatMap(chatResult));
      }
    }
  });

function chatResult(call: OpenAI.Chat.ChatCompletionMessageToolCall): OpenAI.Chat.ChatCompletionToolMessageParam[] {
  if (call.type !== "function") return [];
  const { name, arguments: input } = call.function;
  return [{ role: "tool", tool_call_id: call.id, content: toolResult({ name, input: JSON.parse(input) }) }];
}

/** The same over Responses, with the history on the agent's side. */
export const proxiedResponses = (world: AgentWorld): Promise<void> =>
  behindProxy(world, async ({ baseUrls }, headers) => {
    const { model, userMessages } = world;
    const client = new OpenAI({ baseURL: baseUrls.openai, apiKey: "scripted", defaultHeaders: headers });
    const tools = SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) => ({
      ...{ type: "function" as const, name, description, parameters: { ...inputSchema }, strict: false },
    }));
    const settings = { model, instructions: SYSTEM_TEXT, tools, store: false };
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (const content of userMessages) {
      input.push({ role: "user", content });
      for (let isDone = false; !isDone; ) {
        const { status, output } = await client.responses.create({ ...settings, input });
        if (status === "incomplete") continue;
        input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
        const results = output.flatMap(responseResult);
        input.push(...results);
        isDone = results.length === 0;
      }
    }
  });

function responseResult(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem[] {
  if (item.type !== "function_call") return [];
  const output = toolResult({ name: item.name, input: JSON.parse(item.arguments) });
  return [{ type: "function_call_output", call_id: item.call_id, output }];
}

/** Runs an agent behind a proxy that keeps the thread in the session's store, under the session's id. */
async function behindProxy(
  { url, session, sent }: AgentWorld,
  agent: (proxy: RunningProxy, headers: Record<string, string>) => Promise<void>,
): Promise<void> {
  const problems: unknown[] = [];
  const proxy = await startProxy({
    store: session.store,
    upstream: { anthropic: url, openai: `${url}/v1` },
    config: { maxInputTokens: session.config.maxInputTokens },
    onTurn: ({ threadId, tokens }) => sent({ threadId, tokens }),
    onProblem: (problem) => problems.push(problem),
  });
  try {
    await agent(proxy, { [THREAD_HEADER]: session.threadId });
  } finally {
    await proxy.close();
  }
  // A conversation that the proxy could not read passed through unfolded; such a run must not be reported.
  if (problems.length > 0) throw new AggregateError(problems, "The proxy had problems.");
}
