import type { BenchMachine } from "./bench-machine.ts";
import type { LiveFigures } from "./fleet-live.ts";
import type { FleetFigures, FleetRate } from "./fleet-postgres.ts";
import { markdownTable } from "./text-table.ts";

/** The results of `bench:fleet`. */
export interface FleetResults {
  readonly machine: BenchMachine;
  readonly live: LiveFigures | null;
  readonly postgres: readonly FleetFigures[];
}

const ROWS = ["bare", "append", "shared", "fold", "work"] as const;

const NAMES: Readonly<Record<(typeof ROWS)[number], string>> = {
  bare: "bare `INSERT`",
  append: "append",
  shared: "append, all to the same threads",
  fold: "fold",
  work: "fold by queue workers",
};

/** Describes sessions in one process in a sentence. */
export const sayLive = (live: LiveFigures): string =>
  `${whole(live.sessions)} sessions, grown to ${whole(live.messages)} messages and folded: ${whole(live.grownKb)} KB each, ` +
  `${whole(live.resumedKb)} KB once reopened, ${whole(live.processMb)} MB for the whole process. ` +
  `${whole(live.turns)} turns, ${live.inFlight} at a time: ${whole(live.turnsPerSecond)} per second, half of them within ` +
  `${short(live.p50Ms)} ms, 99 % within ${short(live.p99Ms)} ms, the longest ${whole(live.highestMs)} ms.`;

/** Returns a table of what each number of processes did, a row for each kind of work. */
export const fleetTable = (postgres: readonly FleetFigures[]): string =>
  markdownTable(
    [
      ["work", "processes", "per second", "p99, ms", "longest, ms", "CPU, ms", "conflicts", "least share"],
      ...ROWS.flatMap((row) =>
        postgres.map((figures) => [NAMES[row], String(figures.processes), ...rateCells(figures[row])]),
      ),
    ],
    1,
  );

/** Describes the connections to the server in a sentence. */
export const sayPool = (postgres: readonly FleetFigures[]): string =>
  `Connections, at most and busy on average, by the number of processes: ${postgres
    .map((one) => `${one.mostConnections} and ${short(one.busyConnections)} with ${one.processes}`)
    .join(", ")}.`;

const rateCells = ({ perSecond, p99Ms, longestMs, cpuMs, conflicts, leastShare }: FleetRate): readonly string[] => [
  whole(perSecond),
  short(p99Ms),
  whole(longestMs),
  cpuMs.toFixed(cpuMs < 10 ? 2 : 0),
  whole(conflicts),
  leastShare.toFixed(2),
];

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const short = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value));
