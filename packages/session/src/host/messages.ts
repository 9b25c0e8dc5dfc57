import {
  asMessageId,
  asToolCallId,
  type MessageInput,
  type Part,
  type Role,
  type ToolResultEnvelope,
} from "@threadfold/core";

/** What a message is given besides its content. */
export interface MessageNames {
  /** Its name in the thread; appending the same one again changes nothing. A random one by default. */
  readonly id?: string;
  /** When it was said, as an ISO 8601 time. Now by default. */
  readonly createdAt?: string;
}

/** A text as a part of a message. */
export const text = (words: string): Part => ({ type: "text", text: words });

/** A message of the user: a text, or parts such as texts and pictures. */
export const userMessage = (content: string | readonly Part[], names?: MessageNames): MessageInput =>
  messageOf("user", typeof content === "string" ? [text(content)] : content, names);

/** A message of the model: a text, or parts such as texts and calls of tools. */
export const assistantMessage = (content: string | readonly Part[], names?: MessageNames): MessageInput =>
  messageOf("assistant", typeof content === "string" ? [text(content)] : content, names);

/** What a tool answered: the call, and its answer as a text or as structured content. It succeeded unless `outcome` says otherwise. */
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
