import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import { growthExponent } from "./growth-exponent.ts";
import { arePeersInstalled, installPeers, listedPeers, workerScript } from "./peers-install.ts";
import type { PolicyKind } from "./peers-results.ts";
import { TIMED_HERE } from "./speed-policies.ts";
import type { Growing, Oneshot } from "./speed-policy-worker.ts";
import type { PolicySpeed, SpeedResults, TurnSpeed } from "./speed-results.ts";
import { sessionSpeed } from "./speed-session.ts";
import { speedTable } from "./speed-table.ts";
import { tokenizerSpeeds } from "./speed-tokenizers.ts";

/**
 * Measures how fast prompts are made: one from a whole history, and one per step as a thread grows, for us, the
 * baselines and the peers; the cost of a turn at up to a million messages; a session's append, commit, resume and
 * render; the counters. Every policy runs in a separate process, one at a time, so that none disturbs another, for at
 * most `--limit=20` seconds at each size. `--json` prints the figures for machines, `--sample` only shows that it
 * works, `--policy=NAME` (repeatable) selects policies, and with `--without-install`, peers that are not installed are
 * left out. A full run is kept for `bench:docs`.
 */
const flag = (name: string): boolean => process.argv.includes(`--${name}`);
const wanted = process.argv
  .filter((word) => word.startsWith("--policy="))
  .map((word) => word.slice("--policy=".length));
const sample = flag("sample");
const SIZES = sample ? [1_000] : [1_000, 10_000, 100_000];
/** Seconds that a process has for its work. */
const LIMIT = sample
  ? 2
  : Number(process.argv.find((word) => word.startsWith("--limit="))?.slice("--limit=".length) ?? 20);
const MOST = 1_000_000;
/** Extra milliseconds that a process may take, to start and to make its history. */
const START_UP = 60_000;
/** Number of messages in a thread of 2,000 steps of two messages each. */
const FIRST_STEPS = 4_000;
/** Growing threads count from this many messages on: before that, process start-up weighs too much. */
const SETTLED = 1_000;

const say = (text: string): unknown => process.stderr.write(`${text}\n`);
const start = performance.now();
if (!flag("without-install")) installPeers();
const peers = arePeersInstalled() ? listedPeers().map(({ policy }) => [policy, "peer"] as const) : [];
const asked = [...TIMED_HERE, ...peers].filter(([policy]) => wanted.length === 0 || wanted.includes(policy));

const policies = asked.map(([policy, kind]) => policySpeed(policy, kind));
const turns = sample ? [] : turnSpeeds();
const sessions: SpeedResults["sessions"][number][] = [];
for (const store of ["memory", "sqlite"] as const)
  for (const messages of sample ? SIZES : [1_000, 10_000, 100_000]) sessions.push(await sessionSpeed(store, messages));
const results: SpeedResults = {
  schemaVersion: 1,
  machine: benchMachine(),
  sample,
  limitSeconds: LIMIT,
  policies,
  turns,
  turnExponent: growthExponent(turns.map(({ messages, msPerTurn }) => ({ size: messages, cost: msPerTurn }))),
  sessions,
  tokenizers: await tokenizerSpeeds(),
  seconds: (performance.now() - start) / 1_000,
};
if (!sample && wanted.length === 0) keepResults("speed", results);
process.stdout.write(flag("json") ? `${JSON.stringify(results)}\n` : `${speedTable(results)}\n`);

function policySpeed(policy: string, kind: PolicyKind): PolicySpeed {
  say(`${((performance.now() - start) / 1_000).toFixed(0).padStart(5)} s  ${policy}`);
  const problems: string[] = [];
  const oneshot: Oneshot[] = [];
  for (const size of SIZES) {
    const last = measured<Oneshot>(policy, "oneshot", size, problems).at(-1);
    if (last === undefined) break;
    oneshot.push(last);
  }
  const grown = measured<Growing>(policy, "growing", MOST, problems);
  const settled = grown.filter(({ messages }) => messages >= SETTLED);
  return {
    policy,
    kind,
    oneshot,
    oneshotExponent: growthExponent(oneshot.map(({ messages, ms }) => ({ size: messages, cost: ms.median }))),
    firstStepsMs: grown.find(({ messages }) => messages >= FIRST_STEPS)?.totalMs ?? null,
    growing: grown.at(-1) ?? null,
    growingExponent: growthExponent(settled.map(({ messages, totalMs }) => ({ size: messages, cost: totalMs }))),
    ...(problems[0] !== undefined && { problem: problems[0] }),
  };
}

/** Returns what the worker reported until it finished or was killed for exceeding its time. */
function measured<Result>(
  policy: string,
  mode: "oneshot" | "growing",
  size: number,
  problems: string[],
): readonly Result[] {
  const worker = workerScript("speed-worker.ts", "speed-policy-worker.ts");
  const { stdout, stderr, status, error } = spawnSync(
    process.execPath,
    ["--conditions=threadfold-source", "--max-old-space-size=8192", worker, policy, mode, String(size), String(LIMIT)],
    { encoding: "utf8", timeout: LIMIT * 1_000 + START_UP, killSignal: "SIGKILL", maxBuffer: 1 << 28 },
  );
  if (error !== undefined) problems.push(`${mode} of ${size} messages did not finish in time`);
  else if (status !== 0)
    problems.push(`${mode} of ${size} messages: ${/^\w*Error: .*$/m.exec(stderr)?.[0] ?? "its process ended"}`);
  return stdout
    .split("\n")
    .filter((line) => line.startsWith('{"messages"'))
    .map((line) => JSON.parse(line) as Result);
}

/** Runs the growth bench in a separate process: a turn at up to a million messages. */
function turnSpeeds(): readonly TurnSpeed[] {
  const worker = join(import.meta.dirname, "growth.ts");
  const output = execFileSync(
    process.execPath,
    ["--expose-gc", "--max-old-space-size=12288", "--conditions=threadfold-source", worker, "--json"],
    { encoding: "utf8" },
  );
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"messages"'))
    .map((line) => JSON.parse(line) as TurnSpeed)
    .map(({ messages, msPerTurn, lowest, highest }) => ({ messages, msPerTurn, lowest, highest }));
}
