import {
  type AgentThread,
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Message,
  type Part,
  type ToolResultContent,
  toolResultText,
  toSystemText,
} from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";
import { AIMessage, type BaseMessage, type ContentBlock, HumanMessage, SystemMessage, ToolMessage } from "langchain";

type Block = Readonly<Record<string, unknown>>;

/** Content blocks that only repeat what is in `tool_calls`, whole or in pieces. */
const CALL_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_call", "input_json_delta", "tool_call_chunk"]);

/** Fields that LangChain stores next to the content and that a reader of the thread may want to see. */
const KEPT_KWARGS: ReadonlySet<string> = new Set(["reasoning_content"]);

const known = new WeakMap<BaseMessage, JsonObject>();

/**
 * Converts a LangChain message to the form that the live reader for the AI SDK accepts, the only form that has every
 * provider's parts. The same message always becomes the same object, so that a mirror recognizes unchanged messages by
 * identity. Blocks in a provider's own form stay unchanged.
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

/**
 * The speaker's name and the developer role, which the AI SDK's form has no fields for. An answer's name is its agent's
 * and a result's is its tool's: LangChain sets them on each.
 */
function optionsOf({ name, type }: BaseMessage): JsonObject {
  const isSpeaker = type !== "ai" && type !== "tool";
  const openai = {
    ...(name !== undefined && isSpeaker && { name }),
    ...(type === "developer" && { role: "developer" }),
  };
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
      : { type: "content", value: contentParts(content).map(outputBlock) };
  return { type: "tool-result", toolCallId: tool_call_id, toolName: name, output, ...(failed && { isError: true }) };
}

/** In an output the AI SDK names media differently. Pictures in OpenAI's own form are pictures too. */
function outputBlock(part: JsonValue): JsonValue {
  const { type, image, image_url: own, ...more } = Object(part) as JsonObject;
  if (type === "image" && typeof image === "string") return { ...more, type: "image-url", url: image };
  const isPicture = type === "input_image" || type === "computer_screenshot";
  return isPicture && typeof own === "string" ? { type: "image-url", url: own } : part;
}

function contentParts(content: BaseMessage["content"]): readonly JsonValue[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (content as readonly Block[]).filter(({ type }) => !CALL_BLOCKS.has(type)).map(livePart);
}

/** Converts a content block. A block of an unknown type is passed on unchanged. */
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

/** Media in LangChain's standard block form; undefined for other forms, which are specific to a provider. */
function mediaPart({ type, url, data, mimeType, mime_type: mime }: Block): JsonObject | undefined {
  const source = url ?? data;
  if (typeof source !== "string") return undefined;
  const mediaType = mimeType ?? mime;
  const typed = typeof mediaType === "string" ? { mediaType } : {};
  return type === "image" ? { type, image: source, ...typed } : { type: "file", data: source, ...typed };
}

/** What a provider attaches to a block besides its text, such as cache marks and citations. */
function extras(block: Block, fields: readonly string[]): JsonObject {
  const rest = Object.entries(block).filter(([field, value]) => !fields.includes(field) && value !== undefined);
  return rest.length === 0 ? {} : { providerOptions: { langchain: Object.fromEntries(rest) as JsonObject } };
}

/**
 * Returns the messages of a request for LangChain to send. Messages that the plan shows unchanged are the host's own,
 * including everything that core's model has no field for; folded ones are created here.
 *
 * @param hosts the host's list, which the thread mirrors.
 * @param offset position in the conversation of the list's first message.
 */
export function shownMessages(
  { request }: PreparedRequest,
  thread: AgentThread,
  hosts: readonly BaseMessage[],
  offset: number,
): BaseMessage[] {
  return request.messages.map((message) => {
    const source = sourceOf(message, thread);
    const [position] = source === undefined ? [] : livePositions(source);
    const host = position === undefined ? undefined : hosts[position - offset];
    const isUnchanged = message.synthetic === undefined && message.parts === source?.parts;
    return host !== undefined && isUnchanged && !hasInvalidCalls(host) ? host : baseMessage(message, host);
  });
}

/** The only message of the thread that a request message shows; undefined if there are several, or none. */
function sourceOf({ sources: [id, ...others] }: ChatMessage, thread: AgentThread): Message | undefined {
  return id === undefined || others.length > 0 ? undefined : thread.message(id);
}

/** LangChain's packages either drop or send such calls, each in its own way, and the request has results for them. */
const hasInvalidCalls = (message: BaseMessage): boolean =>
  AIMessage.isInstance(message) && (message.invalid_tool_calls ?? []).length > 0;

/** The system message of a request: the host's own when it says the same, because it may have more than its text. */
export function shownSystem({ request }: PreparedRequest, host: SystemMessage): SystemMessage {
  const text = request.system.map((entry) => toSystemText(entry).text).join("\n\n");
  return text === host.text ? host : new SystemMessage(text);
}

/** Blocks in the forms that LangChain's packages for providers read. */
type ProviderBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Converts a message that rendering created or changed to a LangChain message. For unchanged messages the host's own
 * are used instead (see {@link shownMessages}).
 *
 * @param host the host's message that was changed. Providers' packages tell kinds of calls and results by fields of
 *   their own, and a call and its result must stay of one kind.
 */
export function baseMessage({ role, parts }: ChatMessage, host?: BaseMessage): BaseMessage {
  switch (role) {
    case "assistant":
      return assistantMessage(parts, AIMessage.isInstance(host) ? (host.tool_calls ?? []) : []);
    case "tool":
      return toolMessage(parts, ToolMessage.isInstance(host) ? host.additional_kwargs : {});
    case "system":
      return new SystemMessage(contentOf(parts));
    case "user":
      return new HumanMessage(contentOf(parts));
  }
}

/**
 * Calls whose arguments were not JSON are still sent as calls: the request has results with their ids, and each needs
 * its call.
 */
function assistantMessage(parts: readonly Part[], own: NonNullable<AIMessage["tool_calls"]>): AIMessage {
  const calls = parts.filter((part) => part.type === "tool-call");
  return new AIMessage({
    ...contentOf(parts.filter(({ type }) => type !== "tool-call")),
    tool_calls: calls.map(({ callId, toolName, input }) => {
      const args = typeof input === "object" && input !== null && !Array.isArray(input) ? input : { _raw: input };
      return { ...own.find(({ id }) => id === callId), type: "tool_call" as const, id: callId, name: toolName, args };
    }),
  });
}

function toolMessage(parts: readonly Part[], additional_kwargs: ToolMessage["additional_kwargs"]): ToolMessage {
  const part = parts.find(({ type }) => type === "tool-result");
  if (part?.type !== "tool-result") return new ToolMessage({ content: "", tool_call_id: "" });
  const { callId, toolName, outcome, content } = part.result;
  const status = outcome === "failure" ? ("error" as const) : ("success" as const);
  const named = { tool_call_id: callId, name: toolName, status, additional_kwargs };
  if (additional_kwargs["type"] === COMPUTER_OUTPUT)
    return new ToolMessage({ content: screenshotBlocks(content) as unknown as ContentBlock[], ...named });
  if (content.type === "blocks" && content.blocks.some(({ type }) => type !== "text"))
    return new ToolMessage({ ...contentOf(content.blocks), ...named });
  return new ToolMessage({ content: toolResultText(content), ...named });
}

const COMPUTER_OUTPUT = "computer_call_output";

/** A picture of a single pixel that nothing is in. */
const BLANK =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";

/**
 * What answers a call of OpenAI's computer is a picture, whatever else: LangChain sends the first that it finds, and
 * nothing of the text. A picture that was cleared is blank.
 */
function screenshotBlocks(content: ToolResultContent): readonly ProviderBlock[] {
  const blocks =
    content.type === "blocks" ? content.blocks : [{ type: "text" as const, text: toolResultText(content) }];
  const shown = blocks.map((block): ProviderBlock => (block.type === "text" ? pictureIn(block.text) : picture(block)));
  return shown.some(({ type }) => type === "image_url") ? shown : [imageUrl(BLANK), ...shown];
}

const imageUrl = (url: string): ProviderBlock => ({ type: "image_url", image_url: { url } });

const picture = (media: MediaPart): ProviderBlock => {
  const { source } = media;
  if (source.kind === "file-id") return mediaBlock(media);
  return imageUrl(source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`);
};

/** Its own tool returns the address of the picture as text. */
const pictureIn = (text: string): ProviderBlock =>
  /^(?:data:image\/|https?:\/\/)/.test(text) ? imageUrl(text) : { type: "text", text };

/** A single text becomes a string, which every provider's package accepts; anything else becomes a list of blocks. */
function contentOf(parts: readonly Part[]): { content: string | ContentBlock[] } {
  const [first] = parts;
  if (first === undefined) return { content: "" };
  if (parts.length === 1 && first.type === "text" && first.providerMetadata === undefined)
    return { content: first.text };
  return { content: parts.map(blockOf) as ContentBlock[] };
}

function blockOf(part: Part): ProviderBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...part.providerMetadata?.["langchain"] };
    case "reasoning":
      if (part.encrypted !== undefined) return { type: "redacted_thinking", data: part.encrypted };
      return part.signature === undefined
        ? { type: "reasoning", reasoning: part.text }
        : { type: "thinking", thinking: part.text, signature: part.signature };
    case "image":
    case "file":
      return mediaBlock(part);
    case "opaque":
      return part.value as ProviderBlock;
    default:
      return { type: "text", text: "" };
  }
}

function mediaBlock({ type, source }: MediaPart): ProviderBlock {
  const { mediaType: mimeType } = source;
  const typed = mimeType === undefined ? {} : { mimeType };
  switch (source.kind) {
    case "base64":
      return { type, data: source.data, ...typed };
    case "url":
      return { type, url: source.url, ...typed };
    case "file-id":
      return { type, fileId: source.fileId, ...typed };
  }
}
