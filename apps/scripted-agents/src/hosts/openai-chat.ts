import { openaiChatTurn } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { openaiChatProtocol } from "../provider/protocols/openai-chat.ts";
import { toolResult } from "../script/scripted-agent.ts";
import type { HostAgent } from "./host-agent.ts";

/** The OpenAI SDK's own client with the loop helper for Chat Completions, streaming. */
export const openaiChat: HostAgent = {
  id: "openai-chat",
  protocol: openaiChatProtocol,
  async run({ url, session, userMessages }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
    const turn = openaiChatTurn({ session, client, model: "gpt-scripted", onStream: () => undefined });
    for (const text of userMessages) {
      let answer = await turn.send(text);
      while (answer.completion.choices[0]?.finish_reason !== "stop")
        answer = answer.calls.length === 0 ? await turn.step() : await turn.send(answer.calls.flatMap(resultOf));
    }
  },
};

function resultOf(call: OpenAI.Chat.ChatCompletionMessageToolCall): OpenAI.Chat.ChatCompletionToolMessageParam[] {
  if (call.type !== "function") return [];
  const { name, arguments: input } = call.function;
  return [{ role: "tool", tool_call_id: call.id, content: toolResult({ name, input: JSON.parse(input) }) }];
}
