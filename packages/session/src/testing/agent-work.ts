import { asMessageId, asThreadId, asToolCallId, type Clock, type MessageInput } from "@threadfold/core";
import { ladderPreset } from "@threadfold/strategies";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

/** The thread that tests work on. */
export const threadId = asThreadId("session-1");

/** A clock that is moved by hand, in seconds. */
export function handClock(): Clock & { pass(seconds: number): void } {
  let ms = Date.parse(createdAt);
  return {
    now: () => ms,
    pass: (seconds) => {
      ms += 1_000 * seconds;
    },
  };
}

/** A session on the tests' thread that folds rung by rung (preset `ladder`), with a clock that stands still. */
export const openSession = (options: Partial<SessionOptions> = {}): Promise<ContextSession> =>
  ContextSession.open({ threadId, clock: handClock(), preset: ladderPreset, ...options });

/** A message with one text. */
export const say = (id: string, role: MessageInput["role"], text: string): MessageInput => ({
  id: asMessageId(id),
  role,
  parts: [{ type: "text", text }],
  createdAt,
});

/** The call of a step of work. */
export const callOf = (index: number): MessageInput => ({
  id: asMessageId(`a${index}`),
  role: "assistant",
  parts: [
    {
      type: "tool-call",
      callId: asToolCallId(`call_${index}`),
      toolName: "bash",
      input: { command: `make step-${index}` },
    },
  ],
  createdAt,
});

/** The result of a step of work, of about this many tokens. */
export const resultOf = (index: number, tokens: number): MessageInput => ({
  id: asMessageId(`t${index}`),
  role: "tool",
  parts: [
    {
      type: "tool-result",
      result: {
        toolName: "bash",
        callId: asToolCallId(`call_${index}`),
        outcome: "success",
        content: { type: "text", text: `step ${index}: ${"output ".repeat(Math.ceil((4 * tokens) / 7))}` },
      },
    },
  ],
  createdAt,
});

/** Steps of work, each a call and its result. */
export const work = (from: number, to: number, tokens: number): readonly MessageInput[] =>
  Array.from({ length: to - from }, (_, index) => [callOf(from + index), resultOf(from + index, tokens)]).flat();
