import type { BenchMachine } from "./bench-machine.ts";
import type { Spread } from "./median.ts";
import { markdownTable } from "./text-table.ts";

/** How long a process ran from its start to its end, in milliseconds, and what it took of the processor. */
export interface StartTimes {
  readonly name: string;
  readonly ms: Spread;
  readonly cpuMs: Spread;
}

/** What `bench:start` measured. */
export interface StartResults {
  readonly machine: BenchMachine;
  readonly starts: readonly StartTimes[];
}

/** Starts as a table in Markdown. */
export function startTable(starts: readonly StartTimes[]): string {
  return markdownTable([
    ["start", "ms", "lowest", "highest", "of the processor, ms"],
    ...starts.map(({ name, ms, cpuMs }) => [
      name,
      ...[ms.median, ms.lowest, ms.highest, cpuMs.median].map((figure) => figure.toLocaleString("en-US")),
    ]),
  ]);
}
