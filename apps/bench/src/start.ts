import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import { spreadOf } from "./median.ts";
import type { StartResults, StartTimes } from "./start-table.ts";

/**
 * Measures how long the built packages take to start: importing the library, printing the command's version, and Node
 * alone for comparison. Each is started `--rounds=10` times, alternating with the others, after one run that fills the
 * system's caches and Node's own compile cache; at its end, each reports how long it ran and its processor time.
 * `--json` prints one line each. The results are kept for `bench:docs`.
 */
const json = process.argv.includes("--json");
const rounds = Number(process.argv.find((word) => word.startsWith("--rounds="))?.slice("--rounds=".length) ?? 10);
const built = join(import.meta.dirname, "../../../packages/threadfold");

const STARTS: readonly (readonly [name: string, given: readonly string[]])[] = [
  ["node", ["--eval", "0"]],
  ['import "threadfold"', [join(built, "dist/index.js")]],
  ["threadfold --version", [join(built, "bin/threadfold.mjs"), "--version"]],
];

/**
 * A module that has a process print its run time and processor time in milliseconds when it exits, on a separate line.
 */
const SAYS_TIME = `data:text/javascript,${encodeURIComponent(`
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write("\\n" + JSON.stringify({ ms: performance.now(), cpuMs: (user + system) / 1000 }));
});
`)}`;

interface StartTime {
  readonly ms: number;
  readonly cpuMs: number;
}

function started(given: readonly string[]): StartTime {
  const { stdout, status, stderr } = spawnSync(process.execPath, ["--import", SAYS_TIME, ...given], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${given.join(" ")} exited with ${status}: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) as string);
}

const times = STARTS.map((): StartTime[] => []);
for (let round = 0; round <= rounds; round++)
  for (const [at, [, given]] of STARTS.entries()) {
    const time = started(given);
    if (round > 0) times[at]?.push(time);
  }
const starts = STARTS.map(([name], at): StartTimes => {
  const own = times[at] ?? [];
  return {
    name,
    ms: spreadOf(own.map(({ ms }) => Math.round(ms))),
    cpuMs: spreadOf(own.map(({ cpuMs }) => Math.round(cpuMs))),
  };
});
keepResults("start", { machine: benchMachine(), starts } satisfies StartResults);
for (const { name, ms, cpuMs } of starts) {
  const text = `${name.padEnd(22)} ${ms.median} ms (${ms.lowest} to ${ms.highest}), CPU ${cpuMs.median} ms (lowest ${cpuMs.lowest})`;
  process.stdout.write(`${json ? JSON.stringify({ name, ms, cpuMs }) : text}\n`);
}
