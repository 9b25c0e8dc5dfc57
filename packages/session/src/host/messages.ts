import {
  asMessageId,
  asToolCallId,
  checkOptions,
  hasMember,
  type MessageInput,
  type OptionKinds,
  type Part,
  type Role,
  refuseArgument,
  type ToolResultEnvelope,
} from "@threadfold/core";

/** Id and time of a message. */
export interface MessageNames {
  /** Its id in the thread; appending the same message again changes nothing. A random id by default. */
  readonly id?: string;
  /** When it was said, as an ISO 8601 time. Now by default. */
  readonly createdAt?: string;
}

const NAMES: OptionKinds<MessageNames> = { id: "any", createdAt: "any" };

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
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for something that is not a call or not its answer, or an unknown option.
 */
export function toolMessage(
  call: { readonly callId: string; readonly toolName: string },
  answer: string | ToolResultEnvelope["content"],
  options: MessageNames & { readonly outcome?: ToolResultEnvelope["outcome"] } = {},
): MessageInput {
  const { callId, toolName } = Object(call) as Partial<typeof call>;
  if (callId === undefined || toolName === undefined) refuseArgument("call", "it is not a tool call.", CALL_HINT);
  checkOptions("options", options, { ...NAMES, outcome: OUTCOMES });
  if (typeof answer !== "string" && !hasMember(answer, "type"))
    refuseArgument("answer", "it has to be a text, or content with a type.", ANSWER_HINT);
  const { outcome = "success", ...names } = options;
  const content = typeof answer === "string" ? { type: "text" as const, text: answer } : answer;
  return messageOf(
    "tool",
    [{ type: "tool-result", result: { callId: asToolCallId(callId), toolName, outcome, content } }],
    names,
  );
}

const OUTCOMES: readonly ToolResultEnvelope["outcome"][] = ["success", "failure", "partial"];
const ANSWER_HINT = 'Pass the text that the tool returned, awaited, or { type: "json", value } for what is not a text.';
const CALL_HINT =
  "Pass a tool-call part, or { callId, toolName }: what a provider calls id and name, or call_id and name.";

function messageOf(role: Role, parts: readonly Part[], names: MessageNames = {}): MessageInput {
  checkOptions("names", names, NAMES);
  const { id, createdAt } = names;
  return {
    id: asMessageId(id ?? globalThis.crypto.randomUUID()),
    role,
    createdAt: createdAt ?? new Date().toISOString(),
    parts,
  };
}
