import type Anthropic from "@anthropic-ai/sdk";
import { type ModelResponse, stopReasonOf } from "@threadfold/session";
import { readOnce } from "../mirror/read-once.ts";
import { reportOf } from "../mirror/reported-usage.ts";

/**
 * A message of the SDK, whole or put together from a stream, as `ContextSession.complete` takes it: with its thoughts and
 * their signatures, its usage, and why it ended. The message's id becomes the id in the thread.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a value that is no message.
 */
export function fromAnthropic(message: Anthropic.Message): ModelResponse {
  const messages = readOnce("anthropic-messages", "answer", [message]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(message.stop_reason) };
}
