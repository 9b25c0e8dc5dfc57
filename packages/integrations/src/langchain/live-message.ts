import type { JsonObject, JsonValue } from "@threadfold/core";
import type { AIMessage, BaseMessage, ToolMessage } from "langchain";

type Block = Readonly<Record<string, unknown>>;

/** Blocks in a content that only repeat what stands in `tool_calls`, whole or in pieces. */
const CALL_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "input_json_delta", "tool_call_chunk"]);

/** What LangChain keeps beside the content that a reader of the thread may want to know. */
const KEPT_KWARGS: ReadonlySet<string> = new Set(["reasoning_content"]);

const known = new WeakMap<BaseMessage, JsonObject>();

/**
 * A message of LangChain in the form that the live reader for the AI SDK takes, which is the one form that has every
 * provider's parts. The same message gives the same object, so that a mirror sees at once that nothing changed. Blocks in
 * a provider's own form stay what they are.
 */
export function liveMessage(message: BaseMessage): JsonObject {
  const before = known.get(message);
  if (before !== undefined) return before;
  const live = converted(message);
  known.set(message, live);
  return live;
}

function converted(message: BaseMessage): JsonObject {
  const named = { ...(message.id !== undefined && { id: message.id }), ...optionsOf(message) };
  switch (message.type) {
    case "ai":
      return { ...named, role: "assistant", content: assistantContent(message as AIMessage) };
    case "tool":
      return { ...named, role: "tool", content: [resultPart(message as ToolMessage)] };
    case "system":
    case "developer":
      return { ...named, role: "system", content: contentParts(message.content) };
    default:
      return { ...named, role: "user", content: contentParts(message.content) };
  }
}

/** Who speaks, where LangChain has a name for it. */
function optionsOf({ name, type }: BaseMessage): JsonObject {
  const openai = { ...(name !== undefined && { name }), ...(type === "developer" && { role: "developer" }) };
  return Object.keys(openai).length === 0 ? {} : { providerOptions: { openai } };
}

function assistantContent(message: AIMessage): readonly JsonValue[] {
  const { tool_calls: calls = [], invalid_tool_calls: invalid = [], additional_kwargs } = message;
  const thoughts = Object.entries(additional_kwargs).flatMap(([field, text]) =>
    KEPT_KWARGS.has(field) && typeof text === "string" && text !== ""
      ? [{ type: "reasoning", text, providerOptions: { openai: { field } } }]
      : [],
  );
  return [
    ...thoughts,
    ...contentParts(message.content),
    ...calls.map(({ id = "", name, args }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: args as JsonObject,
    })),
    ...invalid.map(({ id = "", name = "", args = "" }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: args,
    })),
  ];
}

function resultPart({ content, tool_call_id, name = "", status }: ToolMessage): JsonObject {
  const failed = status === "error";
  const output: JsonObject =
    typeof content === "string"
      ? { type: failed ? "error-text" : "text", value: content }
      : { type: "content", value: contentParts(content) };
  return { type: "tool-result", toolCallId: tool_call_id, toolName: name, output, ...(failed && { isError: true }) };
}

function contentParts(content: BaseMessage["content"]): readonly JsonValue[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content as readonly Block[]).filter(({ type }) => !CALL_BLOCKS.has(type)).map(livePart);
}

/** A block of a content. What is of no known kind goes along as it is. */
function livePart(block: Block): JsonValue {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: `${block["text"]}`, ...extras(block, ["type", "text", "index"]) };
    case "thinking":
      return reasoning(`${block["thinking"]}`, { signature: block["signature"] });
    case "redacted_thinking":
      return reasoning("", { redactedData: block["data"] });
    case "reasoning":
      return {
        type: "reasoning",
        text: `${block["reasoning"] ?? ""}`,
        ...extras(block, ["type", "reasoning", "index"]),
      };
    case "image_url":
      return { type: "image", image: urlIn(block["image_url"]) };
    case "image":
    case "file":
      return mediaPart(block) ?? (block as JsonObject);
    default:
      return block as JsonObject;
  }
}

const reasoning = (text: string, proof: Block): JsonObject => ({
  type: "reasoning",
  text,
  providerOptions: { anthropic: proof as JsonObject },
});

function urlIn(value: unknown): string {
  return typeof value === "string" ? value : `${(value as Block | undefined)?.["url"] ?? ""}`;
}

/** Media as LangChain's standard blocks have them; other forms are their provider's. */
function mediaPart({ type, url, data, mimeType, mime_type: mime }: Block): JsonObject | undefined {
  const source = url ?? data;
  if (typeof source !== "string") return undefined;
  const mediaType = mimeType ?? mime;
  const typed = typeof mediaType === "string" ? { mediaType } : {};
  return type === "image" ? { type, image: source, ...typed } : { type: "file", data: source, ...typed };
}

/** What a provider says of a block beside its text, such as cache marks and citations. */
function extras(block: Block, fields: readonly string[]): JsonObject {
  const rest = Object.entries(block).filter(([field, value]) => !fields.includes(field) && value !== undefined);
  return rest.length === 0 ? {} : { providerOptions: { langchain: Object.fromEntries(rest) as JsonObject } };
}
