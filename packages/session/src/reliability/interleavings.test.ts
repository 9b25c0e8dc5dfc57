import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Summarizer, ThreadfoldStore } from "@threadfold/core";
import { isThorough, message, patience } from "@threadfold/core/laws";
import { createMemoryStore, encryptedStore, memoryKeyStore, verifyStore } from "@threadfold/stores";
import { openPostgresStore } from "@threadfold/stores/postgres";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";
import { findPostgres, freshSchemas, withoutFlush } from "../testing/postgres-service.ts";
import { watchedStore } from "../testing/watched-store.ts";
import { interleavings, Turnstile, type Worker } from "./turnstile.ts";

const WORKERS: readonly Worker[] = ["A", "B"];
/** Where a committer is held up, in the order in which it comes by. */
const BARRIERS = ["deciding", "summarized", "committing", "committed", "recording"] as const;
const config = { maxInputTokens: 10_000 };
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy] };

/** How a committer's session is opened on the store that both work on. */
type Door = () => Promise<ThreadfoldStore>;

/** A session whose fold is held up at the barriers. */
async function committer(worker: Worker, door: Door, turnstile: Turnstile) {
  let armed = false;
  const at = async (barrier: (typeof BARRIERS)[number]): Promise<void> => {
    if (armed) await turnstile.pass(worker, barrier);
  };
  const store = watchedStore(await door(), {
    before: (call) => {
      if (call === "plans.commitPlan") return at("committing");
      return call === "journal.append" ? at("recording") : undefined;
    },
    after: (call) => (call === "plans.commitPlan" ? at("committed") : undefined),
  });
  const summarizer: Summarizer = {
    id: `extractive-${worker}@1`,
    summarize: async (request) => {
      await at("deciding");
      const result = await new ExtractiveSummarizer().summarize(request);
      await at("summarized");
      return result;
    },
  };
  const session = await openSession({ store, config, preset, summarizer });
  const fold = async () => {
    armed = true;
    const outcome = await session.compact({ force: true });
    turnstile.finish(worker);
    return outcome;
  };
  return { session, fold };
}

/** Lets two committers fold one thread in a given order and checks what comes of it. */
async function meet(
  given: Door,
  order: readonly Worker[],
  crash?: { readonly worker: Worker; readonly barrier: string },
): Promise<readonly string[]> {
  const opened: ThreadfoldStore[] = [];
  const door: Door = async () => {
    opened.push(await given());
    return opened.at(-1) as ThreadfoldStore;
  };
  const store = await door();
  const first = await openSession({ store, config, preset });
  await first.append([message("u0", "user", "Build it. Never push to main."), ...work(0, 12, 900)]);
  const turnstile = new Turnstile();
  if (crash !== undefined) turnstile.crashAt(crash.worker, crash.barrier);
  const [a, b] = await Promise.all(WORKERS.map((worker) => committer(worker, door, turnstile)));
  if (a === undefined || b === undefined) throw new Error("two committers are needed");
  const folds = { A: a.fold(), B: b.fold() };
  await turnstile.release(order);
  const alive = WORKERS.filter((worker) => worker !== crash?.worker);
  const outcomes = await Promise.all(alive.map((worker) => folds[worker]));
  // Whoever loses sees the winner's plan and folds on top of it, or finds nothing left to do.
  const types = outcomes.map(({ type }) => type);
  expect(types.filter((type) => type !== "committed" && type !== "no-op" && type !== "postponed")).toEqual([]);
  const plans = await store.plans.listPlans(threadId);
  expect(plans.map(({ version }) => version)).toEqual(plans.map((_, index) => index + 1));
  expect(plans.length).toBeGreaterThan(0);
  expect(await verifyStore(store, threadId)).toEqual([]);
  await first.refresh();
  expect(first.plan.planId).toBe((await store.plans.getCurrentPlan(threadId)).plan?.planId);
  const prepared = await first.prepare();
  expect([prepared.violations, prepared.missingPins]).toEqual([[], []]);
  expect((await first.replay()).filter(({ equal }) => !equal)).toEqual([]);
  for (const each of opened) await each.close();
  return turnstile.passed;
}

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-orders-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

const service = await findPostgres();
const server = withoutFlush(service.url);
const schemas = freshSchemas(server);
const schema = schemas.fresh();
if (service.isThere) afterAll(() => schemas.drop());

/** Each gives a new store, which as many as like may open. */
const BACKENDS: readonly (readonly [name: string, fresh: () => Door])[] = [
  [
    "memory",
    () => {
      const store = createMemoryStore();
      return async () => store;
    },
  ],
  [
    "SQLite",
    () => {
      const path = join(folder, `${made++}.db`);
      return () => openSqliteStore(path);
    },
  ],
  [
    "PostgreSQL",
    () => {
      const tenantId = `pair ${made++}`;
      return () => openPostgresStore(server, { schema, tenantId, maxConnections: 1 });
    },
  ],
  [
    "SQLite, encrypted",
    () => {
      const path = join(folder, `${made++}.db`);
      const keys = memoryKeyStore();
      return async () => encryptedStore(await openSqliteStore(path), keys);
    },
  ],
];

/** On every day these stores take one order in so many; the full run takes all of them. */
const STRIDES: Readonly<Record<string, number>> = { SQLite: 3, PostgreSQL: 12, "SQLite, encrypted": 12 };

describe.for(BACKENDS)("R5 two sessions that fold one thread, in %s", ([backend, fresh]) => {
  const isThere = backend !== "PostgreSQL" || service.isThere;
  const note = isThere ? "" : service.note;
  const stride = isThorough() ? 1 : (STRIDES[backend] ?? 1);
  const orders = interleavings(BARRIERS.length).filter((_, index) => index % stride === 0);

  it.skipIf(!isThere)(
    `R5 whatever the order of their 5 barriers, one plan follows the other (${orders.length} of 252)${note}`,
    { timeout: patience(120_000) },
    async ({ task }) => {
      expect(orders).toHaveLength(252 / stride);
      const seen = new Set<string>();
      for (const order of orders) for (const barrier of await meet(fresh(), order)) seen.add(barrier);
      expect([...seen].sort()).toEqual(WORKERS.flatMap((worker) => BARRIERS.map((name) => `${worker} ${name}`)).sort());
      Object.assign(task.meta, { figures: { backend, interleavings: orders.length, violations: 0 } });
    },
  );

  it.skipIf(!isThere)(
    `R5 the death of one at any of its 5 barriers leaves the other, and whoever comes next, able to go on${note}`,
    async ({ task }) => {
      let crashes = 0;
      for (const worker of WORKERS) {
        for (const barrier of BARRIERS) {
          const order = Array.from({ length: BARRIERS.length }, () => WORKERS).flat();
          await meet(fresh(), order, { worker, barrier });
          crashes++;
        }
      }
      Object.assign(task.meta, { figures: { backend, crashes, violations: 0 } });
    },
  );
});
