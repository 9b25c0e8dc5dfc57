import { type JsonObject, type JsonValue, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { digestOf } from "../json/sha256.ts";
import type { Message } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { type ToolDefinition, toolDefinitionSchema } from "../providers/chat-request.ts";

/** What identifies a tool: its name, and its namespace if its provider groups tools into namespaces. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

/** A tool that a tool search found in a part of the thread that a plan hides. */
export interface RevealedTool extends ToolName {
  /** SHA-256 of its input schema as it was when the plan was made. */
  readonly schemaDigest: string;
  /** The definition that the newest hidden search returned, if the host defines no tool of this name. */
  readonly definition?: ToolDefinition;
}

export const revealedToolSchema: z.ZodType<RevealedTool> = z.object({
  name: textSchema,
  namespace: textSchema.exactOptional(),
  schemaDigest: textSchema,
  definition: toolDefinitionSchema.exactOptional(),
});

/** A tool that a tool search found. */
export interface FoundTool extends ToolName {
  /** Absent when the search only named the tool; the request must then define it. */
  readonly definition?: ToolDefinition;
}

/** True for a tool that the provider shows to the model only once a search has found it. */
export const isDeferredTool = ({ providerMetadata = {} }: ToolDefinition): boolean =>
  Object.values(providerMetadata).some((fields) => fields["defer_loading"] === true);

/** Returns the SHA-256 digest of a tool's input schema. */
export const schemaDigestOf = ({ inputSchema }: ToolDefinition): string => digestOf(inputSchema);

/** Returns the name and namespace of a tool as one key, equal for all definitions of the same tool. */
export const toolKey = ({ name, namespace }: ToolName): string => JSON.stringify([namespace ?? null, name]);

/** Returns the name and namespace of a definition. The namespace comes from the provider metadata. */
export function toolNameOf({ name, providerMetadata = {} }: ToolDefinition): ToolName {
  for (const { namespace } of Object.values(providerMetadata)) {
    const own = isObject(namespace) ? namespace["name"] : undefined;
    if (typeof own === "string") return { name, namespace: own };
  }
  return { name };
}

/** Returns the tools that a search by the host or the provider found, in the order in which the message has them. */
export const toolsFoundIn = ({ parts }: Pick<Message, "parts">): readonly FoundTool[] => parts.flatMap(foundInPart);

function foundInPart(part: Part): readonly FoundTool[] {
  if (part.type === "tool-result") {
    const { content } = part.result;
    return content.type === "json" ? listOf(content.value).flatMap(referredTo) : [];
  }
  if (part.type !== "opaque" || !isObject(part.value)) return [];
  const { type, content, tools } = part.value;
  if (type === "tool_search_tool_result" && isObject(content))
    return listOf(content["tool_references"]).flatMap(referredTo);
  return type === "tool_search_output" ? listOf(tools).flatMap((tool) => definedBy(tool, part.provider)) : [];
}

const referredTo = (block: JsonValue): readonly FoundTool[] =>
  isObject(block) && block["type"] === "tool_reference" && typeof block["tool_name"] === "string"
    ? [{ name: block["tool_name"] }]
    : [];

/** Returns what an entry of a search's output defines: one tool, or all tools of a namespace. */
function definedBy(tool: JsonValue, provider: string, namespace?: JsonObject): readonly FoundTool[] {
  if (!isObject(tool)) return [];
  const { type, name, description, parameters, tools, defer_loading: _, ...fields } = tool;
  if (typeof name !== "string" || name === "") return [];
  const described = { name, ...(typeof description === "string" && description !== "" && { description }) };
  if (type === "namespace" && namespace === undefined)
    return listOf(tools).flatMap((one) => definedBy(one, provider, described));
  const own = { ...(type === "custom" && { type }), ...fields, ...(namespace !== undefined && { namespace }) };
  const definition: ToolDefinition = {
    ...described,
    inputSchema: isObject(parameters) ? parameters : { type: "object" },
    ...(Object.keys(own).length > 0 && { providerMetadata: { [provider]: own } }),
  };
  return [{ ...toolNameOf(definition), definition }];
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
