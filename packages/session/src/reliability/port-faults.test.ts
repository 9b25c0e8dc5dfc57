import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContextCompactionEvent, type Summarizer, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
import { patience } from "@threadfold/core/laws";
import { createMemoryStore, encryptedStore, memoryKeyStore, openStore, verifyStore } from "@threadfold/stores";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { afterAll, describe, expect, it } from "vitest";
import { openSession, say, threadId, work } from "../testing/agent-work.ts";
import { type PortCall, watchedStore } from "../testing/watched-store.ts";

/** When a call fails: instead of being made, or after it was made, so that nobody knows; once, or from then on. */
interface FaultMode {
  readonly name: string;
  readonly moment: "before" | "after";
  readonly sticky: boolean;
}

const MODES: readonly FaultMode[] = [
  { name: "once, before", moment: "before", sticky: false },
  { name: "once, after", moment: "after", sticky: false },
  { name: "from then on, before", moment: "before", sticky: true },
  { name: "from then on, after", moment: "after", sticky: true },
];

/** What a request is recorded with: without it a request must not be sent, so `prepare` says so. */
const RECORDING: readonly string[] = ["journal.append", "artifacts.store"];

/** Calls that the loop comes by, each of which is to fail at some time. */
const PORTS: readonly Call[] = ["plans.commitPlan", "artifacts.store", "journal.append", "journal.read", "summarizer"];

type Call = PortCall | "summarizer";

/** Runs a loop of folds in which the nth call of a port fails, and gives how many calls there were and which failed. */
async function loopWithFault(
  open: () => Promise<ThreadfoldStore>,
  nth: number,
  { moment, sticky }: FaultMode,
): Promise<{ readonly calls: number; readonly failed: ReadonlySet<Call> }> {
  let armed = false;
  let calls = 0;
  const failed = new Set<Call>();
  const strike = (when: FaultMode["moment"]) => (call: Call) => {
    if (!armed || when !== moment) return;
    calls++;
    if (calls !== nth && !(sticky && calls > nth && failed.has(call))) return;
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
  await session.append([say("u0", "user", "Build it. Never push to main without asking me.")]);
  for (let round = 0; round < 3; round++) {
    const at = round * 6;
    await session.append([...work(at, at + 4, 200), ...work(at + 4, at + 6, 1_300)]);
    if (session.plan.externalizations[0] !== undefined)
      await session.append([say(`r${round}`, "assistant", `I need ${session.plan.externalizations[0].artifactId}.`)]);
    armed = true;
    try {
      const prepared = await session.prepare();
      expect(prepared.violations).toEqual([]);
      expect(prepared.missingPins).toEqual([]);
    } catch (error) {
      expect([...failed].some((call) => RECORDING.includes(call))).toBe(true);
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
  return { calls, failed };
}

// Faults are at the ports: how lasting the disk below them is makes no difference.
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let opened = 0;

const STORES: Readonly<Record<string, () => Promise<ThreadfoldStore>>> = {
  memory: async () => createMemoryStore(),
  SQLite: () => openStore(join(folder, `${opened++}.db`)),
  "memory, encrypted": async () => encryptedStore(createMemoryStore(), memoryKeyStore()),
  "memory with artifacts in files": () => openStore("memory:", { artifacts: `file:${join(folder, `${opened++}`)}` }),
};

describe("a session whose ports fail", () => {
  it.for(Object.entries(STORES))(
    "R3 P6 the nth call of any port fails, over %s, once or from then on: folding ends in an outcome, the loop goes on",
    {
      timeout: patience(120_000),
    },
    async ([backend, open], { task }) => {
      const points = { faults: 0, modes: MODES.length };
      for (const mode of MODES) {
        const failed = new Set<Call>();
        let total = 1;
        for (let nth = 1; nth <= total; nth++) {
          const loop = await loopWithFault(open, nth, mode);
          for (const call of loop.failed) failed.add(call);
          total = Math.max(total, loop.calls);
          points.faults++;
        }
        expect([...failed], mode.name).toEqual(expect.arrayContaining([...PORTS]));
      }
      Object.assign(task.meta, { figures: { backend, ...points, "untyped errors": 0 } });
    },
  );

  it("P6 a foreign error's words stand in no event and no outcome's problem", async () => {
    const heard: ContextCompactionEvent[] = [];
    const store = watchedStore(createMemoryStore(), {
      before: (call) => {
        if (call === "plans.commitPlan") throw Object.assign(new Error("row of tenant 7"), { code: "ECONNRESET" });
      },
    });
    const session = await openSession({
      store,
      config: { maxInputTokens: 6_000 },
      onEvent: (event) => heard.push(event),
    });
    await session.append([say("u0", "user", "Build it."), ...work(0, 10, 1_000)]);
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
    await session.append([say("u0", "user", "Build it."), ...work(0, 19, 900)]);
    const types: string[] = [];
    for (let turn = 0; turn < 6; turn++) types.push((await session.prepare()).outcome?.type ?? "none");
    expect(types).toEqual(["failed", "failed", "failed", "postponed", "postponed", "postponed"]);
    const spent = summaries;
    down = false;
    expect((await session.compact({ force: true })).type).toBe("committed");
    expect(spent).toBeGreaterThan(0);
  });
});
