import { isAssistantMessage } from "../reading/assistant-message.ts";
import { type ForeignObject, listOf, objectOf } from "../reading/foreign-value.ts";

/**
 * A log of one request that OpenHands sent: `messages` and `tools`, and what came back beside them. The thread is what
 * was sent; the answer is the newest message of the next request, so that the logs of a conversation are one thread
 * that grows.
 */
export function isRequestLog(value: unknown): boolean {
  const log = objectOf(value);
  return listOf(log?.messages) !== undefined && isAnswer(log?.response) && hasOwnField(log ?? {});
}

const isAnswer = (response: unknown): boolean => listOf(objectOf(response)?.choices) !== undefined;

/**
 * How the conversation of a request begins: what stands before the first answer, and that answer by the ids of its
 * calls, or else by its text. The first request has it in its response, the others among their messages.
 */
export function beginningOf(log: ForeignObject): readonly unknown[] {
  const messages = listOf(log.messages) ?? [];
  const first = messages.findIndex(isAssistantMessage);
  const response = objectOf(objectOf(listOf(objectOf(log.response)?.choices)?.[0])?.message);
  const answer = first === -1 ? response : objectOf(messages[first]);
  const calls = (listOf(answer?.tool_calls) ?? []).map((call) => objectOf(call)?.id);
  return [...messages.slice(0, first === -1 ? undefined : first), calls.length > 0 ? calls : textsOf(answer?.content)];
}

const textsOf = (content: unknown): unknown => listOf(content)?.map((block) => objectOf(block)?.text) ?? [content];

const hasOwnField = (log: ForeignObject): boolean => log.latency_sec !== undefined || log.kwargs !== undefined;
