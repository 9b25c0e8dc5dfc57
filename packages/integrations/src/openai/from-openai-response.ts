import { asMessageId, type Usage } from "@threadfold/core";
import { type ModelResponse, stopReasonOf } from "@threadfold/session";
import type OpenAI from "openai";
import { readOnce } from "../mirror/read-once.ts";
import { reportOf } from "../mirror/reported-usage.ts";

/**
 * A response of the SDK as `ContextSession.complete` takes it: all items that the model gave, with reasoning as it came, as
 * one message; its usage, and why it ended. The response's id becomes the id in the thread.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for an output that is no list of items.
 */
export function fromOpenaiResponse(response: OpenAI.Responses.Response): ModelResponse {
  const { id, model, output, usage, status, incomplete_details: incomplete } = response;
  const read = readOnce("openai-responses", id, output, { model });
  const used = usageOf(usage);
  const messages = read.map((message, index) => ({
    ...message,
    // Items have ids of their own, which not every server keeps apart from response to response.
    id: asMessageId(index === 0 ? id : `${id}.${index}`),
    ...(used !== undefined && { usage: used }),
  }));
  return { messages, ...reportOf(used), stopReason: stopReasonOf(incomplete?.reason ?? status) };
}

function usageOf(usage: OpenAI.Responses.ResponseUsage | undefined): Usage | undefined {
  if (usage === undefined || usage === null) return undefined;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.input_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
  };
}
