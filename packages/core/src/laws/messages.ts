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

/** The time of every test message. */
const SAID_AT = "2026-01-01T00:00:00.000Z";

/** The content of a test message: its text, one part, or all of its parts. */
export type Content = string | Part | readonly Part[];

export const text = (words: string): TextPart => ({ type: "text", text: words });

/** Makes a tool call, by default of the tool `read` for the file `a.ts`. */
export const call = (callId: string, toolName = "read", input: JsonValue = { path: "a.ts" }): ToolCallPart => ({
  type: "tool-call",
  callId: asToolCallId(callId),
  toolName,
  input,
});

/** Makes the result of a call: a success of the tool `read` unless `fields` says otherwise. */
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

/** Makes a message with all required fields and any others that a test needs. */
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

/** Makes a thread of these messages, with the id `t`. */
export const threadOf = (...messages: readonly MessageInput[]): AgentThread =>
  AgentThread.empty(asThreadId("t")).append(messages);
