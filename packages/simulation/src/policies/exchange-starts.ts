import type { Message } from "@threadfold/core";
import { runningCalls } from "../recording/running-calls.ts";

/** Where a log may be cut: no call before that place has its result behind it. The beginning is always one. */
export function exchangeStarts(log: readonly Message[]): readonly number[] {
  const running = runningCalls(log);
  const starts = log.flatMap(({ role }, index) => (running[index] === 0 && role !== "tool" ? [index] : []));
  return starts[0] === 0 ? starts : [0, ...starts];
}

/** The first place to cut behind which at most so many tokens follow; the last place when even that is too much. */
export function latestStart(log: readonly Message[], tokens: number, tokensOf: (message: Message) => number): number {
  let room = tokens;
  let start = log.length;
  while (start > 0 && room >= tokensOf(log[start - 1] as Message)) room -= tokensOf(log[--start] as Message);
  const starts = exchangeStarts(log);
  return starts.find((place) => place >= start) ?? (starts.at(-1) as number);
}
