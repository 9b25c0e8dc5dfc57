import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";
import { asThreadId, ContextSession, formatById, openStore, type ThreadfoldStore } from "threadfold";
import { AGENT_FRAME, agentHistory, agentStep, stoppedClock } from "./agent-step.ts";
import { percentile } from "./median.ts";

/** The number of sessions in one process, and their work. */
export interface LiveSizes {
  readonly sessions: number;
  /** Number of timed turns, each on a different session than the one before. */
  readonly turns: number;
  /** Number of messages in a thread before it is first folded. */
  readonly messages: number;
  /** Number of turns in progress at the same time. */
  readonly inFlight: number;
}

/** The cost of many sessions in one process. */
export interface LiveFigures extends LiveSizes {
  readonly part: "live";
  /** Heap and buffers of a session that has done its turns and waits for the next one, in KB. */
  readonly grownKb: number;
  /** The same for a session reopened on the same thread that has prepared a request. */
  readonly resumedKb: number;
  /** Resident memory of the whole process with all sessions, in MB. */
  readonly processMb: number;
  readonly folds: number;
  readonly turnsPerSecond: number;
  /** Milliseconds from appending a step to having the next request, for one session, while others have turns too. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly highestMs: number;
}

const BUDGET = 30_000;
/** Number of turns of a session after its fold, before it counts as idle. */
const TURNS_BEFORE = 4;

/** Opens sessions on separate threads in one SQLite store, folds each, and times turns across all of them. */
export async function liveFigures(sizes: LiveSizes): Promise<LiveFigures> {
  if (globalThis.gc === undefined)
    throw new Error("Run it with --expose-gc: garbage would be counted as memory in use.");
  const folder = mkdtempSync(join(tmpdir(), "threadfold-fleet-"));
  const store = await openStore(`sqlite:${join(folder, "fleet.db")}`);
  try {
    const before = await memory();
    const grown = await Promise.all(Array.from({ length: sizes.sessions }, (_, thread) => open(store, thread)));
    for (const session of grown) await grow(session, sizes.messages);
    const grownKb = ((await memory()) - before) / sizes.sessions / 1_024;
    const processMb = process.memoryUsage.rss() / 2 ** 20;
    const turned = await timedTurns(grown, sizes);
    grown.length = 0;
    const empty = await memory();
    const resumed: ContextSession[] = [];
    for (let thread = 0; thread < sizes.sessions; thread++) {
      const session = await open(store, thread);
      await session.prepare();
      resumed.push(session);
    }
    const resumedKb = ((await memory()) - empty) / resumed.length / 1_024;
    return { part: "live", ...sizes, grownKb, resumedKb, processMb, ...turned };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function open(store: ThreadfoldStore, thread: number): Promise<ContextSession> {
  return ContextSession.open({
    threadId: asThreadId(`live-${thread}`),
    store: { ...store, close: async () => undefined },
    config: { maxInputTokens: BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
}

async function grow(session: ContextSession, messages: number): Promise<void> {
  const history = agentHistory(messages);
  await session.append(history.slice(0, Math.floor(messages / 2)));
  await session.prepare();
  await session.append(history.slice(Math.floor(messages / 2)));
  await session.compact({ force: true });
  for (let turn = 0; turn < TURNS_BEFORE; turn++) {
    await session.append(agentStep(messages + turn));
    await session.prepare();
  }
}

async function timedTurns(sessions: readonly ContextSession[], { turns, inFlight, messages }: LiveSizes) {
  const versions = sessions.reduce((sum, { plan }) => sum + plan.version, 0);
  const times: number[] = [];
  let next = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (next < turns) {
      const turn = next++;
      const session = sessions[turn % sessions.length] as ContextSession;
      // In a server, an event starts a turn: without one here, turns that wait for the event loop would never continue.
      await immediate();
      const began = performance.now();
      await session.append(agentStep(messages + TURNS_BEFORE + turn));
      await session.prepare();
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlight, sessions.length) }, lane));
  const seconds = (performance.now() - start) / 1_000;
  return {
    folds: sessions.reduce((sum, { plan }) => sum + plan.version, 0) - versions,
    turnsPerSecond: turns / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    highestMs: percentile(times, 1),
  };
}

/** Returns the bytes in use after garbage was collected and finalizers have run. */
async function memory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
