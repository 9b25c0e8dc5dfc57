import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pgBossQueue } from "threadfold/pg-boss";
import { connectPostgres, openPostgresStore, type PostgresDriver } from "threadfold/postgres";
import {
  FLEET_BUDGET,
  type FleetAnswer,
  type FleetOrder,
  type FleetPlace,
  type FleetTask,
  fleetServer,
  fleetThread,
} from "./fleet-order.ts";
import { percentile } from "./median.ts";

/** The numbers of threads and processes, and how long each operation is measured. */
export interface FleetSizes {
  readonly threads: number;
  readonly processes: readonly number[];
  readonly seconds: number;
  /** Number of messages of each thread before it is folded. */
  readonly messages: number;
  /** Connections of each process; `inFlight`: operations of each process at the same time. */
  readonly connections: number;
  readonly inFlight: number;
  /** Number of threads to which every process appends. */
  readonly shared: number;
  /** Number of folds requested of workers for each number of processes. */
  readonly jobs: number;
}

/** The cost of one kind of operation over all processes. */
export interface FleetRate {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Processor time of one operation in its process, in milliseconds, excluding the server's. */
  readonly cpuMs: number;
  /** Number of times another writer was first. */
  readonly conflicts: number;
  /** The work of the process that did least, relative to an equal share: 1 when all did the same. */
  readonly leastShare: number;
}

/** What this number of processes did on one PostgreSQL. */
export interface FleetFigures {
  readonly part: "postgres";
  readonly threads: number;
  readonly processes: number;
  readonly connections: number;
  readonly inFlight: number;
  /** Inserts of a step's two messages into one table, in one statement. */
  readonly bare: FleetRate;
  /** Appends of the same messages to a thread, with the expected version. */
  readonly append: FleetRate;
  /** The same, all to a few threads. */
  readonly shared: FleetRate;
  /** Opening a session, folding its thread, and committing the plan. */
  readonly fold: FleetRate;
  /** The same by workers on a queue; `p99Ms` and `longestMs` exclude the wait in the queue. */
  readonly work: FleetRate;
  /** Maximum number of connections to the server; `busyConnections`: how many were busy on average. */
  readonly mostConnections: number;
  readonly busyConnections: number;
}

const SCRIPT = join(import.meta.dirname, "fleet-process.ts");
const POLL_MS = 100;
/** Time limit for work that ends on its own, in seconds. */
const NO_LIMIT = 86_400;

/** Measures each number of processes on the same threads, in a separate schema that is dropped at the end. */
export async function* fleetFigures(sizes: FleetSizes): AsyncGenerator<FleetFigures> {
  const address = new URL(fleetServer());
  const name = `threadfold_fleet_${randomBytes(6).toString("hex")}`;
  address.searchParams.set("application_name", name);
  const { connections, inFlight, messages } = sizes;
  const place = { url: address.href, schema: name, queueSchema: `${name}_queue`, bareTable: "bare_rows" };
  const driver = connectPostgres(fleetServer(), { maxConnections: 2 });
  const fleet = { place: { ...place, connections, inFlight, messages }, driver, sizes };
  try {
    await (await openPostgresStore(driver, { schema: name })).close();
    await driver.script(`CREATE TABLE "${name}"."${place.bareTable}"
      (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, thread bigint NOT NULL, body text NOT NULL)`);
    const unfolded = { next: sizes.shared };
    await withProcesses(fleet.place, 2, (all) => ask(all, "fill", [0, sizes.threads], NO_LIMIT));
    for (const processes of sizes.processes) yield await measured(fleet, processes, unfolded);
  } finally {
    for (const schema of [name, place.queueSchema]) await driver.script(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await driver.close();
  }
}

interface Fleet {
  readonly place: FleetPlace;
  readonly driver: PostgresDriver;
  readonly sizes: FleetSizes;
}

/** @param unfolded the first thread that has not been folded yet. */
function measured(fleet: Fleet, processes: number, unfolded: { next: number }): Promise<FleetFigures> {
  const { place, driver, sizes } = fleet;
  const { threads, seconds, shared, connections, inFlight } = sizes;
  return withProcesses(place, processes, async (all) => {
    const use = watchedPool(driver, place.schema);
    const bare = rateOf(await ask(all, "bare", [0, threads], seconds));
    const append = rateOf(await ask(all, "append", [shared, threads], seconds));
    const sharedRate = rateOf(await Promise.all(all.map((one) => one.ask(task("append", [0, shared], seconds)))));
    const share = Math.floor((threads - shared) / sizes.processes.length);
    const end = unfolded.next + share;
    const folded = await ask(all, "fold", [unfolded.next, end - Math.min(sizes.jobs, Math.floor(share / 2))], seconds);
    const pool = await use.end();
    const work = await worked(fleet, all, [end - Math.min(sizes.jobs, Math.floor(share / 2)), end]);
    unfolded.next = end;
    const rates = { bare, append, shared: sharedRate, fold: rateOf(folded), work };
    return { part: "postgres", threads, processes, connections, inFlight, ...rates, ...pool };
  });
}

/** Enqueues the folds before it starts the workers, so that all jobs are waiting when they begin. */
async function worked(
  { place, driver }: Fleet,
  all: readonly FleetProcess[],
  [from, to]: readonly [number, number],
): Promise<FleetRate> {
  const queue = pgBossQueue({ connectionString: place.url, schema: place.queueSchema });
  for (let thread = from; thread < to; thread++)
    await queue.enqueue({
      schemaVersion: 1,
      threadId: fleetThread(thread),
      tenantId: null,
      planVersion: 0,
      threadVersion: place.messages,
      maxInputTokens: FLEET_BUDGET,
      softThreshold: 0.3,
    });
  const start = performance.now();
  await Promise.all(all.map((one) => one.ask({ do: "work" })));
  const waiting = `SELECT count(*) AS jobs FROM "${place.queueSchema}".job WHERE state < 'completed'`;
  while (((await driver.query<{ jobs: number }>(waiting))[0]?.jobs ?? 0) > 0) await pause(POLL_MS);
  const seconds = (performance.now() - start) / 1_000;
  const answers = await Promise.all(all.map((one) => one.ask({ do: "rest" })));
  await queue.close();
  return rateOf(answers.map((answer) => ({ ...answer, seconds })));
}

const task = (does: FleetTask["do"], [from, to]: readonly [number, number], seconds: number): FleetTask => ({
  do: does,
  from,
  to,
  seconds,
});

/** Gives each process its share of the threads. */
function ask(
  all: readonly FleetProcess[],
  does: FleetTask["do"],
  [from, to]: readonly [number, number],
  seconds: number,
): Promise<readonly FleetAnswer[]> {
  const at = (part: number): number => from + Math.floor((part * (to - from)) / all.length);
  return Promise.all(all.map((one, part) => one.ask(task(does, [at(part), at(part + 1)], seconds))));
}

function rateOf(answers: readonly FleetAnswer[]): FleetRate {
  const times = answers.flatMap((answer) => answer.times);
  const rates = answers.map((answer) => answer.times.length / answer.seconds);
  const perSecond = rates.reduce((sum, rate) => sum + rate, 0);
  return {
    perSecond,
    p99Ms: percentile(times, 0.99),
    longestMs: percentile(times, 1),
    cpuMs: answers.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times.length,
    conflicts: answers.reduce((sum, { conflicts }) => sum + conflicts, 0),
    leastShare: (Math.min(...rates) * rates.length) / perSecond,
  };
}

/** Polls the fleet's connections to the server, which it finds by application name. */
function watchedPool(driver: PostgresDriver, name: string) {
  const seen: { readonly all: number; readonly busy: number }[] = [];
  const sql = `SELECT count(*) AS all, count(*) FILTER (WHERE state <> 'idle') AS busy
    FROM pg_stat_activity WHERE application_name = $1`;
  let isRunning = true;
  const look = async (): Promise<void> => {
    while (isRunning) {
      seen.push(...(await driver.query<(typeof seen)[number]>(sql, [name])));
      await pause(POLL_MS);
    }
  };
  const looking = look();
  return {
    end: async () => {
      isRunning = false;
      await looking;
      const busy = seen.reduce((sum, one) => sum + one.busy, 0) / seen.length;
      return { mostConnections: Math.max(...seen.map(({ all }) => all)), busyConnections: busy };
    },
  };
}

/** One process of the fleet. */
interface FleetProcess {
  ask(order: FleetOrder): Promise<FleetAnswer>;
}

async function withProcesses<Result>(
  place: FleetPlace,
  count: number,
  work: (all: readonly FleetProcess[]) => Promise<Result>,
): Promise<Result> {
  const execArgv = ["--conditions=threadfold-source"];
  const children = Array.from({ length: count }, () => fork(SCRIPT, [JSON.stringify(place)], { execArgv }));
  try {
    await Promise.all(children.map(answered));
    const result = await work(
      children.map((child) => ({
        ask: (order: FleetOrder) => {
          const answer = answered(child);
          child.send(order);
          return answer;
        },
      })),
    );
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.send({ do: "end" } satisfies FleetOrder);
    await Promise.all(exits);
    return result;
  } finally {
    for (const child of children) child.kill();
  }
}

function answered(child: ChildProcess): Promise<FleetAnswer> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`A process of the fleet exited with ${code}.`));
    child.once("exit", gone);
    child.once("message", (answer) => {
      child.off("exit", gone);
      resolve(answer as FleetAnswer);
    });
  });
}
