import { createAnthropic } from "@ai-sdk/anthropic";
import { compactionMiddleware, createOnEnd, createPrepareStep } from "@threadfold/integrations/ai-sdk";
import { generateText, type ModelMessage, stepCountIs, wrapLanguageModel } from "ai-sdk-6";
import { anthropicMessagesProtocol } from "../provider/protocols/anthropic-messages.ts";
import { SYSTEM_TEXT } from "../script/scripted-tools.ts";
import { SCRIPTED_TOOL_SET } from "./ai-sdk-7.ts";
import type { HostAgent } from "./host-agent.ts";

type Wrapped = Parameters<typeof wrapLanguageModel>[0];
type Run = Parameters<typeof generateText>[0];

/** Version 6 of the AI SDK: its own loop of steps, the prompts made before each step, the middleware for overflows. */
export const aiSdk6: HostAgent = {
  id: "ai-sdk-6",
  protocol: anthropicMessagesProtocol,
  format: "ai-sdk",
  async run({ url, session, userMessages }) {
    const middleware = compactionMiddleware({ session }) as Wrapped["middleware"];
    const model = wrapLanguageModel({ model: olderModel(`${url}/v1`), middleware });
    const call = {
      model,
      tools: SCRIPTED_TOOL_SET as Run["tools"] & object,
      system: SYSTEM_TEXT,
      maxOutputTokens: 1_000,
      stopWhen: stepCountIs(100),
      prepareStep: createPrepareStep({
        session,
        tools: SCRIPTED_TOOL_SET,
        instructions: SYSTEM_TEXT,
      }) as Run["prepareStep"] & object,
      onFinish: createOnEnd({ session }),
    };
    const messages: ModelMessage[] = [];
    for (const content of userMessages) {
      messages.push({ role: "user", content });
      let finish: string;
      do {
        const { response, finishReason } = await generateText({ ...call, messages });
        messages.push(...response.messages);
        finish = finishReason;
        // A run ends where an answer is cut off.
      } while (finish === "length");
    }
  },
};

/**
 * The provider's package is installed once, for version 7. Its models differ from those of version 6 in the form of files
 * alone, of which the script has none.
 */
function olderModel(baseURL: string): Wrapped["model"] {
  const model = createAnthropic({ baseURL, apiKey: "scripted" })("claude-scripted");
  const { provider, modelId, supportedUrls } = model;
  const older = { specificationVersion: "v3", provider, modelId, supportedUrls };
  const calls = { doGenerate: model.doGenerate.bind(model), doStream: model.doStream.bind(model) };
  return { ...older, ...calls } as unknown as Wrapped["model"];
}
