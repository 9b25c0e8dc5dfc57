import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { asMessageId, asThreadId, type ThreadEntryInput, type ThreadfoldStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { openStore } from "@threadfold/stores";
import { openSession, work } from "../testing/agent-work.ts";
import { type SoakSample, soakFigures, soakProblems } from "./soak-figures.ts";

// Works on one store for a long time and monitors itself: in each round a session opens a new thread, works until it
// has folded, and closes; and entries are appended to one shared thread. All data is on disk, so the process must not
// grow. `--minutes 60` or `--rounds 200` sets the duration, `--json` prints the figures as JSON. Needs --expose-gc;
// exits with 1 when something grew.
const { values } = parseArgs({
  options: { minutes: { type: "string" }, rounds: { type: "string" }, json: { type: "boolean" } },
});
const minutes = Number(values.minutes ?? (values.rounds === undefined ? 60 : Number.POSITIVE_INFINITY));
const rounds = Number(values.rounds ?? Number.POSITIVE_INFINITY);
if (!(minutes > 0 && rounds > 0)) throw new Error("Give --minutes or --rounds as a number above zero.");
if (globalThis.gc === undefined) throw new Error("Run it with --expose-gc: garbage says nothing about what is kept.");

const TURNS = 12;
const APPENDS = 20;
/** Minimum number of samples in a run, so that slopes are meaningful. */
const SAMPLES = 24;
const SHARED = asThreadId("shared");
const [MS, MICROSECONDS] = [60_000, 1_000];

const folder = mkdtempSync(join(tmpdir(), "threadfold-soak-"));
const store = await openStore(join(folder, "soak.db"));
const sessionStore: ThreadfoldStore = { ...store, close: async () => undefined };
const started = performance.now();
const elapsed = (): number => (performance.now() - started) / MS;
const samples: SoakSample[] = [];
let [round, version, turns, folds] = [0, 0, 0, 0];
let times: number[] = [];
let cpu = 0;

try {
  while (round < rounds && elapsed() < minutes) {
    await workOnOwnThread(round++);
    await appendToShared();
    if (isDue()) samples.push(sample());
  }
} finally {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
const figures = { rounds: round, turns, folds, entries: version, ...soakFigures(samples) };
const problems = soakProblems(samples);
process.stdout.write(
  values.json === true
    ? `${JSON.stringify({ figures, problems, samples })}\n`
    : `${Object.entries(figures)
        .map(([name, value]) => `${name.padEnd(36)}${String(value).padStart(12)}\n`)
        .join("")}${problems.map((problem) => `${problem}\n`).join("")}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function workOnOwnThread(number: number): Promise<void> {
  const config = { maxInputTokens: 6_000, enableRetrieval: false };
  const session = await openSession({ threadId: asThreadId(`own-${number}`), store: sessionStore, config });
  for (let turn = 0; turn < TURNS; turn++, turns++) {
    await session.append([
      message(`u${turn}`, "user", `Do step ${turn}.`),
      ...work(turn, turn + 1, turn % 4 === 0 ? 1_300 : 300),
      message(`d${turn}`, "assistant", `Step ${turn} is done.`),
    ]);
    const prepared = await session.prepare();
    await session.reportUsage({ inputTokens: prepared.tokens, outputTokens: 20 });
  }
  folds += session.plan.version;
  await session.close();
}

/** Appends one at a time, and records how long each took and how much CPU time they took in total. */
async function appendToShared(): Promise<void> {
  const before = process.cpuUsage();
  for (let count = 0; count < APPENDS; count++) {
    const start = performance.now();
    await store.threads.append(SHARED, [said(version)], { expectedVersion: version });
    times.push(performance.now() - start);
    version++;
  }
  const { user, system } = process.cpuUsage(before);
  cpu += user + system;
}

function said(number: number): ThreadEntryInput {
  const input = message(`m${number}`, number % 2 === 0 ? "user" : "assistant", `This is entry ${number}.`);
  return { type: "message", message: { ...input, id: asMessageId(`m${number}`) } };
}

function isDue(): boolean {
  const share = Math.max(round / rounds, elapsed() / minutes);
  return share >= (samples.length + 1) / SAMPLES;
}

function sample(): SoakSample {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const sorted = times.sort((a, b) => a - b);
  const taken = {
    round,
    minutes: elapsed(),
    heapBytes: heapUsed + external,
    rssBytes: rss,
    openFiles: process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0,
    appendP99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    appendCpuMs: cpu / MICROSECONDS / Math.max(1, sorted.length),
  };
  times = [];
  cpu = 0;
  return taken;
}
