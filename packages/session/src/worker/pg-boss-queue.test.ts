import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  asMessageId,
  asThreadId,
  type ContextCompactionEvent,
  planRecords,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { archiveThread, unarchiveThread, verifyStore } from "@threadfold/stores";
import { openPostgresStore, type PostgresStore } from "@threadfold/stores/postgres";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import type { ContextSession } from "../loop/context-session.ts";
import type { CompactionQueue } from "../queue/compaction-queue.ts";
import { openSession, tokenizer, work } from "../testing/agent-work.ts";
import { heldSummarizer } from "../testing/held-summarizer.ts";
import { findPostgres, freshSchemas } from "../testing/postgres-service.ts";
import type { WorkerOrder, WorkerWord } from "./compaction-worker.process.ts";
import {
  type CompactionWorkerEvent,
  type CompactionWorkerOptions,
  startCompactionWorker,
} from "./compaction-worker.ts";
import { pgBossQueue } from "./pg-boss-queue.ts";

const service = await findPostgres();
const config = { maxInputTokens: 10_000, costModelEnabled: false, softThresholdPercent: 0.85, targetPercent: 0.5 };
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy], config: { policyVersion: "tests" } };
const ahead = [message("u0", "user", "Build it. The word is Rumpelstilzchen."), ...work(0, 8, 900)];
const SCRIPT = fileURLToPath(new URL("compaction-worker.process.ts", import.meta.url));

/** A worker in a process of its own, and what it said so far. */
class WorkerProcess {
  readonly child: ChildProcess;
  readonly words: WorkerWord[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(schema: string, queueSchema: string) {
    this.child = fork(SCRIPT, [service.url, schema, queueSchema], { execArgv: ["--conditions=threadfold-source"] });
    this.child.on("message", (word: WorkerWord) => {
      this.words.push(word);
      for (const look of this.#waiting) look();
    });
  }

  order(order: WorkerOrder): void {
    this.child.send(order);
  }

  /** Waits until it has said so many words of this kind. */
  said(is: WorkerWord["is"] | CompactionWorkerEvent["type"], times = 1): Promise<void> {
    const enough = () =>
      this.words.filter((word) => word.is === is || (word.is === "event" && word.event.type === is)).length >= times;
    return new Promise((resolve) => {
      const look = (): void => {
        if (!enough()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  get results(): readonly string[] {
    return this.words.flatMap((word) =>
      word.is === "event" && word.event.type === "job-done" ? [word.event.result.type] : [],
    );
  }
}

describe("pgBossQueue", () => {
  it.each([
    ["options", undefined],
    ["options", "postgres://127.0.0.1"],
    ["connectionString", {}],
    ["boss.send", { boss: undefined }],
  ])("refuses %s: %o", (name, options) => {
    expect(() => pgBossQueue(options as never)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
    );
  });
});

describe.skipIf(!service.isThere)(`background folds on PostgreSQL with pg-boss${service.note}`, () => {
  const schemas = freshSchemas(service.url);
  const schema = schemas.fresh();
  const queueSchema = schemas.fresh();
  const queues: CompactionQueue[] = [];
  const children: WorkerProcess[] = [];
  let store: PostgresStore;
  let queue: CompactionQueue;

  const openQueue = (
    name: string,
    more: { readonly attempts?: number; readonly pollSeconds?: number } = {},
  ): CompactionQueue => {
    const opened = pgBossQueue({
      connectionString: service.url,
      schema: queueSchema,
      name,
      pollSeconds: 0.5,
      retryDelaySeconds: 0,
      heartbeatSeconds: 10,
      ...more,
    });
    queues.push(opened);
    return opened;
  };
  const agent = (threadId: ThreadId, more: Partial<SessionOptions> = {}): Promise<ContextSession> =>
    openSession({ threadId, store, config, preset, background: { queue }, ...more });
  const startWorker = (at: CompactionQueue, more: Partial<CompactionWorkerOptions> = {}) =>
    startCompactionWorker({
      queue: at,
      openStore: (tenantId) => openPostgresStore(service.url, { schema, tenantId, maxConnections: 2 }),
      session: { config, preset, tokenizer },
      ...more,
    });
  /** Prepares requests until one is rendered with this plan. */
  const planOf = async (session: ContextSession, version: number) => {
    for (;;) {
      const prepared = await session.prepare();
      if (prepared.plan.version >= version) return prepared;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeAll(async () => {
    store = await openPostgresStore(service.url, { schema, maxConnections: 4 });
    queue = openQueue("compaction");
    await queue.deadJobs();
  });
  afterAll(async () => {
    for (const { child } of children) child.kill("SIGKILL");
    for (const opened of queues) await opened.close();
    await store.close();
    await schemas.drop();
  });

  it("L22 C3 the agent goes on while a slow worker folds, and the plan covers only what was sent by then", async () => {
    const threadId = asThreadId("l22");
    const held = heldSummarizer();
    const worker = await startWorker(queue, { session: { config, preset, tokenizer, summarizer: held.summarizer } });
    const session = await agent(threadId);
    await session.append(ahead);
    await session.prepare();
    await held.reached;
    // The summarizer would take for ever; no request of the agent waits for it.
    for (let step = 0; step < 3; step++) {
      await session.append(work(8 + step, 9 + step, 100));
      const prepared = await session.prepare();
      expect([prepared.plan.version, prepared.outcome?.type, prepared.violations]).toEqual([0, "postponed", []]);
    }
    held.open();
    const after = await planOf(session, 1);
    const folded = planRecords(after.plan).flatMap(({ span }) => span.messageIds);
    expect(folded).toContain("t0");
    for (const id of ["a8", "t9", "t10"]) expect(folded).not.toContain(id);
    expect(after.plan.threadVersion).toBe(ahead.length);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store, threadId)).toEqual([]);
    await worker.stop();
    expect(worker.figures()).toMatchObject({ running: 0, done: 1, committed: 1 });
  });

  it("S35 a worker's plan is rejected when a request over the cap was folded at once", async () => {
    const threadId = asThreadId("s35");
    const held = heldSummarizer();
    const worker = await startWorker(queue, { session: { config, preset, tokenizer, summarizer: held.summarizer } });
    const session = await agent(threadId);
    await session.append(ahead);
    await session.prepare();
    await held.reached;
    await session.append(work(8, 12, 900));
    const hard = await session.prepare();
    expect([hard.outcome?.type, hard.plan.version]).toEqual(["committed", 1]);
    held.open();
    await worker.stop();
    expect(worker.figures()).toMatchObject({ done: 1, committed: 0, conflicts: 1 });
    expect((await session.prepare()).digest).toBe(hard.digest);
    expect(await store.plans.listPlans(threadId)).toHaveLength(1);
  });

  it("run one job per thread at a time, keep tenants apart, and put nothing that anybody said into the queue", async () => {
    const busy = openQueue("one-at-a-time");
    const session = await agent(asThreadId("once"), { background: { queue: busy } });
    const again = await agent(asThreadId("once"), { background: { queue: busy } });
    await session.append(ahead);
    await again.refresh();
    const heard: ContextCompactionEvent[] = [];
    const third = await agent(asThreadId("once"), {
      background: { queue: busy },
      onEvent: (event) => heard.push(event),
    });
    await Promise.all([session.prepare(), again.prepare()]);
    await third.prepare();
    expect(heard.find(({ type }) => type === "compaction_requested")).toMatchObject({ status: "in-flight" });
    const tenantStore = await openPostgresStore(service.url, { schema, tenantId: "acme", maxConnections: 2 });
    const tenant = await agent(asThreadId("once"), {
      store: tenantStore,
      tenantId: "acme",
      background: { queue: busy },
    });
    await tenant.append(ahead);
    await tenant.prepare();
    const rows = await schemas.driver.query<{ data: { tenantId: string | null }; whole: string }>(
      `SELECT data, j::text AS whole FROM ${queueSchema}.job j WHERE name = 'one-at-a-time' ORDER BY created_on`,
      [],
    );
    expect(rows.map(({ data }) => data.tenantId)).toEqual([null, "acme"]);
    for (const { whole } of rows) expect(whole).not.toContain("Rumpelstilzchen");
    const worker = await startWorker(busy);
    expect((await planOf(tenant, 1)).plan.version).toBe(1);
    expect((await planOf(session, 1)).plan.version).toBe(1);
    await worker.stop();
    const outputs = await schemas.driver.query<{ whole: string }>(
      `SELECT j::text AS whole FROM ${queueSchema}.job j WHERE name = 'one-at-a-time' AND state = 'completed'`,
      [],
    );
    expect(outputs).toHaveLength(2);
    for (const { whole } of outputs) expect(whole).not.toContain("Rumpelstilzchen");
    await tenantStore.close();
  });

  it("keep a thread with a queued job from being archived; an unarchived thread goes on and replays as before", async () => {
    const threadId = asThreadId("closed");
    const waiting = openQueue("closed");
    const session = await agent(threadId, { background: { queue: waiting } });
    await session.append(ahead);
    await session.prepare();
    const to = mkdtempSync(join(tmpdir(), "threadfold-cold-"));
    const isInUse = (id: ThreadId): Promise<boolean> | boolean =>
      waiting.isInFlight?.({ tenantId: null, threadId: id }) ?? false;
    const archive = (): Promise<unknown> => archiveThread(store, threadId, { to, stillForMs: 0, isInUse });
    await expect(archive()).rejects.toMatchObject({ code: "THREAD_IN_USE" });
    const worker = await startWorker(waiting);
    await planOf(session, 1);
    await worker.stop();
    expect(await waiting.isInFlight?.({ tenantId: null, threadId })).toBe(false);
    const replayed = await session.replay();
    expect(replayed.every(({ equal }) => equal)).toBe(true);
    await archive();
    await expect(session.append(work(8, 9, 100))).rejects.toMatchObject({ code: "THREAD_ARCHIVED" });
    await expect(agent(threadId)).rejects.toMatchObject({ code: "THREAD_ARCHIVED" });
    await unarchiveThread(store, threadId);
    const again = await agent(threadId);
    expect(await again.replay()).toEqual(replayed);
    await again.append(work(8, 9, 100));
    expect((await again.prepare()).violations).toEqual([]);
    expect(await verifyStore(store, threadId)).toEqual([]);
    rmSync(to, { recursive: true });
  });

  it("give a job up after so many tries, say why, and take a new one for the same thread", async () => {
    const failing = openQueue("failing", { attempts: 2 });
    const session = await agent(asThreadId("dead"), { background: { queue: failing } });
    await session.append(ahead);
    await session.prepare();
    const dead = Promise.withResolvers<void>();
    const told: CompactionWorkerEvent[] = [];
    const worker = await startWorker(failing, {
      openStore: () => Promise.reject(new ThreadfoldError("STORE_UNAVAILABLE", "The store is away.")),
      onEvent: (event) => {
        told.push(event);
        if (event.type === "job-dead") dead.resolve();
      },
    });
    await dead.promise;
    await worker.stop();
    expect(told.map(({ type, attempt }) => [type, attempt])).toEqual([
      ["job-started", 1],
      ["job-retried", 1],
      ["job-started", 2],
      ["job-dead", 2],
    ]);
    const [given] = await failing.deadJobs();
    expect(given).toMatchObject({
      job: { threadId: "dead", planVersion: 0 },
      attempts: 2,
      problem: { kind: "failed", code: "STORE_UNAVAILABLE", message: "STORE_UNAVAILABLE: The store is away." },
    });
    const next = await agent(asThreadId("dead"), { background: { queue: failing } });
    const healthy = await startWorker(failing);
    expect((await planOf(next, 1)).plan.version).toBe(1);
    await healthy.stop();
  });

  it("P9 take one waiting job after the other, and poll only when there is none", async () => {
    const full = openQueue("backlog", { pollSeconds: 3_600 });
    const jobs = 7;
    for (let index = 0; index < jobs; index++)
      await full.enqueue({
        schemaVersion: 1,
        threadId: asThreadId(`backlog-${index}`),
        tenantId: null,
        planVersion: 0,
        threadVersion: 0,
        maxInputTokens: 10_000,
        softThreshold: 0.5,
      });
    const all = Promise.withResolvers<void>();
    let done = 0;
    const worker = await startWorker(full, {
      concurrency: 2,
      onEvent: ({ type }) => {
        if (type === "job-done" && ++done === jobs) all.resolve();
      },
    });
    await all.promise;
    expect(worker.figures()).toMatchObject({ done: jobs, running: 0 });
    await worker.stop();
  });

  it("are made in place when the queue cannot be reached", async () => {
    const away = pgBossQueue({ connectionString: "postgres://postgres@127.0.0.1:1/postgres" });
    const heard: ContextCompactionEvent[] = [];
    const threadId = asThreadId("queue-down");
    const session = await agent(threadId, { background: { queue: away }, onEvent: (event) => heard.push(event) });
    await session.append([...ahead, ...work(8, 10, 900)]);
    const prepared = await session.prepare();
    expect([prepared.outcome?.type, prepared.plan.version]).toEqual(["committed", 1]);
    expect(heard.filter(({ type }) => type === "compaction_queue_failed")).toMatchObject([
      { problem: expect.stringContaining("ECONNREFUSED") },
    ]);
    await expect(startWorker(away)).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE", retryable: true });
    await away.close();
    await expect(away.deadJobs()).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
  });

  describe("two machines", () => {
    // Each is at a queue of its own, as when one of them was cut off and its job was given to the other.
    const sides = [schemas.fresh(), queueSchema];
    const threadId = asThreadId("two-machines");
    const machines: WorkerProcess[] = [];
    let session: ContextSession;
    const asking = (side: number, expireInSeconds: number): CompactionQueue => {
      const figures = { connectionString: service.url, retryDelaySeconds: 0, heartbeatSeconds: 10, expireInSeconds };
      const opened = pgBossQueue({ ...figures, schema: sides[side] as string });
      queues.push(opened);
      return opened;
    };
    const ask = (queue: CompactionQueue, side: number): Promise<string> =>
      queue.enqueue({
        schemaVersion: 1,
        threadId,
        tenantId: null,
        planVersion: session.plan.version,
        threadVersion: session.thread.version,
        // What they make differs, so that it shows whose was committed: the same plan twice would be one plan.
        maxInputTokens: config.maxInputTokens - 1_500 * side,
        softThreshold: 0.5,
      });

    beforeAll(async () => {
      machines.push(...sides.map((side) => new WorkerProcess(schema, side)));
      children.push(...machines);
      await Promise.all(machines.map((machine) => machine.said("ready")));
      session = await openSession({ threadId, store, config, preset });
    });

    it("R4 C3 that fold one thread at the same time have one winner for each plan version", async () => {
      const rounds = 3;
      const both = [asking(0, 60), asking(1, 60)];
      for (let round = 0; round < rounds; round++) {
        await session.append(round === 0 ? ahead : work(10 * round, 10 * round + 7, 900));
        for (const [side, at] of both.entries()) expect(await ask(at, side)).toBe("enqueued");
        await Promise.all(machines.map((machine) => machine.said("folding", round + 1)));
        const late = message(`late-${round}`, "user", "While you fold.");
        await session.append([late]);
        for (const machine of machines) machine.order("go");
        await Promise.all(machines.map((machine) => machine.said("job-done", round + 1)));
        expect(machines.map(({ results }) => results[round]).sort()).toEqual(["committed", "conflict"]);
        await session.refresh();
        expect(session.plan.version).toBe(round + 1);
        expect(planRecords(session.plan).flatMap(({ span }) => span.messageIds)).not.toContain(late.id);
      }
      const versions = (await store.plans.listPlans(threadId)).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
      expect(await verifyStore(store, threadId)).toEqual([]);
    });

    it("R1 lose nothing when one of them is killed in the middle of a fold: another worker finishes its job", async () => {
      const [killed, other] = machines as [WorkerProcess, WorkerProcess];
      const before = session.plan.version;
      await session.append(work(60, 67, 900));
      const folding = killed.words.filter(({ is }) => is === "folding").length;
      // A job that takes longer than it may is given to another worker, whether its own is dead or not.
      expect(await ask(asking(0, 3), 0)).toBe("enqueued");
      await killed.said("folding", folding + 1);
      await session.append([message("u-kill", "user", "Still here?")]);
      killed.child.kill("SIGKILL");
      await once(killed.child, "exit");
      const boss = new PgBoss({
        connectionString: service.url,
        schema: sides[0] as string,
        max: 3,
        schedule: false,
        superviseIntervalSeconds: 1,
        monitorIntervalSeconds: 1,
      });
      boss.on("error", () => undefined);
      await boss.start();
      const done = Promise.withResolvers<CompactionWorkerEvent>();
      const heir = await startWorker(pgBossQueue({ boss, pollSeconds: 0.5 }), {
        onEvent: (event) => {
          if (event.type === "job-done") done.resolve(event);
        },
      });
      expect(await done.promise).toMatchObject({ attempt: 2, result: { type: "committed", planVersion: before + 1 } });
      await heir.stop();
      await boss.stop({ graceful: true });
      await session.refresh();
      expect(session.plan.version).toBe(before + 1);
      const stored = await store.threads.load(threadId);
      expect(stored?.version).toBe(session.thread.version);
      expect(stored?.message(asMessageId("u-kill"))).toBeDefined();
      expect((await session.prepare()).violations).toEqual([]);
      expect(await verifyStore(store, threadId)).toEqual([]);
      other.order("stop");
      await other.said("stopped");
      expect(other.words.at(-1)).toMatchObject({
        is: "stopped",
        figures: { running: 0, done: other.results.length, retries: 0, dead: 0 },
      });
    });
  });
});
