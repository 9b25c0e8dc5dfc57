import type { CompletionFinish, CompletionModel, CompletionRequest, CompletionResult } from "@threadfold/core";
import type OpenAI from "openai";
import { asModelCallError } from "../llm/call/as-model-call-error.ts";

/** A model behind the OpenAI SDK, or any server that speaks its protocol. */
export interface OpenAIModelOptions {
  /** The caller's own client. Its own retries are not used: the summarizer has its rules for that. */
  readonly client: OpenAI;
  readonly model: string;
  /** False to wait for the whole answer at once. True by default: a stream shows early that the connection lives. */
  readonly stream?: boolean;
  /** Further fields of the request body, such as `reasoning_effort`; they go before what a call asks for. */
  readonly body?: Readonly<Record<string, unknown>>;
}

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;

/**
 * The `complete()` port over the OpenAI SDK (Chat Completions). A prefix is the body of such a request; it keeps its
 * model and tools, since the cache knows it by these.
 */
export function openaiModel({ client, model, stream = true, body = {} }: OpenAIModelOptions): CompletionModel {
  return {
    id: `openai ${model}`,
    async complete(request) {
      const params = paramsOf(model, body, request);
      const options = { maxRetries: 0, ...(request.signal !== undefined && { signal: request.signal }) };
      try {
        const completion = stream
          ? await client.chat.completions
              .stream({ ...params, stream: true, stream_options: { include_usage: true } }, options)
              .finalChatCompletion()
          : await client.chat.completions.create(params, options);
        return resultOf(completion);
      } catch (error) {
        request.signal?.throwIfAborted();
        throw asModelCallError(error);
      }
    },
  };
}

function paramsOf(
  model: string,
  body: object,
  { system, messages, maxOutputTokens, temperature, prefix }: CompletionRequest,
): Params {
  const asked = messages.map(({ role, text }): OpenAI.ChatCompletionMessageParam => ({ role, content: text }));
  const cap = { max_completion_tokens: maxOutputTokens, ...(temperature !== undefined && { temperature }) };
  if (prefix === undefined)
    return { model, messages: [{ role: "system", content: system }, ...asked], ...cap, ...body };
  const { stream: _stream, stream_options: _options, max_tokens: _cap, ...sent } = prefix as unknown as Params;
  return { ...body, ...sent, model: sent.model ?? model, messages: [...sent.messages, ...asked], ...cap };
}

function resultOf({ choices, usage }: OpenAI.ChatCompletion): CompletionResult {
  const choice = choices[0];
  const toolCalls = choice?.message.tool_calls?.length ?? 0;
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens;
  return {
    text: choice?.message.content ?? "",
    finish: choice?.message.refusal ? "refusal" : (FINISH[choice?.finish_reason ?? ""] ?? "other"),
    toolCalls,
    ...(usage != null && {
      usage: {
        inputTokens: usage.prompt_tokens,
        outputTokens: usage.completion_tokens,
        ...(cached !== undefined && { cacheReadTokens: cached }),
        ...(reasoning !== undefined && { reasoningTokens: reasoning }),
      },
    }),
  };
}

const FINISH: Readonly<Record<string, CompletionFinish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-call",
  function_call: "tool-call",
  content_filter: "refusal",
};
