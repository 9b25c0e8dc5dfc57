import type { ThreadEntryInput } from "@threadfold/core";
import {
  ContextSession,
  type MessageInput,
  startCompactionWorker,
  ThreadfoldError,
  type ThreadfoldStore,
} from "threadfold";
import { pgBossQueue } from "threadfold/pg-boss";
import { connectPostgres, openPostgresStore, type PostgresDriver } from "threadfold/postgres";
import { agentHistory, agentStep } from "./agent-step.ts";
import { FLEET_SESSION, type FleetAnswer, type FleetOrder, type FleetPlace, fleetThread } from "./fleet-order.ts";

async function serve(place: FleetPlace): Promise<void> {
  const driver = connectPostgres(place.url, { maxConnections: place.connections, connectTimeoutMs: 60_000 });
  const store = await openPostgresStore(driver, { schema: place.schema });
  const threads = new FleetThreads(place, driver, store);
  const answer = (told: FleetAnswer): void => void process.send?.(told);
  process.on("message", async (order: FleetOrder) => {
    if (order.do !== "end") return answer(await threads.done(order));
    await driver.close();
    process.disconnect();
  });
  answer(NOTHING);
}

const NOTHING: FleetAnswer = { times: [], seconds: 0, cpuMs: 0, conflicts: 0 };

class FleetThreads {
  readonly #place: FleetPlace;
  readonly #driver: PostgresDriver;
  readonly #store: ThreadfoldStore;
  readonly #versions = new Map<number, number>();
  #step = process.pid * 1_000_000;
  #conflicts = 0;
  #rest: (() => Promise<FleetAnswer>) | undefined;

  constructor(place: FleetPlace, driver: PostgresDriver, store: ThreadfoldStore) {
    this.#place = place;
    this.#driver = driver;
    this.#store = store;
  }

  async done(order: FleetOrder): Promise<FleetAnswer> {
    if (!("from" in order)) return order.do === "work" ? this.#work() : ((await this.#rest?.()) ?? NOTHING);
    const { from, to, seconds: limit } = order;
    const once = order.do === "fill" || order.do === "fold";
    const does = {
      fill: (thread: number) => this.#fill(thread),
      fold: (thread: number) => this.#fold(thread),
      bare: (thread: number) => this.#bare(thread),
      append: (thread: number) => this.#append(thread),
    }[order.do];
    const times: number[] = [];
    this.#conflicts = 0;
    const start = performance.now();
    const before = process.cpuUsage();
    let next = 0;
    const underWay = new Set<number>();
    // A thread still in use is skipped when its turn comes again: a process never conflicts with itself on its own
    // threads.
    const take = (): number => {
      let thread = from + (next++ % (to - from));
      while (underWay.has(thread) && underWay.size < to - from) thread = from + (next++ % (to - from));
      return thread;
    };
    const lane = async (): Promise<void> => {
      while ((!once || next < to - from) && performance.now() - start < 1_000 * limit) {
        const thread = take();
        underWay.add(thread);
        const began = performance.now();
        await does(thread);
        times.push(performance.now() - began);
        underWay.delete(thread);
      }
    };
    await Promise.all(Array.from({ length: this.#place.inFlight }, lane));
    const seconds = (performance.now() - start) / 1_000;
    return { times, seconds, cpuMs: cpuSince(before), conflicts: this.#conflicts };
  }

  async #fill(thread: number): Promise<void> {
    const entries = agentHistory(this.#place.messages).map(entryOf);
    await this.#store.threads.append(fleetThread(thread), entries, { expectedVersion: "no-thread" });
  }

  /** Writes the two messages of a step, one row each, as anyone would who only wants them back. */
  async #bare(thread: number): Promise<void> {
    const [call, result] = this.#nextStep().map((message) => JSON.stringify(message)) as [string, string];
    const sql = `INSERT INTO "${this.#place.schema}"."${this.#place.bareTable}" (thread, body) VALUES ($1, $2), ($1, $3)`;
    await this.#driver.query(sql, [thread, call, result]);
  }

  /**
   * Appends a step at the version that this process last saw. If another writer was first, it takes the actual version
   * and retries.
   */
  async #append(thread: number): Promise<void> {
    const { threads } = this.#store;
    const entries = this.#nextStep().map(entryOf);
    for (;;) {
      const expectedVersion = this.#versions.get(thread) ?? "any";
      try {
        const { version } = await threads.append(fleetThread(thread), entries, { expectedVersion });
        this.#versions.set(thread, version);
        return;
      } catch (error) {
        if (!ThreadfoldError.isInstance(error) || error.code !== "VERSION_CONFLICT") throw error;
        this.#conflicts++;
        this.#versions.set(thread, error.details["actual"] as number);
      }
    }
  }

  /** Does what a process without a kept session does: opens one, folds, and discards it. */
  async #fold(thread: number): Promise<void> {
    const session = await ContextSession.open({
      threadId: fleetThread(thread),
      store: this.#store,
      ...FLEET_SESSION,
    });
    const { type } = await session.compact({ force: true });
    if (type === "conflict") this.#conflicts++;
    else if (type !== "committed") throw new Error(`Thread ${thread} was not folded: ${type}.`);
  }

  /** Starts a worker on the queue; it works until the order to rest. */
  async #work(): Promise<FleetAnswer> {
    const { url, queueSchema, schema, inFlight } = this.#place;
    const queue = pgBossQueue({ connectionString: url, schema: queueSchema });
    const times: number[] = [];
    const before = process.cpuUsage();
    const worker = await startCompactionWorker({
      queue,
      openStore: (tenantId) => openPostgresStore(this.#driver, { schema, tenantId }),
      session: FLEET_SESSION,
      concurrency: inFlight,
      onEvent: (event) => {
        if (event.type === "job-done") times.push(event.durationMilliseconds);
      },
    });
    this.#rest = async () => {
      await worker.stop();
      await queue.close();
      const { conflicts, dead, retries, nothing } = worker.figures();
      if (dead + retries + nothing > 0) throw new Error(`Jobs were not done: ${JSON.stringify(worker.figures())}`);
      return { times, seconds: 0, cpuMs: cpuSince(before), conflicts };
    };
    return NOTHING;
  }

  #nextStep(): readonly MessageInput[] {
    return agentStep(this.#step++);
  }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const entryOf = (message: MessageInput): ThreadEntryInput => ({ type: "message", message });

await serve(JSON.parse(process.argv[2] as string) as FleetPlace);
