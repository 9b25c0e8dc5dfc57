import type Anthropic from "@anthropic-ai/sdk";
import type { CompletionFinish, CompletionModel, CompletionRequest, CompletionResult } from "@threadfold/core";
import { type ClientModelOptions, checkClientModel, clientModel } from "../llm/call/client-model.ts";

/** Options of {@link anthropicModel}. */
export interface AnthropicModelOptions extends ClientModelOptions<Anthropic> {}

type Params = Anthropic.MessageCreateParamsNonStreaming;

/**
 * Implements the `complete()` port with the Anthropic SDK. A prefix is the body of a Messages request; it keeps its
 * model, tools and cache breakpoints, because the cache is keyed by them.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a model or the SDK's client.
 */
export function anthropicModel(options: AnthropicModelOptions): CompletionModel {
  checkClientModel(options, "messages.create");
  const { client, model, stream = true, body = {} } = options;
  return clientModel(
    `anthropic ${model}`,
    (request) => paramsOf(model, body, request),
    async (params, options) =>
      resultOf(
        stream
          ? await client.messages.stream(params, options).finalMessage()
          : await client.messages.create(params, options),
      ),
  );
}

function paramsOf(
  model: string,
  body: object,
  { system, messages, maxOutputTokens, temperature, prefix }: CompletionRequest,
): Params {
  const asked = messages.map(({ role, text }): Anthropic.MessageParam => ({ role, content: text }));
  const chosen = temperature === undefined ? {} : { temperature };
  if (prefix === undefined) return { model, max_tokens: maxOutputTokens, system, messages: asked, ...chosen, ...body };
  const { stream: _stream, ...sent } = prefix as unknown as Params & { readonly stream?: boolean };
  // A thinking budget must stay below the cap, and the prefix was sent with a cap that is high enough.
  const maxTokens = sent.thinking === undefined ? maxOutputTokens : Math.max(maxOutputTokens, sent.max_tokens ?? 0);
  return {
    ...body,
    ...sent,
    // Temperature cannot be set together with thinking.
    ...(sent.thinking === undefined && chosen),
    model: sent.model ?? model,
    max_tokens: maxTokens,
    messages: [...sent.messages, ...asked],
  };
}

function resultOf({ content, stop_reason: reason, usage }: Anthropic.Message): CompletionResult {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    finish: FINISH[reason ?? "end_turn"] ?? "other",
    toolCalls: content.filter((block) => block.type === "tool_use" || block.type === "server_tool_use").length,
    usage: {
      inputTokens: usage.input_tokens + read + written,
      outputTokens: usage.output_tokens,
      cacheReadTokens: read,
      cacheWriteTokens: written,
    },
  };
}

const FINISH: Readonly<Record<string, CompletionFinish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-call",
  refusal: "refusal",
};
