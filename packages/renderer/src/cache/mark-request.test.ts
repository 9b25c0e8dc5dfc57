import {
  type ChatMessage,
  type ChatRequest,
  canonicalJson,
  type JsonObject,
  type MediaPart,
  type Part,
  type TextPart,
} from "@threadfold/core";
import { call, result, runs, text } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatById } from "../formats/formats.ts";
import type { CacheOptions, FormatId } from "../formats/provider-format.ts";
import { renderInputs } from "../laws/render-inputs.ts";
import { renderRequest } from "../rendering/render-request.ts";
import { renderSample } from "../testing/render-sample.ts";
import { image, messagesOf, planWith, signed, summaryOver, threadOf } from "../testing/sample-thread.ts";
import { canMark, carrierPlaces, hasResultText, markRequest, type PartMark } from "./mark-request.ts";

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

describe("cache breakpoints for OpenAI", () => {
  it("follow the system text, the folds, the end of the previous request and the newest message", () => {
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

  it("are omitted, as are those of the log, for an unknown model or one that rejects them", () => {
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

  it("move to the previous message when a message cannot carry one", () => {
    const calls = threadOf(["user", "go"], ["assistant", call("a")]);
    const { request, format } = renderSample(calls, { format: "openai-chat" });
    expect(marksOf(format.lower(request, { cache: { model: NEWEST } }).payload)).toEqual(["messages.0.content.0"]);
  });
});

describe("cache breakpoints for the AI SDK", () => {
  it("are provider options of the model's provider, on instructions and parts", () => {
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

describe("cache breakpoints in every format", () => {
  it.each(["openai-chat", "openai-responses", "ai-sdk"] as const)(
    "in %s number at most four, change no content and keep the request legal",
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

  it("are absent for providers that cache prefixes automatically", () => {
    for (const id of ["gemini", "neutral"] as const) {
      const { request, format } = renderSample(thread, { format: id });
      expect(format.mark).toBeUndefined();
      expect(format.lower(request, { cache: { model: "gemini-3-pro" } })).toEqual(format.lower(request));
    }
  });
});

describe("a cache mark on a request", () => {
  const mark = (onResults: PartMark["onResults"]): PartMark => ({
    ...{ provider: "openai", field: "mark", value: { on: true }, oldFields: ["mark", "old"], onResults },
    carries: (part) => part.type === "text" || (part.type === "tool-result" && hasResultText(part)),
  });
  const said = (role: ChatMessage["role"], ...parts: readonly Part[]): ChatMessage => ({ role, parts, sources: [] });
  const requestOf = (...messages: readonly ChatMessage[]): ChatRequest => ({ system: [], tools: [], messages });
  const marked = { openai: { mark: { on: true } } };
  const old = (value: string, fields: JsonObject = {}): TextPart => ({
    ...text(value),
    providerMetadata: { openai: { old: 1, ...fields } },
  });
  const partsOf = (request: ChatRequest, messages: readonly number[], onResults: PartMark["onResults"] = "part") =>
    markRequest(request, { frame: false, messages }, mark(onResults)).messages.map(({ parts }) => parts);

  it("goes on the last part that can carry it, in the message or an earlier one", () => {
    const request = requestOf(
      said("user", text("a"), text("b")),
      said("assistant", call("c")),
      said("user", text("d")),
    );
    expect(partsOf(request, [0])[0]).toEqual([text("a"), { ...text("b"), providerMetadata: marked }]);
    expect(partsOf(request, [1])[0]?.[1]).toEqual({ ...text("b"), providerMetadata: marked });
    expect(partsOf(request, [1])[1]).toBe(request.messages[1]?.parts);
    const places = (frame: boolean, ...messages: readonly number[]) => ({ frame, messages });
    expect(carrierPlaces(request, places(true, 0, 1, 2), mark("part"))).toEqual(places(true, 0, 2));
    const silent = requestOf(said("assistant", call("c")), said("user", text("d")));
    expect(carrierPlaces(silent, places(false, 0, 1), mark("part"))).toEqual(places(false, 1));
    expect(canMark(silent, places(false, 0), mark("part"))).toBe(false);
    expect(canMark(silent, places(false, 0, 1), mark("part"))).toBe(true);
    expect(canMark(silent, places(true), mark("part"))).toBe(false);
    expect(canMark({ ...silent, system: ["a"] }, places(true), mark("part"))).toBe(true);
    expect(canMark({ ...silent, system: ["a"] }, places(false), mark("part"))).toBe(false);
  });

  it("replaces old marks and leaves all other metadata alone", () => {
    const request = requestOf(said("user", old("a"), old("b", { id: 1 }), text("c")), said("user", text("d")));
    expect(partsOf(request, [])[0]).toEqual([
      text("a"),
      { ...text("b"), providerMetadata: { openai: { id: 1 } } },
      text("c"),
    ]);
    expect(partsOf(request, [])[1]).toBe(request.messages[1]?.parts);
    const other = { ...text("a"), providerMetadata: { google: { x: 1 }, openai: { mark: 1, id: 1 } } };
    expect(partsOf(requestOf(said("user", other)), [0])[0]).toEqual([
      { ...text("a"), providerMetadata: { google: { x: 1 }, openai: { id: 1, mark: { on: true } } } },
    ]);
    expect(partsOf(requestOf(said("user", other)), [])[0]).toEqual([
      { ...text("a"), providerMetadata: { google: { x: 1 }, openai: { id: 1 } } },
    ]);
    const item: Part = { type: "opaque", provider: "openai", value: { mark: 1 } };
    expect(partsOf(requestOf(said("user", item)), [0])[0]).toEqual([item]);
  });

  it("goes on the last system text", () => {
    const request = { ...requestOf(), system: ["a", { text: "b", providerMetadata: { openai: { old: 1 } } }, "c"] };
    const system = (frame: boolean) => markRequest(request, { frame, messages: [] }, mark("part")).system;
    expect(system(true)).toEqual(["a", { text: "b" }, { text: "c", providerMetadata: marked }]);
    expect(system(false)).toEqual(["a", { text: "b" }, "c"]);
  });

  it("goes on a tool result or on the text inside it", () => {
    const blocks = (...list: readonly (TextPart | MediaPart)[]) => result("c", { type: "blocks", blocks: list });
    const contentOf = (part: Part, messages: readonly number[]) => {
      const [[shown] = []] = partsOf(requestOf(said("tool", part)), messages, "text");
      return shown?.type === "tool-result" ? [shown.result.content, shown.providerMetadata] : [];
    };
    const inside = (value: string) => ({ ...text(value), providerMetadata: marked });
    expect(partsOf(requestOf(said("tool", result("c", "x"))), [0])[0]).toEqual([
      { ...result("c", "x"), providerMetadata: marked },
    ]);
    expect(contentOf(result("c", "x"), [0])).toEqual([{ type: "blocks", blocks: [inside("x")] }, undefined]);
    expect(contentOf(result("c", "x"), [])).toEqual([{ type: "text", text: "x" }, undefined]);
    expect(contentOf(blocks(text("x"), old("y")), [0])).toEqual([
      { type: "blocks", blocks: [inside("x\ny")] },
      undefined,
    ]);
    expect(contentOf(blocks(text("x"), image, text("y"), image), [0])).toEqual([
      { type: "blocks", blocks: [text("x"), image, inside("y"), image] },
      undefined,
    ]);
    expect(contentOf(blocks(old("x"), image), [])).toEqual([{ type: "blocks", blocks: [text("x"), image] }, undefined]);
    const plain = blocks(text("x"), image);
    expect(partsOf(requestOf(said("tool", plain)), [], "text")[0]?.[0]).toBe(plain);
    expect(
      [blocks(image), blocks(text(" "), image), blocks(text("x"), image), result("c", " "), result("c", "x")].map(
        hasResultText,
      ),
    ).toEqual([...[false, false, true, false, true]]);
  });
});
