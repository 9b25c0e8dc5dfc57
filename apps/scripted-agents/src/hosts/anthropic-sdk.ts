import Anthropic from "@anthropic-ai/sdk";
import { anthropicTurn } from "@threadfold/integrations/anthropic";
import { anthropicMessagesProtocol } from "../provider/protocols/anthropic-messages.ts";
import { toolResult } from "../script/scripted-agent.ts";
import type { HostAgent } from "./host-agent.ts";

/** The Anthropic SDK's own client with the loop helper, streaming. */
export const anthropicSdk: HostAgent = {
  id: "anthropic-sdk",
  protocol: anthropicMessagesProtocol,
  async run({ url, session, userMessages }) {
    const client = new Anthropic({ baseURL: url, apiKey: "scripted" });
    const turn = anthropicTurn({
      session,
      client,
      model: "claude-scripted",
      max_tokens: 1_000,
      onStream: (stream) => stream.on("text", () => undefined),
    });
    for (const text of userMessages) {
      let answer = await turn.send(text);
      while (answer.message.stop_reason !== "end_turn")
        answer = answer.calls.length === 0 ? await turn.step() : await turn.send(resultsOf(answer.calls));
    }
  },
};

const resultsOf = (calls: readonly Anthropic.ToolUseBlock[]): Anthropic.MessageParam => ({
  role: "user",
  content: calls.map(({ id, name, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: toolResult({ name, input: input as never }),
  })),
});
