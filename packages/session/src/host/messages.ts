import {
  asMessageId,
  asToolCallId,
  type MessageInput,
  type Part,
  type Role,
  type ToolResultEnvelope,
} from "@threadfold/core";

/** Id and time of a message. */
export interface MessageNames {
  /** Its id in the thread; appending the same message again changes nothing. A random id by default. */
  readonly id?: string;
  /** When it was said, as an ISO 8601 time. Now by default. */
  readonly createdAt?: string;
}

/** Returns a text part of a message. */
export const text = (words: string): Part => ({ type: "text", text: words });

/** Returns a user message: a text, or parts such as texts and images. */
export const userMessage = (content: string | readonly Part[], names?: MessageNames): MessageInput =>
  messageOf("user", typeof content === "string" ? [text(content)] : content, names);

/** Returns an assistant message: a text, or parts such as texts and tool calls. */
export const assistantMessage = (content: string | readonly Part[], names?: MessageNames): MessageInput =>
  messageOf("assistant", typeof content === "string" ? [text(content)] : content, names);

/**
 * Returns a message with a tool's result for a call, as text or structured content. `outcome` is `success` by default.
 */
export function toolMessage(
  { callId, toolName }: { readonly callId: string; readonly toolName: string },
  answer: string | ToolResultEnvelope["content"],
  { outcome = "success", ...names }: MessageNames & { readonly outcome?: ToolResultEnvelope["outcome"] } = {},
): MessageInput {
  const content = typeof answer === "string" ? { type: "text" as const, text: answer } : answer;
  return messageOf(
    "tool",
    [{ type: "tool-result", result: { callId: asToolCallId(callId), toolName, outcome, content } }],
    names,
  );
}

function messageOf(role: Role, parts: readonly Part[], { id, createdAt }: MessageNames = {}): MessageInput {
  return {
    id: asMessageId(id ?? globalThis.crypto.randomUUID()),
    role,
    createdAt: createdAt ?? new Date().toISOString(),
    parts,
  };
}
