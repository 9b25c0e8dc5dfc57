// The OpenAI SDK: Chat Completions with the loop helper, and Responses in a loop of one's own.
import { asMessageId, asToolCallId, type MessageInput, type ThreadId } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import type OpenAI from "openai";
// In your own code: "@threadfold/integrations/openai".
import { fromOpenaiResponse } from "../openai/from-openai-response.ts";
import { openaiChatTurn } from "../openai/openai-chat-turn.ts";
import { threadfoldChatTools, threadfoldResponsesTools } from "../openai/threadfold-tools.ts";
import { toOpenaiResponsesRequest } from "../openai/to-openai-request.ts";

/** Chat Completions with the loop helper, which answers the calls that lead to what was folded. */
export async function ask(threadId: ThreadId, client: OpenAI, questions: readonly string[]) {
  const session = await ContextSession.open({ threadId, format: formatById("openai-chat") });
  const turn = openaiChatTurn({ session, client, model: "gpt-5.1", tools: threadfoldChatTools(session) });
  for (const question of questions) await turn.send(question);
  return session;
}

/** Responses: what the session prepared goes out, what came back goes into its thread, and each tool has its `run`. */
export async function answer(session: ContextSession, client: OpenAI) {
  const own = threadfoldResponsesTools(session);
  const { tools } = liveFrame("openai-responses", { tools: own });
  for (;;) {
    const request = toOpenaiResponsesRequest(await session.prepare({ frame: { tools } }));
    const response = await client.responses.create({ model: "gpt-5.1", store: false, ...request, stream: false });
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
