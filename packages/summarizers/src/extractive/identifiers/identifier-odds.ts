import type { Message } from "@threadfold/core";
import { type IdentifierEntry, IN_AGENT_TEXT, IN_ARGUMENT, IN_RESULT, IN_USER_TEXT } from "./identifier-index.ts";

/**
 * The odds that a later call needs an identifier again, relative to others. The weights are rounded from a logistic regression over the recorded sessions, cross-checked on halves: what
 * the agent itself put into arguments returns most, and so does what the first request names; what only results show
 * returns least; and the odds fall with the model calls since it was last seen.
 */
export function identifierOdds(
  entry: IdentifierEntry,
  messages: readonly Message[],
  firstUserPosition: number,
): number {
  const { kind, seen, text } = entry;
  const inArguments = seen[IN_ARGUMENT];
  const times = inArguments + seen[IN_USER_TEXT] + seen[IN_AGENT_TEXT] + seen[IN_RESULT];
  const lastStep = messages.at(-1)?.step ?? 0;
  const age = Math.max(0, lastStep - (messages[entry.lastPosition]?.step ?? 0));
  let odds = 0;
  if (kind === "path" || kind === "weak-path") odds += inArguments > 0 ? 0.1 : -0.5;
  if (kind === "number") odds -= 1;
  if (inArguments > 0) odds += 0.4;
  if (inArguments > 1) odds += 0.5;
  if (inArguments > 3) odds += 0.4;
  if (entry.firstPosition === firstUserPosition) odds += 1.2;
  if (seen[IN_AGENT_TEXT] > 0) odds -= 0.25;
  if (times >= 3) odds += 0.45;
  if (text.length > 25) odds += 0.25;
  odds -= 0.25 * Math.log1p(seen[IN_RESULT]);
  odds -= 0.25 * Math.log1p(age);
  return Math.exp(odds);
}
