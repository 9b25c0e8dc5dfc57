import { GoogleGenAI, type Interactions } from "@google/genai";
import type { Part } from "@threadfold/core";
import { call, result } from "@threadfold/core/laws";
import { describe, expect, expectTypeOf, it } from "vitest";
import { renderSample } from "../../testing/render-sample.ts";
import { planWith, summaryOver, threadOf } from "../../testing/sample-thread.ts";
import { geminiInteractions } from "./format.ts";
import type { InteractionStep } from "./wire-schema.ts";

const thought = { type: "reasoning", text: "First I look.", provider: "google", signature: "c2ln" } as const;
const foreign = { type: "reasoning", text: "Hm.", provider: "anthropic", signature: "c2ln" } as const;
const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } } as const;
const hosted = (value: Record<string, string>): Part => ({ type: "opaque", provider: "google", value });
const searched = hosted({ type: "google_search_call", id: "s" });
const hits = hosted({ type: "google_search_result", call_id: "s" });

const thread = threadOf(
  ["user", "Read both.", picture],
  ["assistant", thought, "I read.", call("a"), call("b")],
  ["tool", result("a", "one")],
  ["tool", result("b", "two", { outcome: "failure" })],
  ["assistant", foreign, searched, hits, "Done."],
  ["user", "On."],
);
const render = (more: object = {}) => renderSample(thread, { format: "gemini-interactions", ...more });

describe("a request of the Interactions API", () => {
  it("holds the conversation as steps, with signed thoughts and provider tools, and asks to store nothing", () => {
    const { payload, warnings } = render();
    expect(geminiInteractions.check(payload)).toEqual([]);
    expect(payload.store).toBe(false);
    expect(payload.input).toEqual([
      {
        type: "user_input",
        content: [
          { type: "text", text: "Read both." },
          { type: "image", data: "AA==", mime_type: "image/png" },
        ],
      },
      { type: "thought", signature: "c2ln", summary: [{ type: "text", text: "First I look." }] },
      { type: "model_output", content: [{ type: "text", text: "I read." }] },
      { type: "function_call", id: "a", name: "read", arguments: { path: "a.ts" } },
      { type: "function_call", id: "b", name: "read", arguments: { path: "a.ts" } },
      { type: "function_result", call_id: "a", name: "read", result: "one" },
      { type: "function_result", call_id: "b", name: "read", result: "two", is_error: true },
      { type: "google_search_call", id: "s" },
      { type: "google_search_result", call_id: "s" },
      { type: "model_output", content: [{ type: "text", text: "Done." }] },
      { type: "user_input", content: [{ type: "text", text: "On." }] },
    ]);
    expect(warnings).toEqual([{ kind: "reasoning-left-out", reason: "other-provider", messageIds: ["m5"] }]);
  });

  it("keeps the thoughts that follow a fold", () => {
    const { payload } = render({ plan: planWith(thread, summaryOver(thread, [5])) });
    expect(geminiInteractions.check(payload)).toEqual([]);
    expect(payload.input.map(({ type }: { readonly type: string }) => type)).toEqual([
      ...["user_input", "thought", "model_output", "function_call", "function_call"],
      ...["function_result", "function_result", "model_output", "user_input"],
    ]);
  });

  it("sends results with a reference as text, because Gemini looks for the media that it names", () => {
    const value = { items: [{ $ref: "#/$defs/Item" }] };
    const json = result("a", { type: "json", value });
    const { payload } = renderSample(threadOf(["user", "go"], ["assistant", call("a")], ["tool", json]), {
      format: "gemini-interactions",
    });
    expect(payload.input[2].result).toBe(JSON.stringify(value));
  });

  it("sends back the steps of every tool that the provider runs", () => {
    type Hosted = Extract<Interactions.Step["type"], `${string}_call` | `${string}_result`>;
    const tools: Record<Exclude<Hosted, `function_${string}`>, string> = {
      code_execution_call: "id",
      code_execution_result: "call_id",
      file_search_call: "id",
      file_search_result: "call_id",
      google_maps_call: "id",
      google_maps_result: "call_id",
      google_search_call: "id",
      google_search_result: "call_id",
      mcp_server_tool_call: "id",
      mcp_server_tool_result: "call_id",
      processing_call: "id",
      processing_result: "call_id",
      retrieval_call: "id",
      retrieval_result: "call_id",
      url_context_call: "id",
      url_context_result: "call_id",
    };
    const steps = Object.entries(tools).map(([type, field]) => ({
      type,
      [field]: type.replace(/_(call|result)$/, ""),
    }));
    const { payload, warnings } = renderSample(
      threadOf(["user", "go"], ["assistant", ...steps.map(hosted), "Done."], ["user", "on"]),
      { format: "gemini-interactions" },
    );
    expect(payload.input.slice(1, -2)).toEqual(steps);
    expect(warnings).toEqual([]);
    expect(geminiInteractions.check(payload)).toEqual([]);
  });

  it("passes through Google's SDK byte for byte", async () => {
    const { payload } = render();
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      sent.push(new URL(request.url).pathname, await request.json());
      return Response.json({ id: "i", object: "interaction", status: "completed", steps: [] });
    };
    const original = globalThis.fetch;
    globalThis.fetch = fetch;
    try {
      const client = new GoogleGenAI({ apiKey: "none" });
      await client.interactions.create({ model: "gemini-3-pro", ...payload } as never);
    } finally {
      globalThis.fetch = original;
    }
    expect(sent[0]).toMatch(/\/interactions$/);
    expect(sent[1]).toEqual({ model: "gemini-3-pro", ...payload });
  });

  it("has the SDK's types", () => {
    type Writable<Value> = Value extends readonly (infer Item)[]
      ? Writable<Item>[]
      : Value extends object
        ? string extends keyof Value
          ? Record<string, unknown>
          : { -readonly [Key in keyof Value]: Writable<Value[Key]> }
        : Value;
    expectTypeOf<Extract<Writable<InteractionStep>, { type: "function_call" }>>().toExtend<Interactions.Step>();
    expectTypeOf<Extract<Writable<InteractionStep>, { type: "thought" }>>().toExtend<Interactions.Step>();
    expectTypeOf<{ type: "function_call"; id: number }>().not.toExtend<Interactions.Step>();
  });
});
