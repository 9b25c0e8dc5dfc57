import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asThreadId,
  type CompactionPlan,
  ContextSession,
  createMemoryStore,
  formatById,
  type MessageInput,
  openStore,
  type Part,
  type ThreadfoldStore,
} from "threadfold";
import { AGENT_FRAME, agentHistory, agentStep, stoppedClock } from "./agent-step.ts";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import type { FoldSize, FoldsResults } from "./folds-table.ts";
import { spreadOf } from "./median.ts";
import { joinedSessions } from "./peers-sessions.ts";
import { threadTime } from "./thread-time.ts";

/**
 * Measures the cost of a fold as the thread grows (P9). A history of 1 000 to 1 000 000 messages is folded once; then
 * an agent continues until the next folds are due, each over a window of the same size, and those are measured:
 * everything that `prepare` does in the turn that folds, in processor time of this thread, and its longest stretch in
 * which nothing else could run; first with the thread in memory, and then in a SQLite file. The fold of the whole
 * history, in which the agent typed a key, is reported separately, in memory. How many records the last plan has, and
 * how many messages it drops without a summary of them, says whether folding again and again keeps the memory. `--json` prints one line per size, and at
 * the end the cost of the largest relative to 10 000 messages; numbers choose the sizes. A full run is kept for
 * `bench:docs`. `--recorded` takes the messages of recorded sessions, one after another, in place of the agent's.
 */
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const BUDGET = 60_000;
const FOLDS = 15;
const BATCH = 10_000;
/** First index of steps that no history contains. */
const FRESH = 10_000_000;
/** Recorded messages after the history: enough for the folds. */
const RECORDED_AFTER = 20_000;
/** Put together here, so that no scanner takes this file for a leak. */
const KEY = `AKIA${"IOSFODNN7ABCDEFG"}`;

const json = process.argv.includes("--json");
const recorded = process.argv.includes("--recorded");
const chosen = process.argv.map(Number).filter((size) => size > 0);
const print = (data: unknown, text: string): unknown => process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);

type Time = Awaited<ReturnType<typeof threadTime>>;

async function measure(messages: number): Promise<FoldSize> {
  const inMemory = await measureIn(createMemoryStore(), messages);
  const folder = mkdtempSync(join(tmpdir(), "threadfold-folds-"));
  const inFile = await measureIn(await openStore(join(folder, "folds.db")), messages);
  rmSync(folder, { recursive: true });
  return {
    messages,
    ...{ foldMs: inMemory.foldMs, longestBlockMs: inMemory.longestBlockMs },
    ...{ sqliteFoldMs: inFile.foldMs, sqliteLongestBlockMs: inFile.longestBlockMs },
    firstFoldMs: Math.round(inMemory.first.cpuMs),
    firstLongestBlockMs: Math.round(inMemory.first.longestHoldMs),
    planRecords: recordsIn(inMemory.plan),
    forgottenMessages: forgottenBy(inMemory.plan),
  };
}

async function measureIn(store: ThreadfoldStore, messages: number) {
  const session = await ContextSession.open({
    threadId: asThreadId(`folds-${messages}`),
    store,
    config: { maxInputTokens: BUDGET },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
  const { history, next } = await workOf(messages);
  for (let from = 0; from < history.length; from += BATCH) await session.append(history.slice(from, from + BATCH));
  // What the making of the history left behind is no part of the fold.
  globalThis.gc?.();
  const first = await threadTime(() => session.prepare());
  const folds: Time[] = [];
  for (let step = 0; folds.length < FOLDS; step++) {
    const { version } = session.plan;
    const added = next(step);
    if (added.length === 0) throw new Error(`There were no more messages after ${folds.length} of ${FOLDS} folds.`);
    await session.append(added);
    const time = await threadTime(() => session.prepare());
    if (session.plan.version > version) folds.push(time);
  }
  await store.close();
  const { median: foldMs } = spreadOf(folds.map(({ cpuMs }) => cpuMs));
  const { highest: longestBlockMs } = spreadOf(folds.map(({ longestHoldMs }) => longestHoldMs));
  return { first, foldMs: Math.round(foldMs), longestBlockMs: Math.round(longestBlockMs), plan: session.plan };
}

const recordsIn = ({ externalizations, summarizations, clearings, drops }: CompactionPlan): number =>
  externalizations.length + summarizations.length + clearings.length + drops.length;

function forgottenBy({ drops, summarizations }: CompactionPlan): number {
  const told = new Set(summarizations.flatMap(({ summary }) => summary.span.messageIds));
  return drops.flatMap(({ span }) => span.messageIds).filter((id) => !told.has(id)).length;
}

/** What a thread contains, and what an agent adds to it, step by step. */
interface Work {
  readonly history: readonly MessageInput[];
  readonly next: (step: number) => readonly MessageInput[];
}

async function workOf(messages: number): Promise<Work> {
  if (!recorded) return { history: withKey(agentHistory(messages)), next: (step) => agentStep(FRESH + step) };
  const all = await joinedSessions(messages + RECORDED_AFTER);
  return { history: all.slice(0, messages), next: (step) => all.slice(messages + step, messages + step + 1) };
}

/** Lets the agent type a key halfway, as happens in long logs: whoever summarizes must not see it. */
function withKey(history: readonly MessageInput[]): readonly MessageInput[] {
  const at = history.findIndex(({ role }, index) => index >= history.length / 2 && role === "assistant");
  const message = history[at];
  if (message === undefined) return history;
  const key: Part = { type: "text", text: `I use the key ${KEY} for that.` };
  return history.with(at, { ...message, parts: [key, ...message.parts] });
}

const results: FoldSize[] = [];
for (const size of chosen.length > 0 ? chosen : SIZES) {
  const result = await measure(size);
  results.push(result);
  const { messages, foldMs, longestBlockMs, sqliteFoldMs, sqliteLongestBlockMs, firstFoldMs, firstLongestBlockMs } =
    result;
  const kept = `${result.planRecords} records, ${result.forgottenMessages} messages forgotten`;
  print(
    result,
    `${messages.toLocaleString("en-US").padStart(9)} messages: ${foldMs} ms per fold, at most ${longestBlockMs} ms in one go; in SQLite ${sqliteFoldMs} and ${sqliteLongestBlockMs} ms; the first fold ${firstFoldMs} ms, at most ${firstLongestBlockMs} ms in one go; ${kept}`,
  );
}
if (chosen.length === 0) keepResults("folds", { machine: benchMachine(), sizes: results } satisfies FoldsResults);
const base = results.find(({ messages }) => messages === 10_000);
const last = results.at(-1);
if (base !== undefined && last !== undefined && last !== base) {
  const ratio = last.foldMs / base.foldMs;
  print({ lastOver10k: ratio }, `The last takes ${ratio.toFixed(2)} times as long as at 10,000 messages.`);
}
