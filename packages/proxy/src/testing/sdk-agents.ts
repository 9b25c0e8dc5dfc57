import Anthropic from "@anthropic-ai/sdk";
import type { FormatId } from "@threadfold/renderer";
import OpenAI from "openai";
import type { RunningProxy } from "../start-proxy.ts";
import { anthropicAnswers, chatAnswers, responsesAnswers, type ScriptedApi } from "./scripted-model.ts";

/** The result of a tool call of these agents: about 800 tokens. */
const toolResult = (command: string): string => `${command}: ${"output of the build ".repeat(160)}`;

const SYSTEM = "You are an engineer.";

const parameters = { type: "object" as const, properties: { command: { type: "string" } } };

/** A third-party agent: a provider's SDK in a loop that sends its whole history with each call. */
export interface SdkAgent {
  readonly name: string;
  readonly format: FormatId;
  /** The field of the request body that contains the conversation. */
  readonly field: "messages" | "input";
  readonly answers: ScriptedApi;
  /** Sends a user message and works until the model makes no more calls. Appends to `history`. */
  run(proxy: RunningProxy, history: unknown[], text: string): Promise<void>;
}

export const anthropicAgent: SdkAgent = {
  name: "the Anthropic SDK, streaming",
  format: "anthropic-messages",
  field: "messages",
  answers: anthropicAnswers,
  async run(proxy, history, text) {
    const client = new Anthropic({ baseURL: proxy.baseUrls.anthropic, apiKey: "key", maxRetries: 0 });
    const messages = history as Anthropic.MessageParam[];
    messages.push({ role: "user", content: text });
    for (;;) {
      const stream = client.messages.stream({
        ...{ model: "m", max_tokens: 2_000, system: SYSTEM, metadata: { user_id: "ada" }, messages },
        thinking: { type: "enabled", budget_tokens: 1_024 },
        tools: [{ name: "run", input_schema: parameters }],
      });
      const { content } = await stream.finalMessage();
      messages.push({ role: "assistant", content });
      const calls = content.filter((block) => block.type === "tool_use");
      if (calls.length === 0) return;
      const results = calls.map(({ id, input }) => ({
        ...{ type: "tool_result" as const, tool_use_id: id },
        content: toolResult((input as { command: string }).command),
      }));
      messages.push({ role: "user", content: results });
    }
  },
};

export const chatAgent: SdkAgent = {
  name: "the OpenAI SDK on Chat Completions, streaming",
  format: "openai-chat",
  field: "messages",
  answers: chatAnswers,
  async run(proxy, history, text) {
    const client = new OpenAI({ baseURL: proxy.baseUrls.openai, apiKey: "key", maxRetries: 0 });
    const messages = history as OpenAI.Chat.ChatCompletionMessageParam[];
    if (messages.length === 0) messages.push({ role: "system", content: SYSTEM });
    messages.push({ role: "user", content: text });
    for (;;) {
      const stream = client.chat.completions.stream({
        ...{ model: "m", messages, stream_options: { include_usage: true }, seed: 7 },
        tools: [{ type: "function", function: { name: "run", parameters } }],
      });
      const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
      if (message === undefined) throw new Error("There is no choice.");
      messages.push(message);
      if (message.tool_calls === undefined || message.tool_calls.length === 0) return;
      for (const call of message.tool_calls) {
        if (call.type !== "function") continue;
        const { command } = JSON.parse(call.function.arguments) as { command: string };
        messages.push({ role: "tool", tool_call_id: call.id, content: toolResult(command) });
      }
    }
  },
};

export const responsesAgent: SdkAgent = {
  name: "the OpenAI SDK on Responses",
  format: "openai-responses",
  field: "input",
  answers: responsesAnswers,
  async run(proxy, history, text) {
    const client = new OpenAI({ baseURL: proxy.baseUrls.openai, apiKey: "key", maxRetries: 0 });
    const input = history as OpenAI.Responses.ResponseInputItem[];
    input.push({ role: "user", content: text });
    for (;;) {
      const { output } = await client.responses.create({
        ...{ model: "m", instructions: SYSTEM, store: false, include: ["reasoning.encrypted_content"], input },
        tools: [{ type: "function", name: "run", parameters, strict: false }, { type: "web_search" }],
      });
      input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
      const calls = output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return;
      for (const { call_id, arguments: args } of calls) {
        const { command } = JSON.parse(args) as { command: string };
        input.push({ type: "function_call_output", call_id, output: toolResult(command) });
      }
    }
  },
};
