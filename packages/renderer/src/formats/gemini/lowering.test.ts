import { asToolCallId, type ChatMessage, type JsonValue, type MediaSource, type Part } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { gemini } from "./format.ts";

const lowered = (...messages: readonly Omit<ChatMessage, "sources">[]): unknown =>
  gemini.lower({ system: [], tools: [], messages: messages.map((message) => ({ ...message, sources: [] })) }).payload
    .contents;

const text = (value: string, thoughtSignature?: string): Part => ({
  type: "text",
  text: value,
  ...(thoughtSignature !== undefined && { providerMetadata: { google: { thoughtSignature } } }),
});
const call = (id: string, thoughtSignature?: string): Part => ({
  type: "tool-call",
  callId: asToolCallId(id),
  toolName: "read",
  input: { path: id },
  ...(thoughtSignature !== undefined && { providerMetadata: { google: { thoughtSignature } } }),
});
const functionCall = (id: string) => ({ functionCall: { id, name: "read", args: { path: id } } });
const SKIPPED = { thoughtSignature: "skip_thought_signature_validator" };

describe("gemini lowering", () => {
  it.each<readonly [string, MediaSource, unknown]>([
    [
      "media as data",
      { kind: "base64", mediaType: "image/png", data: "AA==" },
      { inlineData: { mimeType: "image/png", data: "AA==" } },
    ],
    [
      "media by URI",
      { kind: "url", url: "gs://b/a.png", mediaType: "image/png" },
      { fileData: { mimeType: "image/png", fileUri: "gs://b/a.png" } },
    ],
  ])("%s", (_name, source, part) => {
    expect(lowered({ role: "user", parts: [text("see"), { type: "image", source }] })).toEqual([
      { role: "user", parts: [{ text: "see" }, part] },
    ]);
  });

  it("W15 Gemini signs the first call of a step with its own signature, or else with the bypass", () => {
    const parts = [text("look", "dGV4dA=="), call("a", "c2ln"), call("b")];
    const own = [
      { text: "look", thoughtSignature: "dGV4dA==" },
      { ...functionCall("a"), thoughtSignature: "c2ln" },
    ];
    expect(lowered({ role: "assistant", parts })).toEqual([{ role: "model", parts: [...own, functionCall("b")] }]);
    expect(lowered({ role: "assistant", parts: [call("a"), call("b")] })).toEqual([
      { role: "model", parts: [{ ...functionCall("a"), ...SKIPPED }, functionCall("b")] },
    ]);
  });

  it("W15 Gemini uses the bypass signature in a message that a fold changed", () => {
    expect(
      lowered({ role: "assistant", parts: [text("look", "dGV4dA=="), call("a", "c2ln")], synthetic: "placeholder" }),
    ).toEqual([{ role: "model", parts: [{ text: "look" }, { ...functionCall("a"), ...SKIPPED }] }]);
  });

  it("W14 Gemini sends all responses to a turn in one turn of their own", () => {
    const result = (id: string, outcome: "success" | "failure", content: object): Part =>
      ({
        type: "tool-result",
        result: { toolName: "read", callId: asToolCallId(id), outcome, content },
      }) as Part;
    const picture = { type: "image", source: { kind: "base64", mediaType: "image/png", data: "AA==" } };
    expect(
      lowered(
        { role: "assistant", parts: [text("look")] },
        { role: "assistant", parts: [call("a"), call("b"), call("c")] },
        { role: "tool", parts: [result("a", "success", { type: "json", value: { n: 1 } })] },
        { role: "tool", parts: [result("b", "failure", { type: "text", text: "no" })] },
        { role: "tool", parts: [result("c", "success", { type: "blocks", blocks: [text("see"), picture] })] },
        { role: "user", parts: [text("on")] },
      ),
    ).toEqual([
      {
        role: "model",
        parts: [{ text: "look" }, { ...functionCall("a"), ...SKIPPED }, functionCall("b"), functionCall("c")],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "read", response: { output: { n: 1 } } } },
          { functionResponse: { id: "b", name: "read", response: { error: "no" } } },
          {
            functionResponse: {
              id: "c",
              name: "read",
              response: { output: "see" },
              parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }],
            },
          },
        ],
      },
      { role: "user", parts: [{ text: "on" }] },
    ]);
  });

  it("sends results with a reference as text, because Gemini looks for the media that it names", () => {
    const body = (value: JsonValue, outcome: "success" | "failure" = "success") => {
      const content = { type: "json", value } as const;
      const result = { toolName: "read", callId: asToolCallId("a"), outcome, content };
      return lowered({ role: "tool", parts: [{ type: "tool-result", result }] });
    };
    const sent = (response: object) => [
      { role: "user", parts: [{ functionResponse: { id: "a", name: "read", response } }] },
    ];
    const schema = { items: [{ $ref: "#/$defs/Item" }] };
    expect(body(schema)).toEqual(sent({ output: JSON.stringify(schema) }));
    expect(body(schema, "failure")).toEqual(sent({ error: JSON.stringify(schema) }));
    const harmless = { $defs: {}, text: 'a "$ref": b', list: ["$ref"] };
    expect(body(harmless)).toEqual(sent({ output: harmless }));
  });

  it("sends tool schemas as JSON Schema, and omits empty ones", () => {
    const inputSchema = { properties: { path: { type: "string" } }, additionalProperties: false };
    const tools = [
      { name: "a", inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false } },
      { name: "b", description: "B", inputSchema },
      { name: "c", inputSchema: { type: "object", additionalProperties: true } },
    ];
    expect(gemini.lower({ system: ["s", "t"], tools, messages: [] }).payload).toEqual({
      systemInstruction: { parts: [{ text: "s" }, { text: "t" }] },
      contents: [],
      tools: [
        {
          functionDeclarations: [
            { name: "a" },
            { name: "b", description: "B", parametersJsonSchema: { type: "object", ...inputSchema } },
            { name: "c", parametersJsonSchema: { type: "object", additionalProperties: true } },
          ],
        },
      ],
    });
  });
});
