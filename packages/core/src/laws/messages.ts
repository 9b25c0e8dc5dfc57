import type { JsonValue } from "../json/json-value.ts";
import { asMessageId, asThreadId, asToolCallId } from "../model/ids.ts";
import type { MessageInput, Role } from "../model/message.ts";
import type {
  Part,
  TextPart,
  ToolCallPart,
  ToolResultContent,
  ToolResultEnvelope,
  ToolResultPart,
} from "../model/part.ts";
import { AgentThread } from "../thread/agent-thread.ts";

/** When every message of a test was said. */
const SAID_AT = "2026-01-01T00:00:00.000Z";

/** What a message of a test holds: its text, one part, or all of its parts. */
export type Content = string | Part | readonly Part[];

export const text = (words: string): TextPart => ({ type: "text", text: words });

/** A call: of the tool `read`, for the file `a.ts`, unless a test needs another one. */
export const call = (callId: string, toolName = "read", input: JsonValue = { path: "a.ts" }): ToolCallPart => ({
  type: "tool-call",
  callId: asToolCallId(callId),
  toolName,
  input,
});

/** The result of a call, of the tool `read` and a success unless its fields say otherwise. */
export const result = (
  callId: string,
  body: string | ToolResultContent,
  fields: Partial<ToolResultEnvelope> = {},
): ToolResultPart => ({
  type: "tool-result",
  result: {
    callId: asToolCallId(callId),
    toolName: "read",
    outcome: "success",
    content: typeof body === "string" ? { type: "text", text: body } : body,
    ...fields,
  },
});

/** A message with everything that has to be in it, and whatever else a test needs of it. */
export function message(
  id: string,
  role: Role,
  content: Content,
  fields: Partial<Omit<MessageInput, "id" | "role" | "parts">> = {},
): MessageInput {
  return { id: asMessageId(id), role, parts: partsOf(content), createdAt: SAID_AT, ...fields };
}

function partsOf(content: Content): readonly Part[] {
  if (typeof content === "string") return [text(content)];
  return "type" in content ? [content] : content;
}

type MessageOf = (id: string, content: Content, fields?: Parameters<typeof message>[3]) => MessageInput;

export const user: MessageOf = (id, content, fields) => message(id, "user", content, fields);
export const assistant: MessageOf = (id, content, fields) => message(id, "assistant", content, fields);
export const system: MessageOf = (id, content, fields) => message(id, "system", content, fields);
export const tool: MessageOf = (id, content, fields) => message(id, "tool", content, fields);

/** The thread of these messages; its id is `t`. */
export const threadOf = (...messages: readonly MessageInput[]): AgentThread =>
  AgentThread.empty(asThreadId("t")).append(messages);
