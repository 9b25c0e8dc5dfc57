import {
  type CompletionFinish,
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  type ModelCallFailureKind,
  modelCallError,
  type ThreadfoldError,
} from "@threadfold/core";
import type OpenAI from "openai";
import { type ClientModelOptions, checkClientModel, clientModel } from "../llm/call/client-model.ts";

/**
 * Options of {@link openaiModel} and {@link openaiResponsesModel}, for OpenAI or any server that speaks its protocol.
 */
export interface OpenAIModelOptions extends ClientModelOptions<OpenAI> {}

type ChatParams = OpenAI.ChatCompletionCreateParamsNonStreaming;
type ResponseParams = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Response = OpenAI.Responses.Response;

/**
 * Implements the `complete()` port with the OpenAI SDK (Chat Completions). A prefix is the body of such a request; it
 * keeps its model and tools, because the cache is keyed by them.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a model or the SDK's client.
 */
export function openaiModel(options: OpenAIModelOptions): CompletionModel {
  checkClientModel(options, "chat.completions.create");
  const { client, model, stream = true, body = {} } = options;
  return clientModel(
    `openai ${model}`,
    (request) => chatParams(model, body, request),
    async (params, options) =>
      chatResult(
        stream
          ? await client.chat.completions
              .stream({ ...params, stream: true, stream_options: { include_usage: true } }, options)
              .finalChatCompletion()
          : await client.chat.completions.create(params, options),
      ),
  );
}

/**
 * Implements the `complete()` port with the OpenAI SDK's Responses API. The provider stores nothing (`store: false`)
 * unless `body` or the prefix says otherwise. A prefix is the body of such a request; it keeps its model and tools,
 * because the cache is keyed by them.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a model or the SDK's client.
 */
export function openaiResponsesModel(options: OpenAIModelOptions): CompletionModel {
  checkClientModel(options, "responses.create");
  const { client, model, stream = true, body = {} } = options;
  return clientModel(
    `openai-responses ${model}`,
    (request) => responseParams(model, body, request),
    async (params, options) =>
      responseResult(
        stream
          ? await lastOf(await client.responses.create({ ...params, stream: true }, options))
          : await client.responses.create(params, options),
      ),
  );
}

function chatParams(
  model: string,
  body: object,
  { system, messages, maxOutputTokens, temperature, prefix }: CompletionRequest,
): ChatParams {
  const asked = messages.map(({ role, text }): OpenAI.ChatCompletionMessageParam => ({ role, content: text }));
  const cap = { max_completion_tokens: maxOutputTokens, ...(temperature !== undefined && { temperature }) };
  if (prefix === undefined)
    return { model, messages: [{ role: "system", content: system }, ...asked], ...cap, ...body };
  const { stream: _stream, stream_options: _options, max_tokens: _cap, ...sent } = prefix as unknown as ChatParams;
  return { ...body, ...sent, model: sent.model ?? model, messages: [...sent.messages, ...asked], ...cap };
}

function chatResult({ choices, usage }: OpenAI.ChatCompletion): CompletionResult {
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

function responseParams(
  model: string,
  body: object,
  { system, messages, maxOutputTokens, temperature, prefix }: CompletionRequest,
): ResponseParams {
  const asked = messages.map(({ role, text }) => ({ role, content: text }));
  const cap = { max_output_tokens: maxOutputTokens, ...(temperature !== undefined && { temperature }) };
  if (prefix === undefined) return { model, instructions: system, input: asked, store: false, ...cap, ...body };
  const { stream: _stream, stream_options: _options, input, ...sent } = prefix as unknown as ResponseParams;
  const before = typeof input === "string" ? [{ role: "user" as const, content: input }] : (input ?? []);
  return { store: false, ...body, ...sent, model: sent.model ?? model, input: [...before, ...asked], ...cap };
}

/** The response from the stream's final event; a stream that ends without one was cut off. */
async function lastOf(events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<Response> {
  let last: Response | undefined;
  for await (const event of events) {
    if (event.type === "error") throw failed(event.code ?? "", event.message);
    if (event.type === "response.completed" || event.type === "response.incomplete" || event.type === "response.failed")
      last = event.response;
  }
  if (last === undefined)
    throw modelCallError("The model call failed: the stream ended early", { kind: "unavailable" });
  return last;
}

function responseResult({ status, error, incomplete_details, output, usage }: Response): CompletionResult {
  if (status === "failed" || error != null) throw failed(error?.code ?? "", error?.message ?? "no reason was given");
  const content = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const toolCalls = output.filter(({ type }) => type.endsWith("_call")).length;
  const refused = content.some(({ type }) => type === "refusal");
  return {
    text: content.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    finish: refused ? "refusal" : toolCalls > 0 ? "tool-call" : finishOf(status, incomplete_details?.reason),
    toolCalls,
    ...(usage != null && { usage: responseUsage(usage) }),
  };
}

function finishOf(status: Response["status"], reason: string | undefined): CompletionFinish {
  if (status === "completed") return "stop";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "refusal" : "other";
}

function responseUsage({
  input_tokens,
  output_tokens,
  input_tokens_details,
  output_tokens_details,
}: NonNullable<Response["usage"]>) {
  const cached = input_tokens_details?.cached_tokens;
  const reasoning = output_tokens_details?.reasoning_tokens;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

/** Kinds of failures reported inside an answer, which have a code and no status. */
const KINDS: Readonly<Record<string, ModelCallFailureKind>> = {
  rate_limit_exceeded: "rate-limited",
  context_length_exceeded: "overflow",
  invalid_prompt: "rejected",
};

const failed = (code: string, message: string): ThreadfoldError =>
  modelCallError(`The model call failed: ${message}`, { kind: KINDS[code] ?? "unavailable" });
