import type { AgentInputItem } from "@openai/agents";
import {
  type AgentThread,
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type Part,
  type Role,
  type TextPart,
  toolResultText,
  toSystemText,
} from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";

/** What the model is sent instead of the run's own input. */
export interface ShownInput {
  readonly input: AgentInputItem[];
  /** Set when they differ from the agent's, for example because the thread adds to them. */
  readonly instructions?: string;
}

/** What the host has: the items that the thread mirrors, and the agent's instructions. */
interface HostInput {
  readonly items: readonly AgentInputItem[];
  /** Position in the conversation of the first item. */
  readonly offset: number;
  readonly instructions: string | undefined;
}

/**
 * Returns the input of a request. Messages that the plan shows unchanged are the host's own items; folded ones are
 * created here.
 */
export function shownInput({ request }: PreparedRequest, thread: AgentThread, host: HostInput): ShownInput {
  const input = request.messages.flatMap((message) => ownItems(message, thread, host) ?? agentItems(message));
  const instructions = request.system.map((entry) => toSystemText(entry).text).join("\n\n");
  return instructions === (host.instructions ?? "") ? { input } : { input, instructions };
}

/** The host's items for a message that rendering left unchanged. */
function ownItems(
  { sources, synthetic, parts }: ChatMessage,
  thread: AgentThread,
  { items, offset }: HostInput,
): readonly AgentInputItem[] | undefined {
  const [id, ...others] = sources;
  if (synthetic !== undefined || id === undefined || others.length > 0) return undefined;
  const message = thread.message(id);
  if (message?.parts !== parts) return undefined;
  const own = livePositions(message).map((position) => items[position - offset]);
  return own.length === 0 || own.includes(undefined) ? undefined : (own as readonly AgentInputItem[]);
}

type Said = TextPart | MediaPart;

/** Converts a message that rendering created or changed to items of the Agents SDK. */
function agentItems({ role, parts }: ChatMessage): AgentInputItem[] {
  const items: AgentInputItem[] = [];
  let said: Said[] = [];
  const flush = () => {
    if (said.length > 0) items.push(spoken(role, said));
    said = [];
  };
  for (const part of parts) {
    if (isSaid(part)) said.push(part);
    else {
      flush();
      items.push(itemOf(part));
    }
  }
  flush();
  return items;
}

const isSaid = (part: Part): part is Said => part.type === "text" || part.type === "image" || part.type === "file";

function spoken(role: Role, said: readonly Said[]): AgentInputItem {
  const text = said.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  if (role === "system") return { role: "system", content: text };
  if (role === "user") return { role: "user", content: said.map(contentOf) };
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

function contentOf(part: Said) {
  if (part.type === "text") return { type: "input_text" as const, text: part.text };
  const { source, name } = part;
  const place = source.kind === "file-id" ? { id: source.fileId } : addressOf(source);
  if (part.type === "image") return { type: "input_image" as const, image: place };
  return { type: "input_file" as const, file: place, ...(name !== undefined && { filename: name }) };
}

const addressOf = (source: Exclude<MediaPart["source"], { readonly kind: "file-id" }>): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;

function itemOf(part: Exclude<Part, Said>): AgentInputItem {
  switch (part.type) {
    case "tool-call": {
      const { callId, toolName, input, invalidInput, providerMetadata } = part;
      const args = invalidInput ?? (typeof input === "string" ? input : JSON.stringify(input));
      const named = { name: toolName, ...namespaceOf(providerMetadata?.["openai"] ?? {}) };
      return { type: "function_call", callId, ...named, arguments: args, status: "completed" };
    }
    case "tool-result": {
      const { callId, toolName, content } = part.result;
      const hasMedia = content.type === "blocks" && content.blocks.some(({ type }) => type !== "text");
      const output = hasMedia ? content.blocks.map(contentOf) : toolResultText(content);
      return { type: "function_call_result", callId, name: toolName, status: "completed", output };
    }
    case "reasoning":
      return {
        type: "reasoning",
        content: part.text === "" ? [] : [{ type: "input_text", text: part.text }],
        ...(part.encrypted !== undefined && { providerData: { encrypted_content: part.encrypted } }),
      };
    case "opaque":
      return part.value as AgentInputItem;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The group of tools that a call's tool belongs to. */
const namespaceOf = ({ namespace }: Fields): { readonly namespace?: string } =>
  typeof namespace === "string" ? { namespace } : {};

/**
 * Converts an item of the Agents SDK to the wire form of the Responses API, for the live reader of that format. Tool
 * items that the reader has no part for, such as a shell or a computer, are passed on whole and unchanged. Ids are left
 * out: the SDK does not set them consistently on the same item, and what is sent unchanged is the host's own item.
 */
export function liveItem(item: AgentInputItem): JsonObject {
  const fields = item as Fields;
  switch (fields["type"] ?? "message") {
    case "message":
      return { type: "message", role: `${fields["role"]}`, content: liveContent(fields["content"]) };
    case "function_call":
      return {
        type: "function_call",
        call_id: `${fields["callId"]}`,
        name: `${fields["name"]}`,
        ...namespaceOf(fields),
        arguments: `${fields["arguments"]}`,
      };
    case "function_call_result":
      return {
        type: "function_call_output",
        call_id: `${fields["callId"]}`,
        name: `${fields["name"]}`,
        output: liveOutput(fields["output"]),
      };
    case "reasoning":
      return liveReasoning(fields);
    default:
      return fields as JsonObject;
  }
}

const liveContent = (content: unknown): JsonValue =>
  Array.isArray(content) ? content.map(livePart) : `${content ?? ""}`;

function livePart(part: Fields): JsonValue {
  switch (part["type"]) {
    case "input_image":
      return { type: "input_image", ...placeOf(part["image"], "image_url"), ...detailOf(part) };
    case "input_file":
      return { type: "input_file", ...placeOf(part["file"], "file_url"), ...nameOf(part) };
    case "input_text":
    case "output_text":
      return { type: part["type"], text: `${part["text"]}` };
    default:
      return part as JsonObject;
  }
}

/** The location of the data: an uploaded file, a URL, or the data itself. */
function placeOf(place: unknown, field: "image_url" | "file_url"): JsonObject {
  if (typeof place !== "string") {
    const { id, url } = (place ?? {}) as Fields;
    return typeof id === "string" ? { file_id: id } : typeof url === "string" ? { [field]: url } : {};
  }
  const isFileData = field === "file_url" && !/^https?:/.test(place);
  return { [isFileData ? "file_data" : field]: place };
}

const detailOf = ({ detail }: Fields): JsonObject => (typeof detail === "string" ? { detail } : {});
const nameOf = ({ filename }: Fields): JsonObject => (typeof filename === "string" ? { filename } : {});

/** A text, a list of content, or a single object in the form that older versions of the SDK write. */
function liveOutput(output: unknown): JsonValue {
  if (Array.isArray(output)) return output.map(livePart);
  const { type, text } = (output ?? {}) as Fields;
  return type === "text" ? `${text}` : (output as JsonValue);
}

function liveReasoning(fields: Fields): JsonObject {
  const data = (fields["providerData"] ?? {}) as Fields;
  const encrypted = data["encryptedContent"] ?? data["encrypted_content"];
  const summary = ((fields["content"] ?? []) as readonly Fields[]).map(({ text }) => ({
    type: "summary_text",
    text: `${text}`,
  }));
  const proof = typeof encrypted === "string" ? { encrypted_content: encrypted } : {};
  return { type: "reasoning", summary, ...proof };
}
