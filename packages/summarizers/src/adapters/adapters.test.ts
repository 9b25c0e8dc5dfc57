import Anthropic from "@anthropic-ai/sdk";
import {
  applySummaryChanges,
  type CompletionModel,
  type JsonObject,
  modelCallFailure,
  renderSummary,
} from "@threadfold/core";
import { createGateway } from "ai";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { rejectionReason } from "../llm/answer/rejection.ts";
import { LLMSummarizer } from "../llm/llm-summarizer.ts";
import { Conversation, requestFor } from "../testing/conversation.ts";
import {
  anthropicProtocol,
  type FakeProvider,
  gatewayProtocol,
  openaiProtocol,
  type ProviderMove,
  type ProviderProtocol,
  responsesProtocol,
  startProvider,
} from "../testing/fake-provider.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { anthropicModel } from "./anthropic-model.ts";
import { openaiModel, openaiResponsesModel } from "./openai.ts";

interface Adapter {
  readonly name: string;
  readonly protocol: ProviderProtocol;
  modelAt(url: string): CompletionModel;
}

const anthropic = (stream: boolean): Adapter => ({
  name: `Anthropic SDK${stream ? ", streamed" : ""}`,
  protocol: anthropicProtocol,
  modelAt: (baseURL) => anthropicModel({ client: new Anthropic({ baseURL, apiKey: "key" }), model: "claude", stream }),
});
const openai = (stream: boolean): Adapter => ({
  name: `OpenAI SDK${stream ? ", streamed" : ""}`,
  protocol: openaiProtocol,
  modelAt: (baseURL) => openaiModel({ client: new OpenAI({ baseURL, apiKey: "key" }), model: "gpt", stream }),
});
const responses = (stream: boolean): Adapter => ({
  name: `OpenAI SDK, Responses${stream ? ", streamed" : ""}`,
  protocol: responsesProtocol,
  modelAt: (baseURL) => openaiResponsesModel({ client: new OpenAI({ baseURL, apiKey: "key" }), model: "gpt", stream }),
});
const aiSdk: Adapter = {
  name: "AI SDK",
  protocol: gatewayProtocol,
  modelAt: (baseURL) => aiSdkModel({ model: createGateway({ baseURL, apiKey: "key" })("some/model") }),
};
const ADAPTERS = [
  anthropic(true),
  anthropic(false),
  openai(true),
  openai(false),
  responses(true),
  responses(false),
  aiSdk,
];

const messages = new Conversation()
  .user("Make src/parser.ts faster. Never touch config/production.yaml.")
  .bash("npm test", "parseHeader_v2 throws on empty lines", 1)
  .agent("It throws on empty lines; I will guard against them.").messages;
const request = requestFor(messages);
const notes = JSON.stringify({ add: { errors: [{ error: "parseHeader_v2 throws on empty lines", sources: [3] }] } });
const answer = (text: string, stop?: "length" | "refusal" | "tool-call"): ProviderMove => ({
  type: "answer",
  text,
  ...(stop !== undefined && { stop }),
});
const QUICK = { minRetryDelayMs: 1, maxRetryDelayMs: 50, callTimeoutMs: 60, retries: 2 } as const;

let provider: FakeProvider | undefined;
afterEach(() => provider?.close());
const serve = async (adapter: Adapter, script: readonly ProviderMove[]): Promise<CompletionModel> => {
  provider = await startProvider(adapter.protocol, script);
  return adapter.modelAt(provider.url);
};

const FOUND = "parseHeader_v2 throws on empty lines → not resolved yet";

async function summaryBy(model: CompletionModel, callTimeoutMs: number): Promise<string> {
  const { changes } = await new LLMSummarizer({ model, ...QUICK, callTimeoutMs }).summarize(request);
  return renderSummary(applySummaryChanges(null, request.span, changes).summary);
}

// Side by side, because each waits until its time is over.
describe.concurrent.each(ADAPTERS)("$name that did not answer in time", (adapter) => {
  it("L5 L27 S18: summarizes after a timeout and a good answer", async () => {
    const silent = await startProvider(adapter.protocol, [{ type: "hang" }, answer(notes)]);
    expect(await summaryBy(adapter.modelAt(silent.url), 5_000)).toContain(FOUND);
    expect(silent.bodies).toHaveLength(2);
    await silent.close();
  });
});

describe.each(ADAPTERS)("$name", (adapter) => {
  it("sends system and messages without tools, and reads text and usage", async () => {
    const model = await serve(adapter, [answer("Hello.")]);
    const result = await model.complete({
      system: "Be brief.",
      messages: [{ role: "user", text: "Hi?" }],
      maxOutputTokens: 77,
    });
    expect(result).toMatchObject({ text: "Hello.", finish: "stop", toolCalls: 0 });
    expect(result.usage).toMatchObject({ inputTokens: 102, outputTokens: 5, cacheReadTokens: 90 });
    const body = provider?.bodies[0] ?? {};
    expect(body["tools"] ?? []).toEqual([]);
    expect(JSON.stringify(body)).toContain("Be brief.");
    expect(
      body["max_tokens"] ?? body["max_completion_tokens"] ?? body["max_output_tokens"] ?? body["maxOutputTokens"],
    ).toBe(77);
  });

  it("sends a temperature when the call has one, and repeats without it when the model rejects it", async () => {
    const model = await serve(adapter, [answer("Hello.")]);
    const asked = { system: "s", messages: [{ role: "user", text: "Hi?" }], maxOutputTokens: 77 } as const;
    await model.complete(asked);
    await model.complete({ ...asked, temperature: 0.3 });
    expect(provider?.bodies.map((body) => body["temperature"])).toEqual([undefined, 0.3]);
    await provider?.close();
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    const strict = await serve(adapter, [{ type: "status", status: 400, message }, answer(notes)]);
    await new LLMSummarizer({ model: strict, temperature: 0.3 }).summarize(request);
    expect(provider?.bodies.map((body) => body["temperature"])).toEqual([0.3, undefined]);
  });

  it.each<[string, ProviderMove, string, string]>([
    ["a cut answer", answer("{", "length"), "finish", "length"],
    ["a refusal", answer("No.", "refusal"), "finish", "refusal"],
    ["a tool call", answer("", "tool-call"), "finish", "tool-call"],
  ])("reads %s", async (_, move, key, value) => {
    const model = await serve(adapter, [move]);
    const result = await model.complete({ system: "s", messages: [{ role: "user", text: "Hi" }], maxOutputTokens: 9 });
    expect(result).toHaveProperty(key, value);
    expect(result.toolCalls).toBe(value === "tool-call" ? 1 : 0);
  });

  it.each<[string, ProviderMove, object]>([
    [
      "429 with retry-after",
      { type: "status", status: 429, headers: { "retry-after": "7" } },
      { kind: "rate-limited", status: 429, retryAfterMs: 7_000 },
    ],
    ["500", { type: "status", status: 500 }, { kind: "unavailable", status: 500 }],
    ["401", { type: "status", status: 401 }, { kind: "rejected", status: 401 }],
    [
      "400 for a prompt that is too long",
      { type: "status", status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" },
      { kind: "overflow", status: 400 },
    ],
    ["a connection that is reset", { type: "reset" }, { kind: "unavailable" }],
    ["an answer that is cut off by the connection", { type: "cut" }, { kind: "unavailable" }],
  ])("classifies the failure of a call: %s", async (_, move, failure) => {
    const model = await serve(adapter, [move]);
    const error = await model
      .complete({ system: "s", messages: [{ role: "user", text: "Hi" }], maxOutputTokens: 9 })
      .catch((cause: unknown) => cause);
    expect(modelCallFailure(error)).toMatchObject(failure);
    expect(provider?.bodies).toHaveLength(1);
  });

  it("stops when it is aborted", async () => {
    const model = await serve(adapter, [{ type: "hang" }]);
    const controller = new AbortController();
    const asked = model.complete({
      system: "s",
      messages: [{ role: "user", text: "Hi" }],
      maxOutputTokens: 9,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(asked).rejects.toThrow("enough");
  });

  it.each<[string, readonly ProviderMove[], number]>([
    ["a good answer", [answer(notes)], 1],
    [
      "429, 500 and a good answer",
      [
        { type: "status", status: 429, headers: { "retry-after-ms": "3" } },
        { type: "status", status: 500 },
        answer(notes),
      ],
      3,
    ],
    ["a cut connection and a good answer", [{ type: "cut" }, { type: "reset" }, answer(notes)], 3],
    ["prose around the JSON", [answer(`Sure!\n\`\`\`json\n${notes}\n\`\`\`\nDone.`)], 1],
    ["a blank answer and a good one", [answer(""), answer(notes)], 2],
    ["the wrong shape and a good answer", [answer('{"add":{"errors":"none"}}'), answer(notes)], 2],
    ["a tool call and a good answer", [answer("", "tool-call"), answer(notes)], 2],
  ])("L5 L27 S18: summarizes after %s", async (_, script, calls) => {
    const model = await serve(adapter, script);
    expect(await summaryBy(model, 60_000)).toContain(FOUND);
    expect(provider?.bodies).toHaveLength(calls);
  });

  it.each<[string, ProviderMove, string]>([
    ["429 without end", { type: "status", status: 429 }, "model-failed"],
    ["500 without end", { type: "status", status: 500 }, "model-failed"],
    ["timeouts", { type: "hang" }, "model-failed"],
    ["resets", { type: "reset" }, "model-failed"],
    ["refusals", answer("I will not.", "refusal"), "refusal"],
    ["blank answers", answer(" "), "blank"],
    ["inflated answers", answer(`{"add":{"facts":[{"text":"${"more ".repeat(20_000)}","sources":[1]}]}}`), "inflated"],
    ["the wrong shape", answer('{"summary":"all fine"}'), "wrong-schema"],
    ["tool calls", answer(notes, "tool-call"), "tool-call"],
    [
      "an overflow of one message",
      { type: "status", status: 400, message: "maximum context length is 8192 tokens" },
      "too-large",
    ],
  ])("gives a typed failure on %s", async (_, move, reason) => {
    const model = await serve(adapter, [move]);
    const summarizer = new LLMSummarizer({ model, ...QUICK, callTimeoutMs: move.type === "hang" ? 30 : 60_000 });
    const error = await summarizer.summarize(request).catch((cause: unknown) => cause);
    expect(rejectionReason(error)).toBe(reason);
  });

  it("sends the instruction after the caller's prefix, which stays unchanged", async () => {
    const model = await serve(adapter, [
      answer(
        JSON.stringify({
          add: {
            facts: [
              { text: "It throws.", quote: "throws on empty lines" },
              { text: "Unheard of.", quote: "never said by anybody" },
            ],
          },
        }),
      ),
    ]);
    const prefix: JsonObject = {
      ...(adapter.protocol === gatewayProtocol ? { instructions: "You are an agent." } : { model: "cached-model" }),
      [adapter.protocol === responsesProtocol ? "input" : "messages"]: [
        { role: "user", content: "Make src/parser.ts faster." },
        { role: "assistant", content: "It throws on empty lines." },
        { role: "user", content: "Go on." },
      ],
    };
    const { changes } = await new LLMSummarizer({
      model,
      ...QUICK,
      callTimeoutMs: 60_000,
      prefixFor: () => prefix,
    }).summarize(request);
    const body = provider?.bodies[0] as {
      model?: string;
      messages?: unknown[];
      input?: unknown[];
      prompt?: unknown[];
      system?: unknown;
      instructions?: unknown;
    };
    const own = body.messages ?? body.input;
    const sent = own ?? body.prompt ?? [];
    const text = JSON.stringify(sent);
    for (const part of ["Make src/parser.ts faster.", "It throws on empty lines.", "Go on."])
      expect(text).toContain(part);
    expect(text.indexOf("Go on.")).toBeLessThan(text.indexOf("asks for something else"));
    if (own !== undefined) {
      expect(own.slice(0, 3)).toEqual(prefix["messages"] ?? prefix["input"]);
      expect(body.model).toBe("cached-model");
      expect(body.system ?? body.instructions).toBeUndefined();
    }
    const { facts } = applySummaryChanges(null, request.span, changes).summary;
    expect(facts.map((fact) => fact.text)).toEqual(["It throws."]);
    expect(facts[0]?.sources).toEqual([messages[2]?.id]);
  });
});

describe("openaiResponsesModel", () => {
  const adapter = responses(true);
  const ask = { system: "s", messages: [{ role: "user", text: "Hi" }], maxOutputTokens: 9 } as const;

  it.each([
    ["rate_limit_exceeded", "rate-limited"],
    ["context_length_exceeded", "overflow"],
    ["invalid_prompt", "rejected"],
    ["server_error", "unavailable"],
  ])("classifies a failure inside the stream: %s", async (code, kind) => {
    const whole = responsesProtocol.whole("", "stop") as object;
    const response = { ...whole, status: "failed", error: { code, message: "no" }, output: [] };
    const events = [
      `data: ${JSON.stringify({ type: "response.failed", sequence_number: 0, response })}\n\n`,
      `data: ${JSON.stringify({ type: "error", sequence_number: 0, code, message: "no", param: null })}\n\n`,
    ];
    for (const failure of events) {
      const model = await serve({ ...adapter, protocol: { ...responsesProtocol, events: () => [failure] } }, [
        answer(""),
      ]);
      const error = await model.complete(ask).catch((cause: unknown) => cause);
      expect(modelCallFailure(error)?.kind).toBe(kind);
      await provider?.close();
    }
  });

  it("stores nothing at the provider unless it is told to", async () => {
    const model = await serve(adapter, [answer("Hello.")]);
    await model.complete(ask);
    expect(provider?.bodies[0]).toMatchObject({ store: false, instructions: "s" });
  });
});

describe("a model that cannot be called", () => {
  const client = new OpenAI({ baseURL: "http://127.0.0.1:9", apiKey: "key" });
  it.each([
    ["options", () => anthropicModel(undefined as never)],
    ["model", () => openaiModel({ client } as never)],
    ["client", () => anthropicModel({ client, model: "claude" } as never)],
    ["client", () => openaiResponsesModel({ model: "gpt" } as never)],
    ["steam", () => openaiModel({ client, model: "gpt", steam: false } as never)],
    ["model", () => aiSdkModel({} as never)],
    ["setings", () => aiSdkModel({ model: "gpt", setings: {} } as never)],
  ])("is refused where it is made, by the name %s", (name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }));
  });
});
