import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContextCompactionEvent, type Summarizer, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { isThorough, message, patience } from "@threadfold/core/laws";
import { createMemoryStore, encryptedStore, memoryKeyStore, openStore, verifyStore } from "@threadfold/stores";
import { openPostgresStore } from "@threadfold/stores/postgres";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";
import { findPostgres, freshSchemas, withoutFlush } from "../testing/postgres-service.ts";
import { type PortCall, watchedStore } from "../testing/watched-store.ts";

/** Before it was made, or after it was made, so that nobody knows. */
type Moment = "before" | "after";

/** A call that fails: the nth of all, in the one or the other moment; once, or that call from then on. */
interface Fault {
  readonly moment: Moment;
  readonly nth: number;
  readonly sticky: boolean;
}

const MODES = [
  { name: "once, before", moment: "before", sticky: false },
  { name: "once, after", moment: "after", sticky: false },
  { name: "from then on, before", moment: "before", sticky: true },
  { name: "from then on, after", moment: "after", sticky: true },
] as const;

/** In which moments two calls of one loop fail, each once. */
const MOMENTS: readonly (readonly [Moment, Moment])[] = [
  ["before", "before"],
  ["before", "after"],
  ["after", "before"],
  ["after", "after"],
];

/** Calls that the loop comes by, each of which is to fail at some time. */
const PORTS: readonly Call[] = ["plans.commitPlan", "artifacts.store", "journal.append", "journal.read", "summarizer"];

type Call = PortCall | "summarizer";

/** Runs a loop of folds in which calls of ports fail, and gives how many calls there were and which failed. */
async function loopWithFaults(
  open: () => Promise<ThreadfoldStore>,
  faults: readonly Fault[],
): Promise<{
  readonly calls: Readonly<Record<Moment, readonly Call[]>>;
  readonly failed: ReadonlySet<Call>;
  readonly struck: number;
}> {
  let armed = false;
  const calls: Record<Moment, Call[]> = { before: [], after: [] };
  const struck = new Set<Fault>();
  const failed = new Set<Call>();
  const strike = (moment: Moment) => (call: Call) => {
    if (!armed) return;
    const number = calls[moment].push(call);
    const due = faults.find(
      (fault) =>
        fault.moment === moment && (fault.nth === number || (fault.sticky && number > fault.nth && failed.has(call))),
    );
    if (due === undefined) return;
    struck.add(due);
    failed.add(call);
    throw new ThreadfoldError("STORE_UNAVAILABLE", "The port is gone.");
  };
  const inner = await open();
  const store = watchedStore(inner, { before: strike("before"), after: strike("after") });
  const summarizer: Summarizer = {
    id: "port@1",
    summarize: async (request) => {
      strike("before")("summarizer");
      const result = await new ExtractiveSummarizer().summarize(request);
      strike("after")("summarizer");
      return result;
    },
  };
  const events: ContextCompactionEvent[] = [];
  const config = { maxInputTokens: 3_000, enableRetrieval: true };
  const session = await openSession({ store, config, summarizer, onEvent: (event) => events.push(event) });
  await session.append([message("u0", "user", "Build it. Never push to main without asking me.")]);
  for (let round = 0; round < 3; round++) {
    const at = round * 6;
    await session.append([...work(at, at + 4, 200), ...work(at + 4, at + 6, 1_300)]);
    if (session.plan.externalizations[0] !== undefined)
      await session.append([
        message(`r${round}`, "assistant", `I need ${session.plan.externalizations[0].artifactId}.`),
      ]);
    armed = true;
    try {
      const prepared = await session.prepare();
      expect(prepared.violations).toEqual([]);
      expect(prepared.missingPins).toEqual([]);
    } catch (error) {
      // A request that cannot be recorded, or that could not be folded below its budget, must not be sent.
      expect(failed.size).toBeGreaterThan(0);
      expect(error).toMatchObject({ code: "STORE_UNAVAILABLE" });
      // The fold itself had come to its end.
      expect(events.findLast((event) => "foldId" in event)?.type).toBe("compaction_completed");
    }
    const forced = await session.compact({ force: true });
    expect(forced.tokens.after).toBeLessThanOrEqual(forced.tokens.before);
    armed = false;
  }
  const { length } = session.thread;
  const healed = await session.prepare();
  expect(healed.outcome?.type).not.toBe("failed");
  expect(healed.tokens).toBeLessThanOrEqual(config.maxInputTokens);
  expect(session.thread.length).toBe(length);
  expect((await session.replay()).filter(({ equal }) => !equal)).toEqual([]);
  expect(await verifyStore(inner, threadId)).toEqual([]);
  const versions = (await inner.plans.listPlans(threadId)).map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, index) => index + 1));
  await inner.close();
  return { calls, failed, struck: struck.size };
}

/** Lets two calls of a loop fail, one pair after the other or each so many pairs one, and gives how many pairs failed. */
async function failTwice(
  open: () => Promise<ThreadfoldStore>,
  healthy: Readonly<Record<Moment, readonly Call[]>>,
  [first, second]: readonly [Moment, Moment],
  stride: number,
): Promise<number> {
  let total = healthy[first].length;
  let number = 0;
  let pairs = 0;
  for (let one = 1; one <= total; one++) {
    for (let two = one + 1; two <= total; two++) {
      if (number++ % stride !== 0) continue;
      const { calls, struck } = await loopWithFaults(open, [
        { moment: first, nth: one, sticky: false },
        { moment: second, nth: two, sticky: false },
      ]);
      if (struck === 2) pairs++;
      total = Math.max(total, calls[second].length);
    }
  }
  return pairs;
}

/** A kind of store, and how a new one is opened. */
type Backend = readonly [name: string, open: () => Promise<ThreadfoldStore>];

// Faults are at the ports: how lasting the disk below them is makes no difference.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let opened = 0;

const service = await findPostgres();
const schemas = freshSchemas(withoutFlush(service.url));
const schema = schemas.fresh();
if (service.isThere) afterAll(() => schemas.drop());

const BACKENDS: readonly Backend[] = [
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openStore(join(folder, `${opened++}.db`))],
  // One schema for all loops, each of which is a tenant of its own: making tables is not what is looked at.
  ["PostgreSQL", () => openPostgresStore(schemas.driver, { schema, tenantId: `loop ${opened++}` })],
  ["memory, encrypted", async () => encryptedStore(createMemoryStore(), memoryKeyStore())],
  ["memory with artifacts in files", () => openStore("memory:", { artifacts: `file:${join(folder, `${opened++}`)}` })],
];

describe.for(BACKENDS)("a session whose ports fail, over %s", ([backend, open]) => {
  const isThere = backend !== "PostgreSQL" || service.isThere;
  const note = isThere ? "" : service.note;

  it.skipIf(!isThere)(
    `R3 P6 the nth call of any port, once or from then on: folding ends in an outcome, the loop goes on${note}`,
    { timeout: patience(120_000) },
    async ({ task }) => {
      // On every day every third call and the first of each kind, but for the store that most have: what differs is
      // below the ports.
      const isWhole = isThorough() || backend === "SQLite";
      let faults = 0;
      const healthy = (await loopWithFaults(open, [])).calls;
      for (const { name, moment, sticky } of MODES) {
        const failed = new Set<Call>();
        let calls = healthy[moment];
        for (let nth = 1; nth <= calls.length; nth++) {
          if (!isWhole && nth % 3 !== 1 && calls.indexOf(calls[nth - 1] as Call) !== nth - 1) continue;
          const loop = await loopWithFaults(open, [{ moment, nth, sticky }]);
          for (const call of loop.failed) failed.add(call);
          if (loop.calls[moment].length > calls.length) calls = loop.calls[moment];
          faults++;
        }
        expect([...failed], name).toEqual(expect.arrayContaining([...PORTS]));
      }
      Object.assign(task.meta, { figures: { backend, faults, modes: MODES.length, "untyped errors": 0 } });
    },
  );

  // On every day a sample of the pairs, which are more than a thousand; a larger one for the store that most have.
  const stride = isThorough() ? 1 : backend === "SQLite" ? 151 : 211;
  it.skipIf(!isThere)(
    `R3 P6 two calls of one loop, wherever they are: folding ends in an outcome, the loop goes on${note}`,
    { timeout: patience(120_000) },
    async ({ task }) => {
      let pairs = 0;
      const healthy = (await loopWithFaults(open, [])).calls;
      for (const moments of MOMENTS) pairs += await failTwice(open, healthy, moments, stride);
      expect(pairs).toBeGreaterThan(5);
      Object.assign(task.meta, { figures: { backend, pairs, "untyped errors": 0 } });
    },
  );
});

describe("a session whose ports fail", () => {
  it("P6 keeps the message of a foreign error out of events and outcomes", async () => {
    const heard: ContextCompactionEvent[] = [];
    const store = watchedStore(createMemoryStore(), {
      before: (call) => {
        if (call === "plans.commitPlan") throw Object.assign(new Error("row of tenant 7"), { code: "ECONNRESET" });
      },
    });
    const session = await openSession({
      store,
      config: { maxInputTokens: 11_500 },
      onEvent: (event) => heard.push(event),
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 10, 1_000)]);
    const { outcome } = await session.prepare();
    expect(outcome).toMatchObject({ type: "failed", problem: "Error ECONNRESET" });
    expect(JSON.stringify(heard)).not.toContain("tenant 7");
  });

  it("L29 a store that takes no plan opens the breaker under soft pressure, so that no model is paid in vain", async () => {
    let down = true;
    let summaries = 0;
    const store = watchedStore(createMemoryStore(), {
      before: (call) => {
        if (down && call === "plans.commitPlan") throw new ThreadfoldError("STORE_UNAVAILABLE", "The port is gone.");
      },
    });
    const summarizer: Summarizer = {
      id: "paid@1",
      summarize: (request) => {
        summaries++;
        return new ExtractiveSummarizer().summarize(request);
      },
    };
    const session = await openSession({ store, summarizer, config: { maxInputTokens: 20_000 } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 19, 900)]);
    const types: string[] = [];
    for (let turn = 0; turn < 6; turn++) types.push((await session.prepare()).outcome?.type ?? "none");
    expect(types).toEqual(["failed", "failed", "failed", "postponed", "postponed", "postponed"]);
    const spent = summaries;
    down = false;
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect(spent).toBeGreaterThan(0);
  });
});
