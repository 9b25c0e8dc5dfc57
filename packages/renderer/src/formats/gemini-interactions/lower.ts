import {
  type ChatMessage,
  type ChatRequest,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Part,
  type ReasoningPart,
  systemText,
  type ToolDefinition,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { isPlainObject } from "../../legality/legality-rule.ts";
import { hasReference } from "../gemini/lower.ts";
import { objectSchema } from "../provider-fields.ts";
import type {
  InteractionContent,
  InteractionFunction,
  InteractionMedia,
  InteractionRequest,
  InteractionSpeech,
  InteractionStep,
  InteractionThought,
} from "./wire-schema.ts";

/** Lowers the whole conversation to a list of steps; the provider stores nothing. */
export function lowerRequest({ system, tools, messages }: ChatRequest): InteractionRequest {
  return {
    ...(system.length > 0 && { system_instruction: system.map(systemText).join("\n\n") }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    input: messages.flatMap(lowerMessage),
    store: false,
  };
}

type Step = InteractionStep | JsonValue;

/** Lowers consecutive texts and media to one step, and every other part to its own step. */
function lowerMessage({ role, parts }: ChatMessage): readonly Step[] {
  const steps: Step[] = [];
  let open: (InteractionSpeech & { readonly content: InteractionContent[] }) | undefined;
  for (const part of parts) {
    const said = contentOf(part);
    if (said === undefined) {
      steps.push(lowerStep(part));
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { type: role === "assistant" ? "model_output" : "user_input", content: [] };
      steps.push(open);
    }
    open.content.push(said);
  }
  return steps;
}

/** Returns a text or media part as content; undefined for any other part. */
function contentOf(part: Part): InteractionContent | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  return part.type === "image" || part.type === "file" ? lowerMedia(part) : undefined;
}

function lowerStep(part: Part): Step {
  switch (part.type) {
    case "reasoning":
      return lowerThought(part);
    case "tool-call":
      // Arguments are objects by now; in a request that was never made legal, the check reports where they are not.
      return { type: "function_call", id: part.callId, name: part.toolName, arguments: part.input as JsonObject };
    case "tool-result":
      return lowerResult(part);
    case "opaque":
      return part.value;
    default:
      return null;
  }
}

const lowerThought = ({ text, signature = "" }: ReasoningPart): InteractionThought => ({
  type: "thought",
  signature,
  ...(text !== "" && { summary: [{ type: "text", text }] }),
});

const lowerResult = ({ result: { callId, toolName, outcome, content } }: ToolResultPart): InteractionStep => ({
  type: "function_result",
  call_id: callId,
  name: toolName,
  result: lowerBody(content),
  ...(outcome === "failure" && { is_error: true }),
});

/** An object stays one, unless it has a reference; images and documents keep their place among the texts. */
function lowerBody(content: ToolResultContent): string | JsonObject | readonly InteractionContent[] {
  if (content.type === "blocks")
    return content.blocks.map(
      (block): InteractionContent => (block.type === "text" ? { type: "text", text: block.text } : lowerMedia(block)),
    );
  if (content.type === "json" && isPlainObject(content.value) && !hasReference(content.value as JsonObject))
    return content.value as JsonObject;
  return toolResultText(content);
}

function lowerMedia({ type, source }: MediaPart): InteractionMedia {
  const mediaType = source.kind === "file-id" ? undefined : source.mediaType;
  const kind = type === "image" ? type : kindOf(mediaType);
  const place =
    source.kind === "base64" ? { data: source.data } : { uri: source.kind === "url" ? source.url : source.fileId };
  return { type: kind, ...place, ...(mediaType !== undefined && { mime_type: mediaType }) };
}

function kindOf(mediaType = ""): InteractionMedia["type"] {
  if (mediaType.startsWith("audio/")) return "audio";
  return mediaType.startsWith("video/") ? "video" : "document";
}

/** Lowers a tool, with its schema as JSON Schema, which the API respects in part. */
const lowerTool = ({ name, description, inputSchema }: ToolDefinition): InteractionFunction => ({
  type: "function",
  name,
  ...(description !== undefined && description !== "" && { description }),
  parameters: objectSchema(inputSchema),
});
