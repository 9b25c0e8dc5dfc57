import { shapes } from "./blocking-shapes.ts";
import { informational, type Run, steps } from "./blocking-steps.ts";
import { type ThreadTime, threadTime } from "./thread-time.ts";

/**
 * Measures how long text of any shape blocks the event loop. Every step that runs over text is run on every shape, once
 * at half a size and once at all of it, and the measure is the thread's own processor time, so that other load on the
 * machine does not change the result. A megabyte is a megabyte of the step's input, which for an importer is the file.
 * `--json` prints one line for each step and shape, and the worst of them at the end; `--megabytes N` (UTF-16 code
 * units, 0.5 by default), `--step TEXT` and `--shape TEXT` choose.
 */

/** One cell: the cost of a shape in a step, and its longest stretch in which nothing else could run. */
interface Cell {
  readonly step: string;
  readonly shape: string;
  readonly megabytes: number;
  readonly cpuMs: number;
  readonly msPerMegabyte: number;
  readonly ratioOnDoubling: number;
  readonly longestHoldMs: number;
}

const MEGABYTE = 1_000_000;
/** The longest that the event loop may be blocked per megabyte, in milliseconds. */
const TARGET_MS = 50;
/** Cells that take less than this are too short to say how they grow. */
const MEASURABLE_MS = 5;
const ROUNDS = 2;
const SHOWN = 25;

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const asJson = process.argv.includes("--json");
const megabytes = Number(option("megabytes") ?? 0.5);
const chosen = <Value>(all: Readonly<Record<string, Value>>, name: string): readonly (readonly [string, Value])[] =>
  Object.entries(all).filter(([key]) => key.includes(option(name) ?? ""));

const cells: Cell[] = [];
for (const [step, run] of chosen(steps, "step")) {
  for (const [shape, textOf] of chosen(shapes, "shape")) {
    await threadTime(run(textOf(20_000)).start);
    const half = await best(run(textOf((megabytes * MEGABYTE) / 2)));
    const full = run(textOf(megabytes * MEGABYTE));
    const whole = await best(full);
    const size = full.megabytes ?? megabytes;
    const cell: Cell = {
      step,
      shape,
      megabytes: Math.round(size * 1_000) / 1_000,
      cpuMs: rounded(whole.cpuMs),
      msPerMegabyte: rounded(whole.cpuMs / size),
      ratioOnDoubling: rounded(half.cpuMs < MEASURABLE_MS ? 2 : whole.cpuMs / half.cpuMs),
      longestHoldMs: rounded(whole.longestHoldMs),
    };
    cells.push(cell);
    if (asJson) print(JSON.stringify(cell));
  }
}
report();

async function best(run: Run): Promise<ThreadTime> {
  let least = await threadTime(run.start);
  for (let round = 1; round < ROUNDS; round++) {
    const next = await threadTime(run.start);
    if (next.cpuMs < least.cpuMs) least = next;
  }
  return least;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function report(): void {
  const worst = cells.toSorted((a, b) => holdOf(b) - holdOf(a));
  const over = worst.filter((cell) => holdOf(cell) > TARGET_MS && !informational.has(cell.step));
  if (asJson) {
    const held = worst.find(({ step }) => !informational.has(step));
    print(JSON.stringify({ worst: held, cells: cells.length, over: over.length, targetMs: TARGET_MS }));
    return;
  }
  print(
    `${cells.length} cells of ${megabytes} MB; ${over.length} hold the loop up for more than ${TARGET_MS} ms per MB.`,
  );
  for (const { step, shape, msPerMegabyte, ratioOnDoubling, longestHoldMs } of worst.slice(0, SHOWN))
    print(
      `${longestHoldMs.toFixed(0).padStart(7)} ms held, ${msPerMegabyte.toFixed(0).padStart(7)} ms/MB, ×${ratioOnDoubling.toFixed(1)} on doubling: ${step}, ${shape}`,
    );
}

/** Returns the longest stretch in milliseconds per megabyte. */
function holdOf({ longestHoldMs, megabytes: size }: Cell): number {
  return longestHoldMs / size;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
