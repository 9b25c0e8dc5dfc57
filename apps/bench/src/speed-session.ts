import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asThreadId, ContextSession, createMemoryStore, formatById, openStore, type ThreadfoldStore } from "threadfold";
import { AGENT_FRAME, agentHistory, agentStep, stoppedClock } from "./agent-step.ts";
import { type Spread, spreadOf } from "./median.ts";

const BUDGET = 60_000;
const TURNS = 60;
const WARM_UP = 20;
const RESUMES = 5;
/** First index of steps that no history contains. */
const FRESH = 10_000_000;

/** The cost of a session's turn in a store, with a thread of this length. All figures are milliseconds. */
export interface SessionSpeed {
  readonly store: "memory" | "sqlite";
  readonly messages: number;
  /** Appending one step, which is two messages. */
  readonly append: Spread;
  /** The request of a turn without a fold: trigger, rendering, legality, digest, journal. */
  readonly render: Spread;
  /** The one request that folds the whole history and commits the plan. */
  readonly commit: number;
  /** Opening the thread again and making its request; null for the memory store, which does not outlive its process. */
  readonly resume: Spread | null;
}

/** Times a session in a store. */
export async function sessionSpeed(store: SessionSpeed["store"], messages: number): Promise<SessionSpeed> {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-speed-"));
  const open = async (): Promise<ThreadfoldStore> =>
    store === "memory" ? createMemoryStore() : openStore(`sqlite:${join(folder, "speed.db")}`);
  try {
    const turns = await turnsOf(await openSession(await open(), messages), messages);
    const resume = store === "memory" ? null : spreadOf(await resumes(open, messages));
    return { store, messages, ...turns, resume };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function turnsOf(
  session: ContextSession,
  messages: number,
): Promise<Omit<SessionSpeed, "store" | "messages" | "resume">> {
  await session.append(agentHistory(messages));
  const commit = await timed(() => session.prepare());
  const append: number[] = [];
  const render: number[] = [];
  for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
    const step = agentStep(FRESH + turn);
    const version = session.plan.version;
    const appended = await timed(() => session.append(step));
    const rendered = await timed(() => session.prepare());
    if (turn < WARM_UP || session.plan.version !== version) continue;
    append.push(appended);
    render.push(rendered);
  }
  // Also closes its store.
  await session.close();
  return { append: spreadOf(append), render: spreadOf(render), commit };
}

async function resumes(open: () => Promise<ThreadfoldStore>, messages: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < RESUMES; round++) {
    const start = performance.now();
    const session = await openSession(await open(), messages);
    await session.prepare();
    times.push(performance.now() - start);
    await session.close();
  }
  return times;
}

function openSession(store: ThreadfoldStore, messages: number): Promise<ContextSession> {
  return ContextSession.open({
    threadId: asThreadId(`speed-${messages}`),
    store,
    config: { maxInputTokens: BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
