import { z } from "zod";
import { type JsonObject, type JsonValue, textSchema } from "../json/json-value.ts";
import { digestOf } from "../json/sha256.ts";
import type { Message } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import type { ToolDefinition } from "../providers/chat-request.ts";

/** A tool whose definition is loaded when a search finds it, and that was found in a part of the thread that a plan hides. */
export interface RevealedTool {
  readonly name: string;
  /** SHA-256 of its input schema as it was when the plan was made. */
  readonly schemaDigest: string;
}

export const revealedToolSchema: z.ZodType<RevealedTool> = z.object({ name: textSchema, schemaDigest: textSchema });

/** True for a tool that the provider shows to the model only once a search has found it. */
export const isDeferredTool = ({ providerMetadata = {} }: ToolDefinition): boolean =>
  Object.values(providerMetadata).some((fields) => fields["defer_loading"] === true);

/** The fingerprint of a tool's input schema. */
export const schemaDigestOf = ({ inputSchema }: ToolDefinition): string => digestOf(inputSchema);

/** Names of the tools that a search of the host's or of the provider found, as a message has them. */
export const revealedToolNames = ({ parts }: Pick<Message, "parts">): readonly string[] =>
  parts.flatMap((part) => blocksOf(part).flatMap(nameIn));

function blocksOf(part: Part): readonly JsonValue[] {
  if (part.type === "tool-result") {
    const { content } = part.result;
    return content.type === "json" ? listOf(content.value) : [];
  }
  if (part.type !== "opaque" || !isObject(part.value)) return [];
  const { type, content, tools } = part.value;
  if (type === "tool_search_tool_result" && isObject(content)) return listOf(content["tool_references"]);
  return type === "tool_search_output"
    ? listOf(tools).map((tool) => ({ type: REFERENCE, tool_name: nameOf(tool) }))
    : [];
}

const REFERENCE = "tool_reference";

const nameIn = (block: JsonValue): readonly string[] =>
  isObject(block) && block["type"] === REFERENCE && typeof block["tool_name"] === "string" ? [block["tool_name"]] : [];

const nameOf = (tool: JsonValue): JsonValue => (isObject(tool) ? (tool["name"] ?? null) : null);

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
