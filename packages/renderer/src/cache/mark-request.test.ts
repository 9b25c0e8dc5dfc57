import { type ChatRequest, canonicalJson, type JsonObject } from "@threadfold/core";
import { call, result, runs, text } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatById } from "../formats/formats.ts";
import type { CacheOptions, FormatId } from "../formats/provider-format.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { renderSample } from "../testing/render-sample.ts";
import { messagesOf, planWith, signed, summaryOver, threadOf } from "../testing/sample-thread.ts";

const NEWEST = "gpt-5.6";

/** Every mark in a payload, as the path to what carries it. */
function marksOf(payload: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const { prompt_cache_breakpoint: openai, providerOptions } = value as Record<string, JsonObject | undefined>;
    const { anthropic, openai: sdk } = (providerOptions ?? {}) as Record<string, JsonObject | undefined>;
    if ((openai ?? anthropic?.["cacheControl"] ?? sdk?.["promptCacheBreakpoint"]) !== undefined) found.push(path);
    // What another provider is told there means nothing to this one.
    for (const [name, inner] of Object.entries(value))
      if (name !== "providerOptions") visit(inner, path === "" ? name : `${path}.${name}`);
  };
  visit(payload, "");
  return found;
}

/** A payload without marks, and with contents of one text as that text. */
function bare(payload: JsonObject): unknown {
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(visit);
    const { prompt_cache_breakpoint: _a, prompt_cache_options: _b, ...rest } = value as Record<string, unknown>;
    const entries = Object.entries(rest).map(([name, inner]): [string, unknown] => {
      const [only, ...more] = ["content", "output"].includes(name) && Array.isArray(inner) ? inner : [];
      const isText = more.length === 0 && ["text", "input_text"].includes(only?.type);
      return [name, isText ? only.text : visit(inner)];
    });
    return Object.fromEntries(entries);
  };
  return visit(JSON.parse(canonicalJson(payload)));
}

const thread = threadOf(
  ["user", "go"],
  ["assistant", "one"],
  ["user", "two"],
  ["assistant", signed, call("a")],
  ["tool", result("a", "ok")],
);
const longer = thread.append(
  messagesOf(
    [
      ["assistant", text("I look."), call("b")],
      ["tool", result("b", "ok")],
    ],
    6,
  ),
);
const plan = planWith(thread, summaryOver(thread, [1, 2]));

function marked(
  id: FormatId,
  { previous, ...cache }: { previous?: ChatRequest } & Omit<CacheOptions, "previous"> = {},
) {
  const options = { plan, format: id, system: ["s"], summaryRole: "user" } as const;
  const before = renderSample(thread, options);
  const { request, format } = renderSample(longer, options);
  const { payload } = format.lower(request, { cache: { previous: previous ?? before.request, ...cache } });
  expect(format.check(payload)).toEqual([]);
  return payload;
}

describe("cache breakpoints of OpenAI", () => {
  it("stand behind system text, the folds, the end of the previous request and the newest message", () => {
    const payload = marked("openai-chat", { model: NEWEST });
    expect(marksOf(payload)).toEqual([
      "messages.0.content.0",
      "messages.1.content.0",
      "messages.4.content.0",
      "messages.6.content.0",
    ]);
    expect(payload["prompt_cache_options"]).toEqual({ mode: "explicit" });
    const responses = marked("openai-responses", { model: NEWEST });
    // Instructions are a plain text and carry none.
    expect(marksOf(responses)).toEqual(["input.0.content.0", "input.3.output.0", "input.6.output.0"]);
  });

  it("are not placed for a model that refuses them, nor for one that nobody named; those of the log are left out", () => {
    for (const format of ["openai-chat", "openai-responses"] as const) {
      for (const cache of [{}, { model: "gpt-5.4" }, { model: "gpt-4o" }, { model: "gemini-3-pro" }])
        expect(canonicalJson(marked(format, cache)), format).not.toContain("prompt_cache");
      const said = threadOf([
        "user",
        { type: "text", text: "go", providerMetadata: { openai: { prompt_cache_breakpoint: {} } } },
      ]);
      const older = renderSample(said, { format, model: "gpt-5.4" });
      expect([marksOf(older.payload), older.warnings.map(({ kind }) => kind)]).toEqual([[], ["cache-mark-left-out"]]);
      expect(marksOf(renderSample(said, { format, model: NEWEST }).payload)).toHaveLength(1);
    }
  });

  it("go onto the message before where a message has no place for one", () => {
    const calls = threadOf(["user", "go"], ["assistant", call("a")]);
    const { request, format } = renderSample(calls, { format: "openai-chat" });
    expect(marksOf(format.lower(request, { cache: { model: NEWEST } }).payload)).toEqual(["messages.0.content.0"]);
  });
});

describe("cache breakpoints of the AI SDK", () => {
  it("are options of the model's provider on instructions and parts", () => {
    const anthropic = marked("ai-sdk", { ttl: "1h" });
    expect(marksOf(anthropic)).toEqual([
      "instructions.0",
      "messages.0.content.0",
      "messages.3.content.0",
      "messages.5.content.0",
    ]);
    expect(canonicalJson(anthropic)).toContain('"anthropic":{"cacheControl":{"ttl":"1h","type":"ephemeral"}}');
    expect(marked("ai-sdk", { ttl: "1h", model: "claude-opus-5" })).toEqual(anthropic);
    const openai = canonicalJson(marked("ai-sdk", { model: NEWEST }));
    expect(openai).toContain('"openai":{"promptCacheBreakpoint":{"mode":"explicit"}}');
    for (const model of ["gpt-5.4", "gemini-3-pro", "deepseek-v4"])
      expect(marksOf(marked("ai-sdk", { model })), model).toEqual([]);
  });
});

describe("cache breakpoints of every format", () => {
  it.each(["openai-chat", "openai-responses", "ai-sdk"] as const)(
    "of %s are four at most, say nothing else than the request did, and are legal",
    (id) => {
      const format = formatById(id);
      const model = id === "ai-sdk" ? "claude-opus-5" : NEWEST;
      fc.assert(
        fc.property(renderInputs, (given) => {
          const { request, manifest } = renderRequest({ ...given, model }, format);
          const { payload: plain } = format.lower(request);
          const { payload } = format.lower(request, { cache: { previous: request, model } });
          expect(marksOf(payload).length).toBeLessThanOrEqual(4);
          expect(format.check(payload, manifest)).toEqual([]);
          expect(format.check(payload)).toEqual([]);
          expect(format.mark?.(plain, request, { previous: request, model })).toEqual(payload);
          if (id !== "ai-sdk") expect(bare(payload)).toEqual(bare(plain));
        }),
        runs(60),
      );
    },
  );

  it("are not there where the provider finds prefixes itself", () => {
    for (const id of ["gemini", "neutral"] as const) {
      const { request, format } = renderSample(thread, { format: id });
      expect(format.mark).toBeUndefined();
      expect(format.lower(request, { cache: { model: "gemini-3-pro" } })).toEqual(format.lower(request));
    }
  });
});
