import { parseArgs } from "node:util";
import { benchMachine } from "./bench-machine.ts";
import { keepResults, keptResults } from "./bench-results.ts";
import { type LiveFigures, liveFigures } from "./fleet-live.ts";
import { type FleetFigures, fleetFigures } from "./fleet-postgres.ts";
import { type FleetResults, fleetTable, sayLive, sayPool } from "./fleet-table.ts";

/**
 * Measures many threads at once: sessions in one process over SQLite, and threads on one PostgreSQL
 * (THREADFOLD_POSTGRES_URL) that several processes append to and fold, compared with bare inserts of the same bytes,
 * and with workers on the queue. `--json` prints a line for each; sizes are options, so that a small run is a smoke
 * test. A run with all default sizes is kept for `bench:docs`.
 */
const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "1000" },
    turns: { type: "string", default: "5000" },
    threads: { type: "string", default: "10000" },
    processes: { type: "string", default: "1,2,4,8" },
    seconds: { type: "string", default: "8" },
    messages: { type: "string", default: "61" },
    connections: { type: "string", default: "4" },
    "in-flight": { type: "string", default: "8" },
    shared: { type: "string", default: "64" },
    jobs: { type: "string", default: "300" },
    json: { type: "boolean", default: false },
  },
});

const print = (data: unknown, text: string): unknown =>
  process.stdout.write(`${values.json ? JSON.stringify(data, rounded) : text}\n`);
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" ? Number(value.toFixed(value < 10 ? 2 : 0)) : value;
const inFlight = whole("in-flight");

let live: LiveFigures | null = null;
const postgres: FleetFigures[] = [];
if (whole("sessions") > 0) {
  live = await liveFigures({ sessions: whole("sessions"), turns: whole("turns"), messages: 400, inFlight });
  print(live, sayLive(live));
}
if (whole("threads") > 0) {
  const processes = values.processes.split(",").map(Number);
  const sizes = { threads: whole("threads"), processes, seconds: whole("seconds"), messages: whole("messages") };
  const limits = { connections: whole("connections"), inFlight, shared: whole("shared"), jobs: whole("jobs") };
  for await (const figures of fleetFigures({ ...sizes, ...limits })) {
    postgres.push(figures);
    if (values.json) print(figures, "");
  }
  if (!values.json) print(null, `\n${fleetTable(postgres)}\n\n${sayPool(postgres)}`);
}
// Each part may be measured in a separate run.
const PARTS = ["--json", "--sessions=0", "--threads=0"];
if (process.argv.slice(2).every((argument) => PARTS.includes(argument))) {
  const kept = keptResults<FleetResults>("fleet");
  const parts = { live: live ?? kept?.live ?? null, postgres: postgres.length > 0 ? postgres : (kept?.postgres ?? []) };
  keepResults("fleet", { machine: benchMachine(), ...parts } satisfies FleetResults);
}

function whole(name: Exclude<keyof typeof values, "json" | "processes">): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number.`);
  return value;
}
