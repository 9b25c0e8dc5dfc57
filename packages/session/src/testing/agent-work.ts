import { asThreadId, type Clock, type MessageInput, type ProviderAwareTokenizer } from "@threadfold/core";
import { assistant, call, result, tool } from "@threadfold/core/laws";
import { ladderPreset } from "@threadfold/strategies";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

/** The thread that tests work on. */
export const threadId = asThreadId("session-1");

/** Returns a clock that is advanced by hand, in seconds. */
export function handClock(): Clock & { pass(seconds: number): void } {
  let ms = Date.parse(createdAt);
  return {
    now: () => ms,
    pass: (seconds) => {
      ms += 1_000 * seconds;
    },
  };
}

/** Counts four characters per token, as the tests' provider does: these tests are not about the error of a counter. */
export const tokenizer: ProviderAwareTokenizer = Object.freeze({ ...heuristicTokenizer(), id: "four-characters" });

/**
 * Opens a session on the tests' thread, with preset `ladder`, folds that wait for summaries, and a clock that stands
 * still.
 */
export const openSession = (options: Partial<SessionOptions> = {}): Promise<ContextSession> =>
  ContextSession.open({
    ...{ threadId, clock: handClock(), preset: ladderPreset, tokenizer, background: false },
    ...options,
  });

/** The call of a step of work. */
export const callOf = (index: number): MessageInput =>
  assistant(`a${index}`, call(`call_${index}`, "bash", { command: `make step-${index}` }));

/** The result of a step of work, of about this many tokens. */
export const resultOf = (index: number, tokens: number): MessageInput => {
  const output = `step ${index}: ${"output ".repeat(Math.ceil((4 * tokens) / 7))}`;
  return tool(`t${index}`, result(`call_${index}`, output, { toolName: "bash" }));
};

/** Steps of work, each a call and its result. */
export const work = (from: number, to: number, tokens: number): readonly MessageInput[] =>
  Array.from({ length: to - from }, (_, index) => [callOf(from + index), resultOf(from + index, tokens)]).flat();
