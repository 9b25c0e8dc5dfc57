import {
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type MediaSource,
  type Part,
  type ProviderMetadata,
  type SystemEntry,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultContent,
  toolResultText,
} from "@threadfold/core";
import { isFreeTextCall } from "../../neutral/draft.ts";
import { systemMessages, systemRole } from "../../neutral/split-system.ts";
import { argumentsText, openaiSchema, providerFields } from "../provider-fields.ts";

/**
 * Fields that the API, or a server that speaks it, accepts on messages and on each kind of part besides their content:
 * OpenAI's prompt cache breakpoints and detail levels (`openai`, request types), what Gemini's compatible endpoint
 * requires back on a call, and what routers want back beside an answer to continue the thoughts of any provider.
 */
const PART_FIELDS = {
  message: ["name"],
  answer: ["name", "reasoning_details", "thinking_blocks", "annotations"],
  text: ["prompt_cache_breakpoint"],
  image: ["detail"],
  media: ["prompt_cache_breakpoint"],
  call: ["extra_content"],
  tool: ["strict"],
} as const;

/** Returns the fields that came with a message or part when the thread was imported. */
const partFields = (metadata: ProviderMetadata | undefined, kind: keyof typeof PART_FIELDS): JsonObject =>
  providerFields(metadata, "openai", PART_FIELDS[kind]);

/** Checks for the text of a refusal, which importers keep as text with a marker. */
export const isRefusal = (metadata: ProviderMetadata | undefined): boolean => metadata?.openai?.refusal === true;

/**
 * Returns the reference to an answer's audio that stands for its text. Audio that the log itself has is sent as its
 * words: the provider forgets it soon, and its record says when.
 */
export function audioOf({ providerMetadata }: TextPart): JsonObject | undefined {
  const audio = providerMetadata?.openai?.audio;
  if (typeof audio !== "object" || audio === null || Array.isArray(audio)) return undefined;
  const { id, expires_at: expiry } = audio as JsonObject;
  return typeof id === "string" && expiry === undefined ? { id } : undefined;
}

export const lowerTool = ({ name, description, inputSchema, providerMetadata }: ToolDefinition): JsonObject => ({
  type: "function",
  function: {
    name,
    ...(description !== undefined && description !== "" && { description }),
    parameters: openaiSchema(inputSchema),
    ...partFields(providerMetadata, "tool"),
  },
});

/** Lowers one text to a string, several to a list of text parts: joining them would change what was said. */
function lowerTexts(parts: readonly Part[]): JsonValue {
  const texts = parts.filter((part) => part.type === "text");
  const [first] = texts;
  if (first === undefined) return "";
  const only = texts.length === 1 ? lowerText(first) : undefined;
  return only !== undefined && Object.keys(only).length === 2 ? first.text : texts.map(lowerText);
}

/** Lowers a text to a separate part, with the cache breakpoint that it came with. */
const lowerText = ({ text, providerMetadata }: TextPart): JsonObject => ({
  type: "text",
  text,
  ...partFields(providerMetadata, "text"),
});

/** The API's names of audio formats. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = { "audio/wav": "wav", "audio/mp3": "mp3" };

/** Lowers an image, document or audio in a user message, with the cache breakpoint that it came with. */
const lowerMedia = (part: MediaPart): JsonObject => ({
  ...lowerBare(part),
  ...partFields(part.providerMetadata, "media"),
});

function lowerBare({ type, source, name, providerMetadata }: MediaPart): JsonObject {
  if (type === "image")
    return { type: "image_url", image_url: { url: urlOf(source), ...partFields(providerMetadata, "image") } };
  const format = source.kind === "base64" ? AUDIO_FORMATS[source.mediaType] : undefined;
  if (source.kind === "base64" && format !== undefined)
    return { type: "input_audio", input_audio: { data: source.data, format } };
  if (source.kind === "file-id")
    return { type: "file", file: { file_id: source.fileId, ...(name !== undefined && { filename: name }) } };
  return { type: "file", file: { filename: name ?? "document", file_data: urlOf(source) } };
}

function urlOf(source: MediaSource): string {
  switch (source.kind) {
    case "base64":
      return `data:${source.mediaType};base64,${source.data}`;
    case "url":
      return source.url;
    case "file-id":
      return source.fileId;
  }
}

/** Lowers one message to one message. */
export function lowerMessage(message: ChatMessage): JsonObject {
  switch (message.role) {
    case "assistant":
      return lowerAssistant(message);
    case "tool":
      return lowerResult(message);
    case "user":
    case "system":
      return lowerSpeech(message);
  }
}

/** Lowers system texts to the first messages. */
export const lowerSystem = (system: readonly SystemEntry[]): readonly JsonObject[] =>
  systemMessages(system).map((texts) => {
    const [first] = texts;
    return {
      role: first?.role ?? "system",
      content: lowerTexts(texts.map((text) => ({ type: "text", ...text }))),
      ...partFields(first?.providerMetadata, "message"),
    };
  });

/** Lowers a user or system message: a single text to a string, more to a list. */
function lowerSpeech({ role: speaker, parts, providerMetadata }: ChatMessage): JsonObject {
  const role = speaker === "system" ? (systemRole(providerMetadata) ?? speaker) : speaker;
  const name = partFields(providerMetadata, "message");
  const hasMedia = parts.some((part) => part.type === "image" || part.type === "file");
  if (!hasMedia) return { role, content: lowerTexts(parts), ...name };
  const content = parts.flatMap((part): readonly JsonValue[] => {
    if (part.type === "text") return [lowerText(part)];
    return part.type === "image" || part.type === "file" ? [lowerMedia(part)] : [];
  });
  return { role, content, ...name };
}

/** Content is null if there are only calls or audio. Opaque items have no place here; reasoning is a field, if sent. */
function lowerAssistant({ parts, providerMetadata }: ChatMessage): JsonObject {
  const calls = parts.filter((part) => part.type === "tool-call");
  const texts = parts.filter((part) => part.type === "text");
  const refusals = texts.flatMap((part) => (isRefusal(part.providerMetadata) ? [part.text] : []));
  const [audio] = texts.flatMap((part) => audioOf(part) ?? []);
  const isSaid = (part: TextPart) => !isRefusal(part.providerMetadata) && audioOf(part) === undefined;
  const text = lowerTexts(texts.filter(isSaid));
  return {
    role: "assistant",
    content: contentOf(text, refusals, calls.length > 0 || audio !== undefined),
    ...partFields(providerMetadata, "answer"),
    ...(refusals.length > 0 && text !== "" && { refusal: refusals.join("\n") }),
    ...(audio !== undefined && { audio }),
    ...reasoningField(parts),
    ...(calls.length > 0 && { tool_calls: calls.map(lowerCall) }),
  };
}

/** Without other text, a refusal is the only part of the content; next to other text it is a field of the message. */
function contentOf(text: JsonValue, refusals: readonly string[], hasMore: boolean): JsonValue {
  if (text !== "") return text;
  if (refusals.length > 0) return [{ type: "refusal", refusal: refusals.join("\n") }];
  return hasMore ? null : text;
}

/** Reasoning that a server of open models sent as text is sent back in the field that it came in. */
function reasoningField(parts: ChatMessage["parts"]): JsonObject {
  const reasoning = parts.flatMap((part) => (part.type === "reasoning" && part.text !== "" ? [part] : []));
  const [first] = reasoning;
  if (first === undefined) return {};
  const field = first.providerMetadata?.openai?.field === "reasoning" ? "reasoning" : "reasoning_content";
  return { [field]: reasoning.map(({ text }) => text).join("\n") };
}

function lowerCall(part: ToolCallPart): JsonObject {
  const { callId: id, toolName: name, providerMetadata } = part;
  const more = partFields(providerMetadata, "call");
  if (isFreeTextCall(part)) return { id, type: "custom", custom: { name, input: freeText(part) }, ...more };
  return { id, type: "function", function: { name, arguments: argumentsText(part, null) }, ...more };
}

/** A cleared input is wrapped in an object under `_raw`. */
function freeText({ input }: ToolCallPart): string {
  const raw = typeof input === "object" && input !== null && "_raw" in input ? input._raw : input;
  return typeof raw === "string" ? raw : JSON.stringify(raw);
}

/** Lowers a result to text. */
function lowerResult({ parts }: ChatMessage): JsonObject {
  const [part] = parts;
  if (part?.type !== "tool-result") return { role: "tool", content: "" };
  return { role: "tool", tool_call_id: part.result.callId, content: lowerContent(part.result.content) };
}

/** Texts that include a cache breakpoint stay a list. */
function lowerContent(content: ToolResultContent): JsonValue {
  const texts = content.type === "blocks" ? content.blocks.filter((block) => block.type === "text") : [];
  const isMarked = texts.some((text) => text.providerMetadata?.openai?.prompt_cache_breakpoint !== undefined);
  return isMarked ? lowerTexts(texts) : toolResultText(content);
}
