import type { ThreadEntryInput } from "@threadfold/core";
import { asThreadId, ContextSession, formatById, type MessageInput, openStore } from "threadfold";
import { AGENT_FRAME, agentHistory, agentStep, stoppedClock } from "./agent-step.ts";

/** The thread that is resumed, and the token budget of its requests. */
export const RESUMED_THREAD = "resumed";
export const RESUMED_BUDGET = 40_000;

const BATCH = 5_000;
/** Number of steps that the agent makes after the fold, as between two folds. */
const STEPS_SINCE = 10;

/** Makes a store with a thread of this many messages that was folded once, and returns the thread's next request. */
export async function makeResumableStore(path: string, messages: number) {
  const threadId = asThreadId(RESUMED_THREAD);
  const store = await openStore(`sqlite:${path}`);
  const history = agentHistory(messages - 2 * STEPS_SINCE);
  for (let from = 0; from < history.length; from += BATCH) {
    const entries = history
      .slice(from, from + BATCH)
      .map((message): ThreadEntryInput => ({ type: "message", message }));
    await store.threads.append(threadId, entries, { expectedVersion: from === 0 ? "no-thread" : from });
  }
  const session = await ContextSession.open({
    threadId,
    store,
    config: { maxInputTokens: RESUMED_BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
  await session.prepare();
  const since: MessageInput[] = Array.from({ length: STEPS_SINCE }, (_, step) => agentStep(messages + step)).flat();
  for (const message of since) await session.append([message]);
  const { digest, tokens } = await session.prepare();
  const { version } = session.plan;
  await session.close();
  return { digest, tokens, planVersion: version };
}
