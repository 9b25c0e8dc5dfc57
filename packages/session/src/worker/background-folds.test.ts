import {
  asThreadId,
  type ContextCompactionEvent,
  planRecords,
  ThreadfoldError,
  type ThreadfoldStore,
} from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { type CompactionQueue, parseCompactionJob } from "../queue/compaction-queue.ts";
import { openSession, threadId, tokenizer, work } from "../testing/agent-work.ts";
import { heldSummarizer } from "../testing/held-summarizer.ts";
import { memoryQueue } from "../testing/memory-queue.ts";
import { watchedStore } from "../testing/watched-store.ts";
import { type CompactionWorkerEvent, startCompactionWorker } from "./compaction-worker.ts";

const config = { maxInputTokens: 10_000, costModelEnabled: false, softThresholdPercent: 0.85, targetPercent: 0.5 };
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy], config: { policyVersion: "tests" } };
/** Above the share from which on a worker is asked, and below the one at which a session folds. */
const ahead = [message("u0", "user", "Build it."), ...work(0, 8, 900)];
/** Above the session's own threshold. */
const soft = [message("u0", "user", "Build it."), ...work(0, 9, 950)];

/** The store as a job sees it: closing it is the tests' own matter. */
const shared = (store: ThreadfoldStore) => async (): Promise<ThreadfoldStore> => ({
  ...store,
  close: async () => undefined,
});

async function backgroundFold(summarizer = heldSummarizer()) {
  const store = createMemoryStore();
  const heard: ContextCompactionEvent[] = [];
  const told: CompactionWorkerEvent[] = [];
  const { queue, asked, idle } = memoryQueue();
  const session = await openSession({
    store,
    config,
    preset,
    background: { queue },
    onEvent: (event) => heard.push(event),
  });
  const start = () =>
    startCompactionWorker({
      queue,
      openStore: shared(store),
      session: { config, preset, tokenizer, summarizer: summarizer.summarizer },
      onEvent: (event) => told.push(event),
    });
  return { store, heard, told, queue, asked, idle, session, start, summarizer };
}

const typesOf = (events: readonly { readonly type: string }[]): readonly string[] => events.map(({ type }) => type);

describe("a session that leaves its folds to a worker", () => {
  it("L22 C3 a session requests one fold ahead of its threshold, goes on, and takes the plan once it is committed", async () => {
    const { store, heard, told, asked, idle, session, start, summarizer } = await backgroundFold();
    const worker = await start();
    await session.append(ahead);
    const first = await session.prepare();
    expect(first.outcome).toMatchObject({ type: "postponed", reason: "the fold is left to a worker" });
    await summarizer.reached;
    await session.append([message("a-late", "assistant", "While you fold."), message("u-late", "user", "I go on.")]);
    const second = await session.prepare();
    expect([second.plan.version, second.outcome?.type]).toEqual([0, "postponed"]);
    // Between two commits the prompt only grows.
    const { messages } = first.request;
    expect(second.request.messages.slice(0, messages.length)).toEqual(messages);
    expect(asked).toHaveLength(1);
    summarizer.open();
    await idle();
    const third = await session.prepare();
    expect([third.plan.version, third.outcome?.type]).toEqual([1, "no-op"]);
    expect(third.tokens).toBeLessThan(second.tokens);
    expect(third.payloadText).toContain("While you fold.");
    const folded = planRecords(third.plan).flatMap(({ span }) => span.messageIds);
    expect(folded).toContain("t0");
    expect(folded).not.toContain("u-late");
    expect(third.violations).toEqual([]);
    expect(typesOf(told)).toEqual(["job-started", "job-done"]);
    expect(worker.figures()).toMatchObject({ running: 0, done: 1, committed: 1, conflicts: 0 });
    const talked = heard.filter(
      ({ type }) => type.startsWith("compaction_requested") || type === "compaction_plan_taken",
    );
    expect(typesOf(talked)).toEqual(["compaction_requested", "compaction_plan_taken"]);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store, threadId)).toEqual([]);
    await worker.stop();
  });

  it("S35 a session folds at once under hard pressure; the worker's plan is rejected and its job is done", async () => {
    const { store, session, start, summarizer, idle } = await backgroundFold();
    const worker = await start();
    await session.append(ahead);
    await session.prepare();
    await summarizer.reached;
    await session.append(work(8, 12, 900));
    const hard = await session.prepare();
    expect([hard.outcome?.type, hard.plan.version]).toEqual(["committed", 1]);
    expect(hard.tokens).toBeLessThanOrEqual(config.maxInputTokens);
    summarizer.open();
    await idle();
    expect(worker.figures()).toMatchObject({ done: 1, committed: 0, conflicts: 1 });
    expect((await session.prepare()).digest).toBe(hard.digest);
    expect(await store.plans.listPlans(threadId)).toHaveLength(1);
    await worker.stop();
  });

  it("does not fold beside the worker above its own threshold, and asks again only after some calls", async () => {
    const { session, asked } = await backgroundFold();
    await session.append(soft);
    for (let call = 0; call < 3; call++) expect((await session.prepare()).outcome?.type).toBe("postponed");
    expect(asked).toHaveLength(1);
    for (let step = 20; step < 28; step++) {
      await session.append(work(step, step + 1, 1));
      await session.prepare();
    }
    expect(asked).toHaveLength(2);
    expect(session.plan.version).toBe(0);
  });

  it("requests a fold a little ahead of its own threshold, or at the share that is configured", async () => {
    const shareOf = async (softThreshold?: number, figures: Partial<typeof config> = {}) => {
      const { queue, asked } = memoryQueue();
      const background = { queue, ...(softThreshold !== undefined && { softThreshold }) };
      const session = await openSession({ config: { ...config, ...figures }, preset, background });
      await session.append(ahead);
      await session.prepare();
      return asked.map(({ softThreshold: share }) => Math.round(100 * share));
    };
    expect(await shareOf()).toEqual([73]);
    expect(await shareOf(undefined, { targetPercent: 0.75 })).toEqual([]);
    expect(await shareOf(0.6)).toEqual([60]);
    expect(await shareOf(0.8)).toEqual([]);
  });

  it("folds by itself when it is forced to, and asks nobody when folding is off", async () => {
    const forced = await backgroundFold();
    await forced.session.append(ahead);
    expect((await forced.session.compact({ force: true })).type).toBe("committed");
    expect(forced.asked).toEqual([]);
    const { queue, asked } = memoryQueue();
    const off = await openSession({ config, preset, compaction: false, background: { queue } });
    await off.append(soft);
    expect((await off.prepare()).outcome?.type).toBe("disabled");
    expect(asked).toEqual([]);
  });

  it("takes a plan that covers what another session appended, even on a resumed thread", async () => {
    const { store, session, start, summarizer, idle, queue } = await backgroundFold();
    summarizer.open();
    await session.append(soft);
    const other = await openSession({ store, config, preset });
    await session.prepare();
    await other.refresh();
    await other.append([message("u-other", "user", "I was here too.")]);
    const worker = await start();
    await idle();
    const taken = await session.prepare();
    expect(taken.plan.version).toBe(1);
    expect(session.thread.version).toBe(other.thread.version);
    const resumed = await openSession({ store, config, preset, background: { queue } });
    await resumed.append(work(30, 35, 900));
    await resumed.prepare();
    await idle();
    const again = await resumed.prepare();
    expect(again.plan.version).toBe(2);
    expect(again.violations).toEqual([]);
    expect(await verifyStore(store, threadId)).toEqual([]);
    await worker.stop();
  });
});

describe("a session that waits for a worker's plan", () => {
  it("P9 asks the store for the version alone, and reads the plan once it is there", async () => {
    const inner = createMemoryStore();
    const asked: string[] = [];
    const watched = watchedStore(inner, { before: (call) => call.startsWith("plans.getCurrent") && asked.push(call) });
    const getCurrentVersion = async (): Promise<number> => {
      asked.push("version");
      return (await inner.plans.getCurrentPlan(threadId)).version;
    };
    const plans = Object.assign(Object.create(watched.plans), { getCurrentVersion });
    const { queue, idle } = memoryQueue();
    const session = await openSession({ store: { ...watched, plans }, config, preset, background: { queue } });
    await session.append(soft);
    await session.prepare();
    asked.length = 0;
    for (let call = 0; call < 3; call++) expect((await session.prepare()).plan.version).toBe(0);
    expect(asked).toEqual(["version", "version", "version"]);
    const worker = await startCompactionWorker({
      queue,
      openStore: shared(inner),
      session: { config, preset, tokenizer },
    });
    await idle();
    expect((await session.prepare()).plan.version).toBe(1);
    expect(asked.slice(3)).toEqual(["version", "plans.getCurrentPlan"]);
    await worker.stop();
  });
});

describe("a session whose queue is down", () => {
  const never = (): Promise<never> => new Promise(() => undefined);
  const down = (): Promise<never> => Promise.reject(new ThreadfoldError("QUEUE_UNAVAILABLE", "Nobody answers."));

  for (const [name, enqueue] of [
    ["that refuses", down],
    ["that hangs", never],
  ] as const) {
    it(`reports it once, goes on, and folds in place when it has to: ${name}`, async () => {
      let calls = 0;
      const queue: CompactionQueue = {
        ...memoryQueue().queue,
        enqueue: () => {
          calls++;
          return enqueue();
        },
      };
      const heard: ContextCompactionEvent[] = [];
      const background = { queue, enqueueTimeoutMilliseconds: 50 };
      const session = await openSession({ config, preset, background, onEvent: (event) => heard.push(event) });
      await session.append(ahead);
      const first = await session.prepare();
      expect(first.outcome?.type).toBe("no-op");
      await session.append(work(8, 10, 900));
      const second = await session.prepare();
      expect([second.outcome?.type, second.plan.version]).toEqual(["committed", 1]);
      expect(calls).toBe(1);
      const failures = heard.filter(({ type }) => type === "compaction_queue_failed");
      expect(failures).toMatchObject([{ problem: expect.stringContaining("QUEUE_UNAVAILABLE") }]);
    });
  }

  it("goes on when the store cannot be asked for the worker's plan, and takes it with a later request", async () => {
    let fails = false;
    const inner = createMemoryStore();
    const store = watchedStore(inner, {
      before: (call) => {
        if (fails && call === "plans.getCurrentPlan") throw new Error("connection reset");
      },
    });
    const { queue, idle } = memoryQueue();
    const session = await openSession({ store, config, preset, background: { queue } });
    await session.append(soft);
    await session.prepare();
    const worker = await startCompactionWorker({
      queue,
      openStore: shared(inner),
      session: { config, preset, tokenizer },
    });
    await idle();
    fails = true;
    expect((await session.prepare()).plan.version).toBe(0);
    fails = false;
    expect((await session.prepare()).plan.version).toBe(1);
    await worker.stop();
  });
});

describe("a compaction worker", () => {
  const job = {
    schemaVersion: 1,
    threadId,
    tenantId: null,
    planVersion: 0,
    threadVersion: 17,
    maxInputTokens: 10_000,
    softThreshold: 0.7,
  } as const;

  it("recognizes that a fold was already committed", async () => {
    const { session, start, queue, summarizer, idle, told } = await backgroundFold();
    summarizer.open();
    await session.append(ahead);
    await session.compact({ force: true });
    await queue.enqueue(job);
    const worker = await start();
    await idle();
    expect(told.at(-1)).toMatchObject({
      type: "job-done",
      result: { type: "already-committed", outcome: "no-op", planVersion: 1 },
    });
    expect(worker.figures()).toMatchObject({ done: 1, alreadyCommitted: 1, committed: 0 });
    await worker.stop();
  });

  it("does nothing for a thread that does not exist", async () => {
    const { start, queue, idle, told } = await backgroundFold();
    const worker = await start();
    await queue.enqueue({ ...job, threadId: asThreadId("never-was") });
    await idle();
    expect(told.at(-1)).toMatchObject({ type: "job-done", result: { type: "nothing", outcome: "no-op" } });
    await worker.stop();
  });

  it("retries temporary failures up to a limit, and gives up at once on permanent ones", async () => {
    const told: CompactionWorkerEvent[] = [];
    const { queue, idle } = memoryQueue({ attempts: 3 });
    let error: Error = new ThreadfoldError("STORE_UNAVAILABLE", "The store is away.");
    const worker = await startCompactionWorker({
      queue,
      openStore: () => Promise.reject(error),
      session: { config, preset, tokenizer },
      onEvent: (event) => told.push(event),
    });
    await queue.enqueue(job);
    await idle();
    expect(typesOf(told).filter((type) => type !== "job-started")).toEqual(["job-retried", "job-retried", "job-dead"]);
    expect(worker.figures()).toMatchObject({ retries: 2, dead: 1, done: 0 });
    error = new ThreadfoldError("STORE_CORRUPT", "It does not verify.");
    await queue.enqueue(job);
    await idle();
    expect(await queue.deadJobs()).toMatchObject([
      { attempts: 1, problem: { kind: "failed", code: "STORE_CORRUPT" } },
      { attempts: 3, problem: { kind: "failed", code: "STORE_UNAVAILABLE" } },
    ]);
    error = new Error("password=hunter2");
    await queue.enqueue(job);
    await idle();
    expect(JSON.stringify([told, await queue.deadJobs()])).not.toContain("hunter2");
    await worker.stop();
  });

  it("stops gracefully: work that ends within the grace is committed, other work is handed back", async () => {
    const patient = await backgroundFold();
    const worker = await patient.start();
    await patient.session.append(ahead);
    await patient.session.prepare();
    await patient.summarizer.reached;
    const stopped = worker.stop();
    patient.summarizer.open();
    await stopped;
    expect(worker.figures()).toMatchObject({ committed: 1, retries: 0 });

    const hasty = await backgroundFold();
    const controller = new AbortController();
    const told: CompactionWorkerEvent[] = [];
    const ended = Promise.withResolvers<void>();
    await startCompactionWorker({
      queue: hasty.queue,
      openStore: shared(hasty.store),
      session: { config, preset, tokenizer, summarizer: hasty.summarizer.summarizer },
      graceMilliseconds: 10,
      signal: controller.signal,
      onEvent: (event) => {
        told.push(event);
        if (event.type === "job-retried") ended.resolve();
      },
    });
    await hasty.session.append(ahead);
    await hasty.session.prepare();
    await hasty.summarizer.reached;
    controller.abort();
    setTimeout(hasty.summarizer.open, 1_000);
    await ended.promise;
    expect(told.at(-1)).toMatchObject({ type: "job-retried", problem: { code: "ABORTED" } });
    expect(await hasty.store.plans.listPlans(threadId)).toEqual([]);
    const next = await hasty.start();
    await hasty.idle();
    expect(next.figures()).toMatchObject({ committed: 1 });
    await next.stop();
  });

  it("folds for the system text, tools and model of the agent's newest request, without being told", async () => {
    const { store, session, start, summarizer, idle } = await backgroundFold();
    summarizer.open();
    const system = [{ text: `Rules: ${"be kind and careful. ".repeat(600)}` }];
    await session.append([message("u0", "user", "Build it."), ...work(0, 6, 900)]);
    await session.prepare({ frame: { system, tools: [] } });
    const worker = await start();
    await idle();
    const prepared = await session.prepare();
    expect(prepared.plan.version).toBe(1);
    expect(prepared.tokens).toBeLessThanOrEqual(0.6 * config.maxInputTokens);
    expect(await verifyStore(store, threadId)).toEqual([]);
    await worker.stop();
  });

  it("refuses invalid options and invalid jobs", async () => {
    const { queue } = memoryQueue();
    const options = { queue, openStore: async () => createMemoryStore(), session: {} };
    await expect(startCompactionWorker({ ...options, concurrency: 0 })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
    for (const [name, wrong] of [
      ["options", undefined],
      ["concurency", { ...options, concurency: 2 }],
      ["queue", { ...options, queue: undefined }],
      ["openStore", { ...options, openStore: createMemoryStore() }],
      ["openStore", { queue, session: {} }],
      ["session", { ...options, session: undefined }],
      ["signal", { ...options, signal: "stop" }],
    ] as const)
      await expect(startCompactionWorker(wrong as never)).rejects.toMatchObject({
        ...{ code: "INVALID_CONFIG", details: { name } },
      });
    await expect(openSession({ background: { queue, softThreshold: 0 } })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
    await expect(openSession({ background: { queue, enqueueTimeoutMilliseconds: 0 } })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
    expect(parseCompactionJob({ ...job })).toEqual(job);
    for (const wrong of [
      null,
      {},
      { ...job, schemaVersion: 2 },
      { ...job, text: "content" },
      { ...job, softThreshold: 2 },
    ])
      expect(() => parseCompactionJob(wrong)).toThrow(expect.objectContaining({ code: "WRONG_FORMAT" }));
  });
});
