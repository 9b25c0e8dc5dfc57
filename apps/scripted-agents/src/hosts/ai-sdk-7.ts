import { createAnthropic } from "@ai-sdk/anthropic";
import { compactionMiddleware, createOnEnd, createPrepareStep } from "@threadfold/integrations/ai-sdk";
import { generateText, isStepCount, jsonSchema, type ModelMessage, tool, wrapLanguageModel } from "ai";
import { anthropicMessagesProtocol } from "../provider/protocols/anthropic-messages.ts";
import { toolResult } from "../script/scripted-agent.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT } from "../script/scripted-tools.ts";
import type { HostAgent } from "./host-agent.ts";

/** Version 7 of the AI SDK: its own loop of steps, the prompts made before each step, the middleware for overflows. */
export const aiSdk7: HostAgent = {
  id: "ai-sdk-7",
  protocol: anthropicMessagesProtocol,
  format: "ai-sdk",
  async run({ url, session, userMessages }) {
    const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: "scripted" });
    const model = wrapLanguageModel({
      model: provider("claude-scripted"),
      middleware: compactionMiddleware({ session }),
    });
    const tools = SCRIPTED_TOOL_SET;
    const call = {
      model,
      tools,
      instructions: SYSTEM_TEXT,
      maxOutputTokens: 1_000,
      stopWhen: isStepCount(100),
      prepareStep: createPrepareStep({ session, tools }),
      onEnd: createOnEnd({ session }),
    };
    const messages: ModelMessage[] = [];
    for (const content of userMessages) {
      messages.push({ role: "user", content });
      let finish: string;
      do {
        const { responseMessages, finishReason } = await generateText({ ...call, messages });
        messages.push(...responseMessages);
        finish = finishReason;
        // A run ends where an answer is cut off.
      } while (finish === "length");
    }
  },
};

/** The script's tools as the AI SDK has them. */
export const SCRIPTED_TOOL_SET = Object.fromEntries(
  SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, string>>(inputSchema),
      execute: async (input: Record<string, string>) => toolResult({ name, input }),
    }),
  ]),
);
