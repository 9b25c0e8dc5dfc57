import { type JsonObject, type JsonValue, textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { digestOf } from "../json/sha256.ts";
import type { Message } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { type ToolDefinition, toolDefinitionSchema } from "../providers/chat-request.ts";

/** What tells one tool from another: its name, and the namespace that it is in where its provider groups tools so. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

/** A tool that a search found in a part of the thread that a plan hides. */
export interface RevealedTool extends ToolName {
  /** SHA-256 of its input schema as it was when the plan was made. */
  readonly schemaDigest: string;
  /** The tool as the newest hidden search gave it, where the host defines none of this name: a search of the host's own. */
  readonly definition?: ToolDefinition;
}

export const revealedToolSchema: z.ZodType<RevealedTool> = z.object({
  name: textSchema,
  namespace: textSchema.exactOptional(),
  schemaDigest: textSchema,
  definition: toolDefinitionSchema.exactOptional(),
});

/** A tool that a search found. */
export interface FoundTool extends ToolName {
  /** Absent where the search only names it, and the request has to define it. */
  readonly definition?: ToolDefinition;
}

/** True for a tool that the provider shows to the model only once a search has found it. */
export const isDeferredTool = ({ providerMetadata = {} }: ToolDefinition): boolean =>
  Object.values(providerMetadata).some((fields) => fields["defer_loading"] === true);

/** The fingerprint of a tool's input schema. */
export const schemaDigestOf = ({ inputSchema }: ToolDefinition): string => digestOf(inputSchema);

/** The name and namespace of a tool as one text: equal for definitions of one tool. */
export const toolKey = ({ name, namespace }: ToolName): string => JSON.stringify([namespace ?? null, name]);

/** What a definition is told apart by. Its namespace stands under the name of its provider, with what describes it. */
export function toolNameOf({ name, providerMetadata = {} }: ToolDefinition): ToolName {
  for (const { namespace } of Object.values(providerMetadata)) {
    const own = isObject(namespace) ? namespace["name"] : undefined;
    if (typeof own === "string") return { name, namespace: own };
  }
  return { name };
}

/** The tools that a search of the host's or of the provider found, as a message has them, in their order. */
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

/** What an entry of a search's output defines: a tool, or all that stand in a namespace. */
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
