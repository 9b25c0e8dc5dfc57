import { type ModelResponse, stopReasonOf } from "@threadfold/session";
import type OpenAI from "openai";
import { readOnce } from "../mirror/read-once.ts";
import { reportOf } from "../mirror/reported-usage.ts";

/**
 * A completion of the SDK, whole or put together from a stream, as `ContextSession.complete` takes it: the message of its
 * first choice, its usage, and why it ended. The completion's id becomes the id in the thread.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a completion without a choice.
 */
export function fromOpenaiChat({ id, model, usage, choices }: OpenAI.Chat.ChatCompletion): ModelResponse {
  const [choice] = choices;
  const value = choice && { ...choice.message, id, model, usage, finish_reason: choice.finish_reason };
  const messages = readOnce("openai-chat", "answer", [value]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(choice?.finish_reason) };
}
