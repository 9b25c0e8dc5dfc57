import type { ContentBlock, PromptRequest, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import {
  asMessageId,
  type Clock,
  type MediaPart,
  type Message,
  type MessageInput,
  type Part,
  type ToolResultContent,
} from "@threadfold/core";
import { systemClock } from "@threadfold/session";

/**
 * Converts the user's message in a `session/prompt` to a message for `ContextSession.append`: texts and images stay as
 * they are, audio and embedded files become files, embedded texts keep their address, and links become Markdown links.
 *
 * @param clock dates the message. The machine's clock by default.
 */
export function promptMessage({ prompt }: Pick<PromptRequest, "prompt">, clock: Clock = systemClock): MessageInput {
  return {
    id: asMessageId(`prompt-${crypto.randomUUID()}`),
    role: "user",
    createdAt: new Date(clock.now()).toISOString(),
    parts: prompt.map(partOf),
  };
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", source: { kind: "base64", mediaType: block.mimeType, data: block.data } };
    case "audio":
      return { type: "file", source: { kind: "base64", mediaType: block.mimeType, data: block.data } };
    case "resource_link":
      return { type: "text", text: `[${block.name}](${block.uri})` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { type: "text", text: `<context ref="${resource.uri}">\n${resource.text}\n</context>` };
      const mediaType = resource.mimeType ?? "application/octet-stream";
      return { type: "file", name: resource.uri, source: { kind: "base64", mediaType, data: resource.blob } };
    }
  }
}

/**
 * Returns the updates that show a message of a thread: what the user said, what the model said and thought, its calls,
 * and their results. Returns none for system text or for messages that nobody typed, such as reminders.
 */
export function messageUpdates(message: Pick<Message, "id" | "role" | "parts" | "origin">): readonly SessionUpdate[] {
  if (message.origin !== undefined || message.role === "system") return [];
  return message.parts.flatMap((part) => partUpdates(part, message));
}

function partUpdates(part: Part, { id: messageId, role }: Pick<Message, "id" | "role">): readonly SessionUpdate[] {
  switch (part.type) {
    case "text":
    case "image":
    case "file": {
      const content = contentOf(part);
      const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
      return content === undefined ? [] : [{ sessionUpdate, content, messageId }];
    }
    case "reasoning":
      if (part.text === "") return [];
      return [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: part.text }, messageId }];
    case "tool-call":
      return [
        {
          ...{ sessionUpdate: "tool_call", toolCallId: part.callId, title: part.toolName, name: part.toolName },
          ...{ status: "pending", rawInput: part.input },
        },
      ];
    case "tool-result": {
      const { callId: toolCallId, outcome, content } = part.result;
      const status = outcome === "failure" ? "failed" : "completed";
      return [{ sessionUpdate: "tool_call_update", toolCallId, status, content: resultContent(content) }];
    }
    case "opaque":
      return [];
  }
}

function resultContent(content: ToolResultContent): ToolCallContent[] {
  const blocks = content.type === "blocks" ? content.blocks.flatMap((block) => contentOf(block) ?? []) : undefined;
  const said = content.type === "json" ? JSON.stringify(content.value) : content.type === "text" ? content.text : "";
  return (blocks ?? [{ type: "text" as const, text: said }]).map((block) => ({ type: "content", content: block }));
}

/** A part as a content block; undefined for a file that is known only by a provider's id. */
function contentOf(part: Extract<Part, { readonly type: "text" }> | MediaPart): ContentBlock | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source, name } = part;
  if (source.kind === "file-id") return undefined;
  if (source.kind === "url") {
    const mimeType = source.mediaType ?? null;
    return { type: "resource_link", uri: source.url, name: name ?? source.url, mimeType };
  }
  const { mediaType: mimeType, data } = source;
  if (part.type === "image") return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: name ?? "attachment", blob: data, mimeType } };
}
