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
import type {
  InteractionContent,
  InteractionFunction,
  InteractionMedia,
  InteractionRequest,
  InteractionSpeech,
  InteractionStep,
  InteractionThought,
} from "./wire-schema.ts";

/** The whole conversation as a list of steps; the provider stores nothing of it. */
export function lowerRequest({ system, tools, messages }: ChatRequest): InteractionRequest {
  return {
    ...(system.length > 0 && { system_instruction: system.map(systemText).join("\n\n") }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
    input: messages.flatMap(lowerMessage),
    store: false,
  };
}

type Step = InteractionStep | JsonValue;

/** What is said in a row is one step; everything else is a step of its own. */
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

/** What a part says; undefined for one that is no speech. */
function contentOf(part: Part): InteractionContent | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  return part.type === "image" || part.type === "file" ? lowerMedia(part) : undefined;
}

function lowerStep(part: Part): Step {
  switch (part.type) {
    case "reasoning":
      return lowerThought(part);
    case "tool-call":
      // Arguments are objects by now; in a request that nobody made legal, the check says where they are not.
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

/** An object stays one; pictures and documents stand among the texts. */
function lowerBody(content: ToolResultContent): string | JsonObject | readonly InteractionContent[] {
  if (content.type === "blocks")
    return content.blocks.map(
      (block): InteractionContent => (block.type === "text" ? { type: "text", text: block.text } : lowerMedia(block)),
    );
  if (content.type === "json" && isPlainObject(content.value)) return content.value as JsonObject;
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

/** A tool with its schema as JSON Schema, of which the API heeds a part. */
const lowerTool = ({ name, description, inputSchema }: ToolDefinition): InteractionFunction => ({
  type: "function",
  name,
  ...(description !== undefined && description !== "" && { description }),
  parameters: inputSchema.type === undefined ? { type: "object", ...inputSchema } : inputSchema,
});
