import { asToolCallId, type ChatRequest, type JsonValue } from "@threadfold/core";
import type {
  FunctionTool,
  NamespaceTool,
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { describe, expect, expectTypeOf, it } from "vitest";
import { lowerRequest } from "./lower.ts";
import type {
  ResponsesItem,
  ResponsesLocalShellCall,
  ResponsesLocalShellOutput,
  ResponsesNamedTool,
  ResponsesNamespace,
  ResponsesReasoning,
  ResponsesRequest,
} from "./wire-types.ts";

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
/**
 * Reasoning goes out without its id where the items that belong to it have none, and a local shell's output with the
 * name that the host gave it; the SDK's types insist on an id.
 */
type Identified<Item> = Item extends ResponsesReasoning | ResponsesLocalShellCall | ResponsesLocalShellOutput
  ? Item & { readonly id: string }
  : Item;
/** Tools that run at the provider stand as the host wrote them. */
type TypedRequest = Omit<ResponsesRequest, "input" | "tools"> & {
  readonly input: readonly Identified<ResponsesItem>[];
  readonly tools?: readonly (ResponsesNamedTool | ResponsesNamespace)[];
};

/** The request as the SDK's `responses.create` takes it. Checked by `tsc`. */
const createParams = (request: Writable<TypedRequest>): ResponseCreateParamsNonStreaming => ({
  model: "gpt-6-astra",
  ...request,
});

describe("the request types of OpenAI's SDK", () => {
  it("accept every lowered item and tool", () => {
    expectTypeOf<Writable<Identified<ResponsesItem>>>().toExtend<ResponseInputItem>();
    expectTypeOf<Writable<readonly Identified<ResponsesItem>[]>>().toExtend<ResponseInput>();
    expectTypeOf<Writable<Extract<ResponsesNamedTool, { type: "function" }>>>().toExtend<FunctionTool>();
    expectTypeOf<Writable<ResponsesNamespace>>().toExtend<NamespaceTool>();
    expectTypeOf<Writable<Identified<ResponsesItem>>>().not.toBeNever();
    expectTypeOf<{ type: "function_call"; call_id: string }>().not.toExtend<ResponseInputItem>();
  });

  it("accept the lowered request", () => {
    const callId = asToolCallId("a");
    const request: ChatRequest = {
      system: ["s"],
      tools: [{ name: "read", inputSchema: { type: "object" } }],
      messages: [
        { role: "assistant", sources: [], parts: [{ type: "tool-call", callId, toolName: "read", input: { a: 1 } }] },
      ],
    };
    const lowered = lowerRequest(request);
    const params = createParams(structuredClone(lowered) as Writable<TypedRequest>);
    expect(params).toEqual({ model: "gpt-6-astra", ...lowered });
  });
});
