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
import { asModelCallError } from "../llm/call/as-model-call-error.ts";
import type { OpenAIModelOptions } from "./openai-model.ts";

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Response = OpenAI.Responses.Response;

/**
 * The `complete()` port over the OpenAI SDK's Responses API. Nothing is stored at the provider (`store: false`) unless
 * `body` says otherwise. A prefix is the body of such a request; it keeps its model and tools, since the cache knows it by
 * these.
 */
export function openaiResponsesModel({ client, model, stream = true, body = {} }: OpenAIModelOptions): CompletionModel {
  return {
    id: `openai-responses ${model}`,
    async complete(request) {
      const params = paramsOf(model, body, request);
      const options = { maxRetries: 0, ...(request.signal !== undefined && { signal: request.signal }) };
      try {
        return resultOf(
          stream
            ? await lastOf(await client.responses.create({ ...params, stream: true }, options))
            : await client.responses.create(params, options),
        );
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
  const asked = messages.map(({ role, text }) => ({ role, content: text }));
  const cap = { max_output_tokens: maxOutputTokens, ...(temperature !== undefined && { temperature }) };
  if (prefix === undefined) return { model, instructions: system, input: asked, store: false, ...cap, ...body };
  const { stream: _stream, stream_options: _options, input, ...sent } = prefix as unknown as Params;
  const before = typeof input === "string" ? [{ role: "user" as const, content: input }] : (input ?? []);
  return { store: false, ...body, ...sent, model: sent.model ?? model, input: [...before, ...asked], ...cap };
}

/** The response as the stream's last event has it; a stream that ends without one was cut off. */
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

function resultOf({ status, error, incomplete_details, output, usage }: Response): CompletionResult {
  if (status === "failed" || error != null) throw failed(error?.code ?? "", error?.message ?? "no reason was given");
  const content = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const toolCalls = output.filter(({ type }) => type.endsWith("_call")).length;
  const refused = content.some(({ type }) => type === "refusal");
  return {
    text: content.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    finish: refused ? "refusal" : toolCalls > 0 ? "tool-call" : finishOf(status, incomplete_details?.reason),
    toolCalls,
    ...(usage != null && { usage: usageOf(usage) }),
  };
}

function finishOf(status: Response["status"], reason: string | undefined): CompletionFinish {
  if (status === "completed") return "stop";
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "refusal" : "other";
}

function usageOf({
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

/** Failures that come inside an answer have a code and no status. */
const KINDS: Readonly<Record<string, ModelCallFailureKind>> = {
  rate_limit_exceeded: "rate-limited",
  context_length_exceeded: "overflow",
  invalid_prompt: "rejected",
};

const failed = (code: string, message: string): ThreadfoldError =>
  modelCallError(`The model call failed: ${message}`, { kind: KINDS[code] ?? "unavailable" });
