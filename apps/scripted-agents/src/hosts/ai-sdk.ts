import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { compactionMiddleware, createOnEnd, createPrepareStep } from "@threadfold/integrations/ai-sdk";
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool, wrapLanguageModel } from "ai";
import {
  generateText as generateTextOf6,
  type ModelMessage as ModelMessageOf6,
  stepCountIs,
  wrapLanguageModel as wrapLanguageModelOf6,
} from "ai-sdk-6";
import { MAX_TOKENS, thinkingOf } from "../provider/anthropic-protocol.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT, toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** Version 7 of the AI SDK: its own step loop, prompts made before each step, the middleware for overflows. */
export async function aiSdk7({ url, model: name, session, userMessages }: AgentWorld): Promise<void> {
  const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey: "scripted" });
  const model = wrapLanguageModel({
    model: provider(name),
    middleware: compactionMiddleware({ session }),
  });
  const tools = SCRIPTED_TOOL_SET;
  const call = {
    model,
    tools,
    instructions: SYSTEM_TEXT,
    maxOutputTokens: MAX_TOKENS,
    providerOptions: providerOptionsOf(name),
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
      // A run ends when an answer is cut off.
    } while (finish === "length");
  }
}

/** Returns the options by which the AI SDK asks Claude to think. */
function providerOptionsOf(model: string) {
  const { type, budget_tokens: budgetTokens } = { budget_tokens: undefined, ...thinkingOf(model) };
  return { anthropic: { thinking: { type, ...(budgetTokens !== undefined && { budgetTokens }) } } };
}

/** The script's tools in the AI SDK's form. */
const SCRIPTED_TOOL_SET = Object.fromEntries(
  SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, string>>(inputSchema),
      execute: async (input: Record<string, string>) => toolResult({ name, input }),
    }),
  ]),
);

/** Version 7 of the AI SDK, streaming, with only the middleware: the loop is unaware of any folding. */
export async function aiSdk7Middleware({ url, model: name, session, userMessages }: AgentWorld): Promise<void> {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: "scripted" });
  const model = wrapLanguageModel({
    model: provider.chat(name),
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
      // A run ends when an answer is cut off.
    } while (finish === "length");
  }
}

/** Drops a last answer whose calls were not all run, because the SDK refuses to continue from it. */
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

type Wrapped = Parameters<typeof wrapLanguageModelOf6>[0];
type Run = Parameters<typeof generateTextOf6>[0];

/** Version 6 of the AI SDK: its own step loop, prompts made before each step, the middleware for overflows. */
export async function aiSdk6({ url, model: name, session, userMessages }: AgentWorld): Promise<void> {
  const middleware = compactionMiddleware({ session }) as Wrapped["middleware"];
  const model = wrapLanguageModelOf6({ model: olderModel(`${url}/v1`, name), middleware });
  const call = {
    model,
    tools: SCRIPTED_TOOL_SET as Run["tools"] & object,
    system: SYSTEM_TEXT,
    maxOutputTokens: MAX_TOKENS,
    providerOptions: providerOptionsOf(name),
    stopWhen: stepCountIs(100),
    prepareStep: createPrepareStep({
      session,
      tools: SCRIPTED_TOOL_SET,
      instructions: SYSTEM_TEXT,
    }) as Run["prepareStep"] & object,
    onFinish: createOnEnd({ session }),
  };
  const messages: ModelMessageOf6[] = [];
  for (const content of userMessages) {
    messages.push({ role: "user", content });
    let finish: string;
    do {
      const { response, finishReason } = await generateTextOf6({ ...call, messages });
      messages.push(...response.messages);
      finish = finishReason;
      // A run ends when an answer is cut off.
    } while (finish === "length");
  }
}

/**
 * Returns a model for version 6. The provider's package is installed only for version 7; its models differ from those
 * of version 6 only in the form of files, and the script has no files.
 */
function olderModel(baseURL: string, name: string): Wrapped["model"] {
  const model = createAnthropic({ baseURL, apiKey: "scripted" })(name);
  const { provider, modelId, supportedUrls } = model;
  const older = { specificationVersion: "v3", provider, modelId, supportedUrls };
  const calls = { doGenerate: model.doGenerate.bind(model), doStream: model.doStream.bind(model) };
  return { ...older, ...calls } as unknown as Wrapped["model"];
}
