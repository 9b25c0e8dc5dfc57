import type { BenchMachine } from "./bench-machine.ts";
import type { Spread } from "./median.ts";
import { markdownTable } from "./text-table.ts";

/** How long a process ran from start to end, and its processor time, in milliseconds. */
export interface StartTimes {
  readonly name: string;
  readonly ms: Spread;
  readonly cpuMs: Spread;
}

/** The results of `bench:start`. */
export interface StartResults {
  readonly machine: BenchMachine;
  readonly starts: readonly StartTimes[];
}

/** Returns the starts as a Markdown table. */
export function startTable(starts: readonly StartTimes[]): string {
  return markdownTable([
    ["start", "ms", "lowest", "highest", "CPU, ms"],
    ...starts.map(({ name, ms, cpuMs }) => [
      name,
      ...[ms.median, ms.lowest, ms.highest, cpuMs.median].map((figure) => figure.toLocaleString("en-US")),
    ]),
  ]);
}
