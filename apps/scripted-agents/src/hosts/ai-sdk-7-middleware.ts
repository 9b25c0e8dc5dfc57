import { createOpenAI } from "@ai-sdk/openai";
import { compactionMiddleware } from "@threadfold/integrations/ai-sdk";
import { isStepCount, type ModelMessage, streamText, wrapLanguageModel } from "ai";
import { openaiChatProtocol } from "../provider/protocols/openai-chat.ts";
import { SYSTEM_TEXT } from "../script/scripted-tools.ts";
import { SCRIPTED_TOOL_SET } from "./ai-sdk-7.ts";
import type { HostAgent } from "./host-agent.ts";

/** Version 7 of the AI SDK, streaming, with the middleware alone: the loop does not know that anything is folded. */
export const aiSdk7Middleware: HostAgent = {
  id: "ai-sdk-7-middleware",
  protocol: openaiChatProtocol,
  format: "ai-sdk",
  async run({ url, session, userMessages }) {
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
    const model = wrapLanguageModel({
      model: provider.chat("gpt-scripted"),
      middleware: compactionMiddleware({ session }),
    });
    const messages: ModelMessage[] = [];
    const call = { model, tools: SCRIPTED_TOOL_SET, instructions: SYSTEM_TEXT, stopWhen: isStepCount(100) };
    for (const content of userMessages) {
      messages.push({ role: "user", content });
      let finish: string;
      do {
        const run = streamText({ ...call, messages });
        messages.push(...withoutOpenCalls(await run.responseMessages));
        finish = await run.finishReason;
        // A run ends where an answer is cut off.
      } while (finish === "length");
    }
  },
};

/** Without a last answer of which not every call was run, for the SDK refuses to go on from it. */
function withoutOpenCalls(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const calls = idsOf(messages.slice(last), "tool-call");
  const results = new Set(idsOf(messages.slice(last), "tool-result"));
  return calls.every((id) => results.has(id)) ? messages : messages.slice(0, last);
}

const idsOf = (messages: readonly ModelMessage[], type: "tool-call" | "tool-result"): readonly string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : [])),
  );
