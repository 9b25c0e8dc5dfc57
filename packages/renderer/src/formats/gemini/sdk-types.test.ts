import type { Content, FunctionDeclaration, GenerateContentParameters, Part, Tool } from "@google/genai";
import { asToolCallId, type ChatRequest, type JsonValue } from "@threadfold/core";
import { describe, expect, expectTypeOf, it } from "vitest";
import { lowerRequest } from "./lower.ts";
import type { GeminiContent, GeminiFunctionDeclaration, GeminiPart, GeminiRequest, GeminiTool } from "./wire-schema.ts";

/** The SDK's lists may be written to. What is of the provider's own making has no type of ours, and stands as it came. */
type Writable<Value> = JsonValue extends Value
  ? never
  : Value extends readonly (infer Item)[]
    ? Writable<Item>[]
    : Value extends object
      ? string extends keyof Value
        ? Record<string, unknown>
        : { -readonly [Key in keyof Value]: Writable<Value[Key]> }
      : Value;
type TypedContent = Omit<GeminiContent, "parts"> & { readonly parts: readonly GeminiPart[] };
type TypedRequest = Omit<GeminiRequest, "contents"> & { readonly contents: readonly TypedContent[] };

/** The request as the SDK's `generateContent` takes it. Checked by `tsc`. */
const parametersOf = ({ contents, ...config }: Writable<TypedRequest>): GenerateContentParameters => ({
  model: "gemini-3-pro",
  contents,
  config,
});

describe("the request types of Google's SDK", () => {
  it("accept every lowered part and declaration", () => {
    expectTypeOf<Writable<GeminiPart>>().toExtend<Part>();
    expectTypeOf<Writable<TypedContent>>().toExtend<Content>();
    expectTypeOf<Writable<GeminiTool>>().toExtend<Tool>();
    expectTypeOf<Writable<GeminiFunctionDeclaration>>().toExtend<FunctionDeclaration>();
    expectTypeOf<Writable<GeminiPart>>().not.toBeNever();
    expectTypeOf<{ functionCall: { args: string } }>().not.toExtend<Part>();
  });

  it("accept the lowered request", () => {
    const callId = asToolCallId("a");
    const request: ChatRequest = {
      system: ["s"],
      tools: [{ name: "read", inputSchema: { type: "object", properties: { path: { type: "string" } } } }],
      messages: [
        { role: "assistant", sources: [], parts: [{ type: "tool-call", callId, toolName: "read", input: { a: 1 } }] },
      ],
    };
    const lowered = lowerRequest(request);
    const { contents, config } = parametersOf(structuredClone(lowered) as Writable<TypedRequest>);
    expect(contents).toEqual(lowered.contents);
    expect(config).toEqual({ systemInstruction: { parts: [{ text: "s" }] }, tools: lowered.tools });
  });
});
