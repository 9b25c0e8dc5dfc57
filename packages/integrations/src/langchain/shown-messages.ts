import { type AgentThread, type ChatMessage, toSystemText } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { PreparedRequest } from "@threadfold/session";
import { AIMessage, type BaseMessage, SystemMessage } from "langchain";
import { baseMessage } from "./base-message.ts";

/**
 * The messages of a request for LangChain to send. What the plan shows as it was said is the host's own message, with all
 * that the model of core has no place for; what it folds is a message of ours.
 *
 * @param hosts the host's list, of which the thread is the mirror.
 * @param offset place in the conversation of the list's first message.
 */
export function shownMessages(
  { request }: PreparedRequest,
  thread: AgentThread,
  hosts: readonly BaseMessage[],
  offset: number,
): BaseMessage[] {
  return request.messages.map((message) => ownMessage(message, thread, hosts, offset) ?? baseMessage(message));
}

/** The host's message behind one that rendering left as it is. */
function ownMessage(
  { sources, synthetic, parts }: ChatMessage,
  thread: AgentThread,
  hosts: readonly BaseMessage[],
  offset: number,
): BaseMessage | undefined {
  const [id, ...others] = sources;
  if (synthetic !== undefined || id === undefined || others.length > 0) return undefined;
  const message = thread.message(id);
  const [position] = message?.parts === parts ? livePositions(message) : [];
  const host = position === undefined ? undefined : hosts[position - offset];
  return host === undefined || hasInvalidCalls(host) ? undefined : host;
}

/** LangChain's packages leave such calls out or send them, each in its own way, and the request has results for them. */
const hasInvalidCalls = (message: BaseMessage): boolean =>
  AIMessage.isInstance(message) && (message.invalid_tool_calls ?? []).length > 0;

/** The system message of a request: the host's own one where it says the same, for it may have more than its text. */
export function shownSystem({ request }: PreparedRequest, host: SystemMessage): SystemMessage {
  const text = request.system.map((entry) => toSystemText(entry).text).join("\n\n");
  return text === host.text ? host : new SystemMessage(text);
}
