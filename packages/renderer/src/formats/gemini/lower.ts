import {
  type ChatMessage,
  type ChatRequest,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Part,
  systemText,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { objectSchema } from "../provider-fields.ts";
import type {
  GeminiContent,
  GeminiFunctionCall,
  GeminiFunctionDeclaration,
  GeminiFunctionResponse,
  GeminiMedia,
  GeminiPart,
  GeminiRequest,
} from "./wire-schema.ts";

/** Lowers a request. Each system text is a part of the instruction; all functions are one tool. */
export function lowerRequest({ system, tools, messages }: ChatRequest): GeminiRequest {
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((entry) => ({ text: systemText(entry) })) } }),
    contents: lowerContents(messages),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(lowerTool) }] }),
  };
}

interface OpenContent extends GeminiContent {
  readonly isResponse: boolean;
  readonly parts: (GeminiPart | JsonValue)[];
}

/**
 * Lowers messages, joining consecutive messages of one side: a turn of calls comes directly after a turn of the user,
 * and all responses to it form one turn with nothing else in it (W14). More of a turn only adds to its end.
 */
function lowerContents(messages: readonly ChatMessage[]): readonly GeminiContent[] {
  const contents: OpenContent[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const isResponse = message.role === "tool";
    const last = contents.at(-1);
    const open =
      last?.role === role && last.isResponse === isResponse
        ? last
        : { role, isResponse, parts: [] as OpenContent["parts"] };
    if (open !== last) contents.push(open as OpenContent);
    for (const part of message.parts) open.parts.push(lowerPart(part, message));
  }
  return contents.map(({ role, parts }) => ({ role, parts }));
}

/** Lowers one part to one part. */
function lowerPart(part: Part, message: ChatMessage): GeminiPart | JsonValue {
  switch (part.type) {
    case "text":
      return { text: part.text, ...thoughtSignature(part, message) };
    case "reasoning":
      return { text: part.text, thought: true, ...thoughtSignature(part, message) };
    case "image":
    case "file":
      return lowerMedia(part);
    case "tool-call":
      return lowerCall(part, message);
    case "tool-result":
      return lowerResult(part);
    case "opaque":
      return part.value;
  }
}

/** Lowers an image or document to its bytes or its location. A file id is its URI. */
function lowerMedia({ source }: MediaPart): GeminiMedia {
  switch (source.kind) {
    case "base64":
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case "url":
      return { fileData: { mimeType: source.mediaType ?? UNKNOWN, fileUri: source.url } };
    case "file-id":
      return { fileData: { mimeType: source.mediaType ?? UNKNOWN, fileUri: source.fileId } };
  }
}

const UNKNOWN = "application/octet-stream";

function lowerCall(part: ToolCallPart, message: ChatMessage): GeminiFunctionCall {
  const { callId, toolName, input } = part;
  // Arguments are objects by now; in a request that was never made legal, the check reports where they are not.
  return {
    functionCall: { id: callId, name: toolName, args: input as JsonObject },
    ...thoughtSignature(part, message),
  };
}

function lowerResult({ result }: ToolResultPart): GeminiFunctionResponse {
  const said = saidBy(result.content);
  const parts = mediaOf(result.content);
  return {
    functionResponse: {
      id: result.callId,
      name: result.toolName,
      response: result.outcome === "failure" ? { error: said } : { output: said },
      ...(parts.length > 0 && { parts }),
    },
  };
}

/** JSON stays JSON, unless it has a reference; media go next to the text. */
function saidBy(content: ToolResultContent): JsonValue {
  if (content.type === "json" && !hasReference(content.value)) return content.value;
  if (content.type !== "blocks") return toolResultText(content);
  return content.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/**
 * Checks for a `$ref` key, as in a JSON Schema: in a result, Gemini takes its value for the name of an image or document
 * next to the text, and rejects the request when there is none.
 */
export const hasReference = (value: JsonValue): boolean => JSON.stringify(value).includes('"$ref":');

const mediaOf = (content: ToolResultContent): readonly GeminiMedia[] =>
  content.type === "blocks"
    ? content.blocks.flatMap((block) => (block.type === "text" ? [] : [lowerMedia(block)]))
    : [];

/** Replaces the signature in history that Gemini did not write as shown: by another model, or changed by a fold. */
const SKIP_SIGNATURE = "skip_thought_signature_validator";

/**
 * Returns the signature that a part is sent with: its own if its message is unchanged (thoughts keep theirs, because a
 * fold leaves them out whole or not at all); else, on the first call of a step, the marker that tells Gemini to skip
 * validation (W15). Later calls of a parallel batch have none.
 */
function thoughtSignature(part: Part, { parts, synthetic }: ChatMessage): { readonly thoughtSignature?: string } {
  const isAsItCame = synthetic === undefined || part.type === "reasoning";
  const signature = isAsItCame ? ownSignature(part) : undefined;
  if (signature !== undefined) return { thoughtSignature: signature };
  const isFirstCall = part.type === "tool-call" && part === parts.find(({ type }) => type === "tool-call");
  return isFirstCall ? { thoughtSignature: SKIP_SIGNATURE } : {};
}

function ownSignature(part: Part): string | undefined {
  if (part.type === "opaque") return undefined;
  if (part.type === "reasoning") return part.signature;
  const metadata = part.providerMetadata?.["google"];
  const signature = metadata?.["thoughtSignature"] ?? metadata?.["textSignature"];
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

/**
 * Lowers a tool. Its schema is sent as JSON Schema, which the API accepts in full and respects in part; its older
 * `parameters` field rejects anything that is not OpenAPI. A function without parameters has no schema.
 */
const lowerTool = ({ name, description, inputSchema }: ToolDefinition): GeminiFunctionDeclaration => ({
  name,
  ...(description !== undefined && description !== "" && { description }),
  ...(!takesNothing(inputSchema) && {
    parametersJsonSchema: objectSchema(inputSchema),
  }),
});

function takesNothing({ type: _type, $schema: _schema, ...schema }: JsonObject): boolean {
  return Object.values(schema).every((value) => value !== true && Object.keys(Object(value)).length === 0);
}
