// Folding in agent loops: those of the AI SDK and the OpenAI Agents SDK, and your own over the SDKs of Anthropic and
// OpenAI. In your own code the imports come from "@threadfold/integrations/ai-sdk", ".../openai-agents",
// ".../anthropic" and ".../openai".
import type Anthropic from "@anthropic-ai/sdk";
import { Agent, type ModelProvider, Runner } from "@openai/agents";
import {
  asMessageId,
  asThreadId,
  asToolCallId,
  type MessageInput,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { generateText, isStepCount, type LanguageModel, type ModelMessage, type ToolSet, wrapLanguageModel } from "ai";
import type OpenAI from "openai";
import { compactionMiddleware } from "../ai-sdk/compaction-middleware.ts";
import { threadfoldTools as aiSdkTools, createOnEnd, createPrepareStep } from "../ai-sdk/prepare-step.ts";
import { anthropicTurn, threadfoldTools } from "../anthropic/anthropic-turn.ts";
import { openaiChatTurn, threadfoldChatTools } from "../openai/chat-completions.ts";
import { fromOpenaiResponse, threadfoldResponsesTools, toOpenaiResponsesRequest } from "../openai/responses.ts";
import { threadfoldTools as agentsTools, ThreadProjection } from "../openai-agents/thread-projection.ts";
import { ThreadSession } from "../openai-agents/thread-session.ts";

type Model = Exclude<LanguageModel, string>;

/**
 * The AI SDK's own loop of steps, version 6 or 7: the session makes the prompt before each step, the middleware handles
 * requests that a provider refuses as too long, and the model has two tools that read what was folded.
 */
export async function chat(threadId: ThreadId, model: Model, own: ToolSet, questions: readonly string[]) {
  const session = await ContextSession.open({
    threadId,
    format: formatById("ai-sdk"),
    config: { maxInputTokens: 32_000 },
  });
  const tools = { ...own, ...aiSdkTools(session) };
  const agent = {
    model: wrapLanguageModel({ model, middleware: compactionMiddleware({ session }) }),
    tools,
    stopWhen: isStepCount(50),
    prepareStep: createPrepareStep({ session, tools }),
    onEnd: createOnEnd({ session }), // in version 6: onFinish
  };
  const messages: ModelMessage[] = [];
  for (const content of questions) {
    messages.push({ role: "user", content });
    const { responseMessages } = await generateText({ ...agent, messages });
    messages.push(...responseMessages);
  }
  return session;
}

/** A loop over the Anthropic SDK: messages and answers go into the thread, the session makes the requests. */
export async function work(
  threadId: ThreadId,
  client: Anthropic,
  tools: Anthropic.Tool[],
  run: (call: Anthropic.ToolUseBlock) => Promise<string>,
  task: string,
) {
  const session = await ContextSession.open({
    threadId,
    model: "claude-haiku-4-5",
    config: { maxInputTokens: 32_000 },
  });
  const turn = anthropicTurn({
    session,
    client,
    model: "claude-haiku-4-5",
    max_tokens: 8_000,
    // The turn itself answers calls of the recall tools.
    tools: [...tools, ...threadfoldTools(session)],
  });
  let { calls, message } = await turn.send(task);
  while (calls.length > 0) {
    const content = await Promise.all(
      calls.map(async (call) => ({ type: "tool_result" as const, tool_use_id: call.id, content: await run(call) })),
    );
    ({ calls, message } = await turn.send({ role: "user", content }));
  }
  return { session, message };
}

/** The OpenAI SDK's Chat Completions with the loop helper, which answers calls of the recall tools itself. */
export async function ask(threadId: ThreadId, client: OpenAI, questions: readonly string[]) {
  const session = await ContextSession.open({ threadId, format: formatById("openai-chat") });
  const turn = openaiChatTurn({ session, client, model: "gpt-5", tools: threadfoldChatTools(session) });
  for (const question of questions) await turn.send(question);
  return session;
}

/**
 * The OpenAI SDK's Responses in a loop of your own: it sends what the session prepared, appends what came back, and
 * runs each tool with its `run`.
 */
export async function answer(session: ContextSession, client: OpenAI) {
  const own = threadfoldResponsesTools(session);
  const { tools } = liveFrame("openai-responses", { tools: own });
  for (;;) {
    const request = toOpenaiResponsesRequest(await session.prepare({ frame: { tools } }));
    const response = await client.responses.create({ model: "gpt-5", store: false, ...request, stream: false });
    await session.complete(fromOpenaiResponse(response));
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return response.output_text;
    for (const call of calls) {
      const tool = own.find(({ name }) => name === call.name);
      await session.append([resultOf(call, (await tool?.run(JSON.parse(call.arguments))) ?? "There is no such tool.")]);
    }
  }
}

const resultOf = ({ call_id, name }: OpenAI.Responses.ResponseFunctionToolCall, text: string): MessageInput => ({
  id: asMessageId(`result of ${call_id}`),
  role: "tool",
  createdAt: new Date().toISOString(),
  parts: [
    {
      type: "tool-result",
      result: { callId: asToolCallId(call_id), toolName: name, outcome: "success", content: { type: "text", text } },
    },
  ],
});

/**
 * The Agents SDK over Threadfold: the runner stores its items in Threadfold's log, the model is sent what the plan
 * shows, and the agent has two tools that read what was folded.
 */
export async function conversation(
  name: string,
  store: ThreadfoldStore,
  provider: ModelProvider,
  tools: Agent["tools"] = [],
) {
  const projection = new ThreadProjection({
    session: await ContextSession.open({
      threadId: asThreadId(name),
      store,
      format: formatById("openai-responses"),
      config: { maxInputTokens: 30_000 },
    }),
  });
  const agent = new Agent({
    name: "engineer",
    instructions: "You are a careful engineer.",
    tools: [...tools, ...agentsTools(projection)],
  });
  const runner = new Runner({
    callModelInputFilter: projection.callModelInputFilter,
    modelProvider: projection.modelProvider(provider),
  });
  const items = new ThreadSession({ threadId: asThreadId(`${name}-items`), threads: store.threads });
  return { say: (text: string) => runner.run(agent, text, { session: items }), projection, items };
}
