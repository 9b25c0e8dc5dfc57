import { setTimeout as pause } from "node:timers/promises";
import { asThreadId, ContextSession, formatById, openStore } from "threadfold";
import { AGENT_FRAME, stoppedClock } from "./agent-step.ts";
import { RESUMED_BUDGET, RESUMED_THREAD } from "./resume-store.ts";

/**
 * A process that resumes a thread: it opens the store, opens a session and prepares the next request. Prints one line
 * of JSON: milliseconds of the first time and of later ones, and the peak megabytes above the idle process, which is
 * this one with everything imported and nothing opened.
 */
const [path = ""] = process.argv.slice(2);
const AGAIN = 9;

async function resume(): Promise<{ readonly milliseconds: number; readonly digest: string; readonly tokens: number }> {
  const start = performance.now();
  const session = await ContextSession.open({
    threadId: asThreadId(RESUMED_THREAD),
    store: await openStore(`sqlite:${path}`),
    config: { maxInputTokens: RESUMED_BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
  const { digest, tokens } = await session.prepare();
  const milliseconds = performance.now() - start;
  await session.close();
  return { milliseconds, digest, tokens };
}

await pause(50);
const idle = process.memoryUsage.rss();
const first = await resume();
// The peak size that the system saw, in kilobytes; never less than the size at the start.
const megabytes = (process.resourceUsage().maxRSS * 1_024 - idle) / 1e6;
const later: number[] = [];
for (let round = 0; round < AGAIN; round++) later.push((await resume()).milliseconds);
const { milliseconds, digest, tokens } = first;
process.stdout.write(`${JSON.stringify({ first: milliseconds, later, megabytes, digest, tokens })}\n`);
