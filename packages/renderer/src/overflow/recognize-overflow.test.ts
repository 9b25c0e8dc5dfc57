import Anthropic from "@anthropic-ai/sdk";
import { ApiError } from "@google/genai";
import { APICallError, RetryError } from "ai";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { recognizeOverflow } from "./recognize-overflow.ts";

const anthropicError = (message: string, status = 400, type = "invalid_request_error") =>
  Anthropic.APIError.generate(status, { type: "error", error: { type, message } }, undefined, new Headers());
const openaiError = (error: object, status = 400) =>
  OpenAI.APIError.generate(status, { error }, undefined, new Headers());
const aiSdkError = (responseBody: string, statusCode = 400) =>
  new APICallError({
    message: "Bad Request",
    url: "https://example.com",
    requestBodyValues: {},
    statusCode,
    responseBody,
  });

const tooLong = "prompt is too long: 208310 tokens > 200000 maximum";

describe("recognizeOverflow", () => {
  it.each<readonly [string, unknown, object]>([
    ["Anthropic", anthropicError(tooLong), { provider: "anthropic", usedTokens: 208_310, limitTokens: 200_000 }],
    [
      "Anthropic, output added",
      anthropicError("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease them"),
      { provider: "anthropic", usedTokens: 199_000, limitTokens: 200_000 },
    ],
    ["Anthropic's stop reason", { stop_reason: "model_context_window_exceeded" }, { provider: "anthropic" }],
    [
      "OpenAI Chat",
      openaiError({
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      }),
      { provider: "openai", usedTokens: 130_512, limitTokens: 128_000 },
    ],
    [
      "OpenAI Responses",
      openaiError({
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        code: "context_length_exceeded",
      }),
      { provider: "openai" },
    ],
    [
      "a streamed failure of OpenAI Responses",
      { type: "response.failed", response: { error: { code: "context_length_exceeded", message: "Failed." } } },
      { provider: "openai" },
    ],
    [
      "Gemini",
      new ApiError({
        status: 400,
        message: JSON.stringify({
          error: {
            code: 400,
            status: "INVALID_ARGUMENT",
            message: "The input token count (1300520) exceeds the maximum number of tokens allowed (1048576).",
          },
        }),
      }),
      { provider: "gemini", usedTokens: 1_300_520, limitTokens: 1_048_576 },
    ],
    ["the AI SDK", aiSdkError(JSON.stringify({ error: { message: tooLong } })), { provider: "anthropic" }],
    [
      "the AI SDK after retries",
      new RetryError({ message: "Failed", reason: "maxRetriesExceeded", errors: [aiSdkError(tooLong)] }),
      { provider: "anthropic" },
    ],
    ["Bedrock", new Error("Input is too long for requested model."), { provider: "bedrock" }],
    [
      "Anthropic, too many bytes",
      anthropicError("Request exceeds the maximum size", 413, "request_too_large"),
      { provider: "anthropic" },
    ],
    [
      "Mistral",
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      { provider: "mistral", usedTokens: 40_000, limitTokens: 32_768 },
    ],
    [
      "vLLM",
      "The decoder prompt (length 8357) is longer than the maximum model length of 8192.",
      { provider: "vllm", usedTokens: 8_357, limitTokens: 8_192 },
    ],
    [
      "Together",
      "The input (70000 tokens) is longer than the model's context length (65536 tokens).",
      { provider: "together", usedTokens: 70_000, limitTokens: 65_536 },
    ],
    [
      "GitHub Models",
      "prompt token count of 130000 exceeds the limit of 128000",
      { provider: "github", usedTokens: 130_000, limitTokens: 128_000 },
    ],
    [
      "Moonshot",
      "Your request exceeded model token limit: 262144 (requested: 300000)",
      { provider: "moonshot", usedTokens: 300_000, limitTokens: 262_144 },
    ],
    ["MiniMax", "invalid params, context window exceeds limit", { provider: "minimax" }],
    ["Cohere", "too many tokens: size limit exceeded by 1000 tokens", { provider: "cohere" }],
    [
      "LM Studio",
      "The number of tokens to keep from the initial prompt is greater than the context length.",
      { provider: "lm-studio" },
    ],
    ["Ollama", "prompt too long; exceeded max context length by 4096 tokens", { provider: "ollama" }],
    ["a text", "Error: the request exceeds the available context size", { provider: "llama.cpp" }],
    ["a wrapped cause", new Error("call failed", { cause: anthropicError(tooLong) }), { limitTokens: 200_000 }],
  ])("%s", (_name, thrown, report) => {
    expect(recognizeOverflow(thrown)).toMatchObject({ overflow: true, ...report });
  });

  it.each<readonly [string, unknown]>([
    [
      "a limit of rate",
      anthropicError("Number of request tokens has exceeded your per-minute limit", 429, "rate_limit_error"),
    ],
    [
      "a limit of rate in OpenAI's words",
      openaiError({ message: "Request too large for gpt-5: Limit 30000", code: "rate_limit_exceeded" }, 429),
    ],
    ["a limit of rate without a status", "Too many tokens per minute, please slow down"],
    ["an orphaned result", anthropicError("unexpected `tool_use_id` found in `tool_result` blocks: toolu_1")],
    [
      "a field that is too long",
      openaiError({
        message: "string too long. Expected a string with maximum length 40",
        code: "string_above_max_length",
      }),
    ],
    ["an output limit", { stop_reason: "max_tokens" }],
    ["nothing", undefined],
    ["a number", 413],
  ])("does not mistake %s for an overflow", (_name, thrown) => {
    expect(recognizeOverflow(thrown)).toEqual({ overflow: false });
  });

  it("accepts the caller's own phrases, and terminates on an error that is its own cause", () => {
    const phrase = { provider: "ours", pattern: /too many words/ };
    expect(recognizeOverflow(new Error("too many words"), [phrase])).toMatchObject({ provider: "ours" });
    const looped: { cause?: unknown } = {};
    looped.cause = looped;
    expect(recognizeOverflow(looped)).toEqual({ overflow: false });
  });

  it("returns an answer for any thrown value", () => {
    fc.assert(fc.property(fc.anything(), (thrown) => typeof recognizeOverflow(thrown).overflow === "boolean"));
  });
});
