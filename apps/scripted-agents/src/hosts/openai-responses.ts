import { openaiResponsesTurn } from "@threadfold/integrations/openai";
import OpenAI from "openai";
import { openaiResponsesProtocol } from "../provider/protocols/openai-responses.ts";
import { toolResult } from "../script/scripted-agent.ts";
import type { HostAgent } from "./host-agent.ts";

/** The OpenAI SDK's own client with the loop helper for Responses. */
export const openaiResponses: HostAgent = {
  id: "openai-responses",
  protocol: openaiResponsesProtocol,
  async run({ url, session, userMessages }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
    const turn = openaiResponsesTurn({ session, client, model: "gpt-scripted" });
    for (const text of userMessages) {
      let answer = await turn.send(text);
      while (answer.response.status === "incomplete" || answer.calls.length > 0)
        answer = answer.calls.length === 0 ? await turn.step() : await turn.send(answer.calls.map(resultOf));
    }
  },
};

const resultOf = (call: OpenAI.Responses.ResponseFunctionToolCall): OpenAI.Responses.ResponseInputItem => ({
  type: "function_call_output",
  call_id: call.call_id,
  output: toolResult({ name: call.name, input: JSON.parse(call.arguments) }),
});
