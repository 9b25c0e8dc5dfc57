import type { Message } from "@threadfold/core";
import { runningCalls } from "./running-calls.ts";

/** A model call of a log: what came before it since the call before, and what the model answered. */
export interface RecordedCall {
  /** Place among the session's calls, from 0. */
  readonly index: number;
  /** When the newest message before it was written, in milliseconds since 1970. Never before the call before it. */
  readonly at: number;
  /** What the log adds before this call: the answer to the call before, its results, and what users said. */
  readonly added: readonly Message[];
  /** What the model answered: one message, or several in a row where the log splits an answer. */
  readonly answer: readonly Message[];
}

/**
 * The model calls of a log, in order. A call stands before an assistant message that follows a user or a tool, with no
 * tool call running: nobody asks a model while results are awaited, but some tools log an answer result by result.
 * Messages behind the last answer belong to no call.
 */
export function recordedCalls(messages: readonly Message[]): readonly RecordedCall[] {
  const running = runningCalls(messages);
  const calls: RecordedCall[] = [];
  let start = 0;
  let at = Number.NEGATIVE_INFINITY;
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || running[index] !== 0 || !asksForAnswer(messages[index - 1])) continue;
    const added = messages.slice(start, index);
    at = added.reduce((latest, { createdAt }) => Math.max(latest, Date.parse(createdAt) || 0), at);
    calls.push({ index: calls.length, at, added, answer: answerFrom(messages, index) });
    start = index;
  }
  return calls;
}

const asksForAnswer = (before: Message | undefined): boolean => before !== undefined && before.role !== "assistant";

function answerFrom(messages: readonly Message[], start: number): readonly Message[] {
  let end = start + 1;
  while (messages[end]?.role === "assistant") end++;
  return messages.slice(start, end);
}
