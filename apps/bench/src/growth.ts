import { setImmediate as nextTick } from "node:timers/promises";
import { TokenLedger } from "@threadfold/core";
import { AgentThread, asThreadId, ContextSession, createMemoryStore, formatById, heuristicTokenizer } from "threadfold";
import {
  AGENT_FRAME,
  agentHistory,
  agentStep,
  agentTask,
  type Disorder,
  pairedStep,
  stoppedClock,
} from "./agent-step.ts";
import { growingRun } from "./growing-run.ts";
import { spreadOf } from "./median.ts";

/**
 * Measures the cost of a turn as its thread grows (P9). A turn is what an agent loop does between two model calls:
 * append the model's call and its result, check the trigger, render the request. Histories of 1 000 to 1 000 000
 * messages are folded once, to a window of the same size; then turns are timed. After that, a run of 2 000 steps that
 * never folds is compared with counting the same messages, turns of disordered logs are timed while nothing folds, and
 * the memory of the headers of a million messages is measured. `--json` prints one line per size, and the rest at the
 * end; `--disorder` times only the disordered logs.
 */
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const TURNS = 150;
const WARM_UP = 40;
const BUDGET = 60_000;
const HEADERS = 1_000_000;

async function measure(messages: number) {
  let commits = 0;
  const session = await ContextSession.open({
    threadId: asThreadId(`growth-${messages}`),
    store: createMemoryStore(),
    config: { maxInputTokens: BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
    onEvent: (event) => {
      if (event.type === "compaction_completed" && event.outcome.type === "committed") commits++;
    },
  });
  await session.append(agentHistory(messages));
  const folding = performance.now();
  const folded = await session.prepare();
  const foldMs = Math.round(performance.now() - folding);
  const before = commits;
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const next = agentStep(HEADERS + turn);
    const start = performance.now();
    await session.append(next);
    await session.prepare();
    if (turn >= WARM_UP) times.push(performance.now() - start);
  }
  const { median, lowest, highest } = spreadOf(times);
  const commitsWhileTimed = commits - before;
  return { messages, msPerTurn: median, lowest, highest, windowTokens: folded.tokens, foldMs, commitsWhileTimed };
}

const DISORDERED: Readonly<Record<string, Disorder>> = {
  tidy: {},
  "call ids that come again": { idsAgain: true },
  "results in another order": { crossed: true },
  both: { idsAgain: true, crossed: true },
};
/** Steps of two calls after which a turn is timed. */
const DISORDERED_STEPS = [400, 2_000];
const TIMED_STEPS = 100;

/** Returns milliseconds per turn after so many steps that are all in the prompt. */
async function disorderedTurns(log: string, disorder: Disorder): Promise<readonly number[]> {
  const session = await ContextSession.open({
    threadId: asThreadId(log),
    store: createMemoryStore(),
    config: { maxInputTokens: 100_000_000 },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
  await session.append([agentTask]);
  const times: number[] = [];
  for (let index = 0; index < Math.max(...DISORDERED_STEPS); index++) {
    const step = pairedStep(index, disorder);
    const start = performance.now();
    await session.append(step);
    await session.prepare();
    times.push(performance.now() - start);
  }
  await session.close();
  return DISORDERED_STEPS.map((steps) => spreadOf(times.slice(steps - TIMED_STEPS, steps)).median);
}

async function printDisordered(): Promise<void> {
  for (const [log, disorder] of Object.entries(DISORDERED)) {
    const msPerTurn = await disorderedTurns(log, disorder);
    const after = DISORDERED_STEPS.map((steps, place) => `${msPerTurn[place]?.toFixed(2)} ms after ${steps} steps`);
    print(
      { log, steps: DISORDERED_STEPS, msPerTurn },
      `A turn of a log with two calls a step, ${log}: ${after.join(", ")}`,
    );
  }
}

/** Returns the bytes of heap that the counted headers of this many messages use; NaN without `--expose-gc`. */
async function headerBytes(messages: number): Promise<number> {
  const thread = AgentThread.empty(asThreadId("headers")).append(agentHistory(messages));
  const before = await heapInUse();
  const ledger = TokenLedger.empty(heuristicTokenizer(), () => "anchoring").extend(thread);
  const bytes = (await heapInUse()) - before;
  return ledger.length === thread.length ? bytes : Number.NaN;
}

/** Returns the bytes of heap still in use after garbage collection; one collection leaves some garbage for the next. */
async function heapInUse(): Promise<number> {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) return Number.NaN;
  for (let round = 0; round < 4; round++) {
    collect();
    await nextTick();
  }
  return process.memoryUsage().heapUsed;
}

const json = process.argv.includes("--json");
const print = (data: unknown, text: string): unknown => process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);

if (process.argv.includes("--disorder")) {
  await printDisordered();
  process.exit(0);
}
const turns: Awaited<ReturnType<typeof measure>>[] = [];
for (const size of SIZES) {
  const result = await measure(size);
  turns.push(result);
  print(
    result,
    `${size.toLocaleString("en-US").padStart(9)} messages: ${result.msPerTurn.toFixed(3)} ms per turn ` +
      `(window ${result.windowTokens} tokens, folded once in ${result.foldMs} ms)`,
  );
}
const growth = (turns.at(-1)?.msPerTurn ?? Number.NaN) / (turns[0]?.msPerTurn ?? Number.NaN);
print({ lastOverFirst: growth }, `The last takes ${growth.toFixed(2)} times as long as the first.`);
for (const tokenizer of ["tiktoken", "heuristic"]) {
  const run = await growingRun(tokenizer);
  const { steps, ours, bareCount, ratio } = run;
  print(
    run,
    `${steps} growing steps, counter ${run.tokenizer}: ${ours.toFixed(0)} ms, ` +
      `counting alone ${bareCount.toFixed(0)} ms, ratio ${ratio.toFixed(2)}`,
  );
}
await printDisordered();
const bytes = await headerBytes(HEADERS);
print(
  { headers: HEADERS, bytes },
  `Headers of ${HEADERS.toLocaleString("en-US")} messages: ${(bytes / 1e6).toFixed(0)} MB.`,
);
