import { BudgetInfeasibleError, type JournalRecord, NO_RECORDS, type ThreadfoldStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";
import { watchedStore } from "../testing/watched-store.ts";

const config = { maxInputTokens: 10_000, outputReserveTokens: 4_000 };
/** What the safety buffer leaves of the room. */
const LIMIT = 5_950;
const talk = [message("u0", "user", "Build it. The port is 4217."), ...work(0, 12, 1_000)];
/** What no fold can touch: more than the room alone. */
const frame = { system: ["word ".repeat(10_000)], tools: [] };

const refusals = async (store: ThreadfoldStore): Promise<readonly JournalRecord[]> =>
  (await store.journal.read(threadId)).map(({ record }) => record).filter(({ type }) => type === "request-refused");
const rendered = async (store: ThreadfoldStore): Promise<number> =>
  (await store.journal.read(threadId)).filter(({ record }) => record.type === "request-rendered").length;

describe("a request over its budget", () => {
  it("is refused with what takes the room, is journaled, and leaves the session unchanged", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store, config, frame });
    await session.append([message("u0", "user", "Hello.")]);
    const refused = session.prepare();
    await expect(refused).rejects.toMatchObject({
      name: "BudgetInfeasibleError",
      code: "BUDGET_INFEASIBLE",
      budget: LIMIT,
      indispensable: { system: expect.any(Number), newest: expect.any(Number) },
      details: { ...config, outcome: "infeasible" },
      message: expect.stringContaining("10000 less 4000 for the answer and 50 for safety"),
    });
    await expect(refused).rejects.not.toHaveProperty("payload");
    expect(await refusals(store)).toEqual([
      {
        type: "request-refused",
        outcome: "infeasible",
        threadVersion: 1,
        planVersion: 0,
        tokens: expect.any(Number),
        ...config,
      },
    ]);
    expect(await rendered(store)).toBe(0);
    expect(session.plan.version).toBe(0);
    const prepared = await session.prepare({ frame: { system: ["Be brief."], tools: [] } });
    expect(prepared.overBudget).toBe(false);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store, threadId)).toEqual([]);
  });

  it("counts system messages of the thread, which are never folded, as system and not as newest", async () => {
    const session = await openSession({ config });
    const notes = Array.from({ length: 30 }, (_, index) => message(`s${index}`, "system", "word ".repeat(300)));
    await session.append([message("u0", "user", "Hello."), ...notes, message("u1", "user", "And now?")]);
    const refused = await session.prepare().catch((cause: unknown) => cause);
    if (!(refused instanceof BudgetInfeasibleError)) throw new Error("It should not fit.");
    expect(refused.indispensable.newest).toBeLessThan(100);
    expect(refused.indispensable.system).toBeGreaterThan(LIMIT);
  });

  it("counts the system messages with which a thread begins only once", async () => {
    const session = await openSession({ config });
    const rules = message("s0", "system", "word ".repeat(2_000));
    await session.append([rules, message("u0", "user", "word ".repeat(6_000))]);
    const refused = await session.prepare().catch((cause: unknown) => cause);
    if (!(refused instanceof BudgetInfeasibleError)) throw new Error("It should not fit.");
    expect(refused.indispensable.system).toBeLessThan(3_000);
    expect(refused.indispensable.newest).toBeGreaterThan(LIMIT);
  });

  it("is sent when the session is opened with onOverBudget send, and refused when the call says throw", async () => {
    const store = createMemoryStore();
    const session = await openSession({ store, config, frame, onOverBudget: "send" });
    await session.append([message("u0", "user", "Hello.")]);
    expect(await session.prepare()).toMatchObject({ overBudget: true, outcome: { type: "infeasible", budget: LIMIT } });
    await expect(session.prepare({ onOverBudget: "throw" })).rejects.toMatchObject({ code: "BUDGET_INFEASIBLE" });
    expect(await refusals(store)).toHaveLength(1);
  });

  it("is folded to the floor, without ladder and model, when the fold failed", async () => {
    const store = createMemoryStore();
    let asked = 0;
    const broken = {
      ...ladderPreset,
      ladder: [
        {
          name: "broken",
          aggressiveness: 1,
          analyze: (): never => {
            throw new TypeError("no such strategy");
          },
        },
      ],
    };
    const summarizer = {
      id: "paid@1",
      summarize: async () => {
        asked++;
        return { changes: [] };
      },
    };
    const session = await openSession({ store, config, preset: broken, summarizer });
    await session.append(talk);
    const prepared = await session.prepare();
    expect(prepared.outcome).toMatchObject({
      type: "committed",
      floor: true,
      problem: expect.stringContaining("TypeError"),
    });
    expect(prepared.tokens).toBeLessThanOrEqual(LIMIT);
    expect(prepared.violations).toEqual([]);
    expect(prepared.payloadText).toContain("4217");
    expect(asked).toBe(0);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    const thrower = await openSession({ config, preset: broken });
    await thrower.append(talk);
    await expect(thrower.prepare({ onOverBudget: "throw" })).rejects.toThrow("no such strategy");
    expect(thrower.plan.version).toBe(0);
  });

  it("is not sent while the store takes no plan: the store's error is thrown, and the next call folds", async () => {
    let down = true;
    const inner = createMemoryStore();
    const gone = new Error("The store is gone.");
    const store = watchedStore(inner, {
      before: (call) => {
        if (down && call === "plans.commitPlan") throw gone;
      },
    });
    const session = await openSession({ store, config });
    await session.append(talk);
    await expect(session.prepare()).rejects.toBe(gone);
    expect(await refusals(inner)).toMatchObject([{ outcome: "failed", planVersion: 0 }]);
    down = false;
    expect((await session.prepare()).outcome?.type).toBe("committed");
    expect(await verifyStore(inner, threadId)).toEqual([]);
  });

  it("is not folded when a hook vetoes it or folding is switched off", async () => {
    const guard = { name: "guard", run: () => ({ veto: "a deployment is running" }) };
    const vetoed = await openSession({ config, hooks: { preCompact: [guard] } });
    const off = await openSession({ config, compaction: false });
    for (const [session, words] of [
      [vetoed, "a deployment is running"],
      [off, "compaction: false"],
    ] as const) {
      await session.append(talk);
      await expect(session.prepare()).rejects.toMatchObject({
        code: "BUDGET_INFEASIBLE",
        message: expect.stringContaining(words),
        hint: expect.stringContaining("onOverBudget"),
      });
      expect(session.plan.version).toBe(0);
      expect((await session.prepare({ onOverBudget: "send" })).tokens).toBeGreaterThan(LIMIT);
    }
  });

  it("is not returned by an aborted prepare, which rejects with the reason of its signal", async () => {
    const controller = new AbortController();
    const guard = { name: "guard", run: () => void controller.abort() };
    const store = createMemoryStore();
    const session = await openSession({ store, config, hooks: { preCompact: [guard] } });
    await session.append(talk);
    await expect(session.prepare({ signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(session.plan).toMatchObject({ version: 0, ...NO_RECORDS });
    expect(await rendered(store)).toBe(0);
    expect((await session.prepare()).outcome?.type).toBe("committed");
  });

  it("does not result from appends during a fold: they are folded for as well", async () => {
    let late = true;
    const hooks = {
      preCompact: [
        {
          name: "late",
          run: async () => {
            if (late) await session.append(work(12, 18, 1_000));
            late = false;
            return undefined;
          },
        },
      ],
      postCompact: [
        {
          name: "later",
          run: async () => {
            if (session.plan.version === 1) await session.append(work(18, 30, 1_000));
          },
        },
      ],
    };
    const session = await openSession({ config, hooks });
    await session.append(talk);
    const prepared = await session.prepare();
    expect(prepared.plan.version).toBeGreaterThan(1);
    expect(prepared.tokens).toBeLessThanOrEqual(LIMIT);
    expect(prepared.manifest.messages.flatMap(({ sources }) => sources)).toContain("t29");
  });
});

describe("a configuration that leaves no room", () => {
  it.each([
    ["a reserve of the whole cap", { maxInputTokens: 1_000, outputReserveTokens: 1_000 }],
    ["a reserve above the cap", { maxInputTokens: 1_000, outputReserveTokens: 2_000 }],
    ["a negative reserve", { outputReserveTokens: -1 }],
    ["a reserve that is no number", { outputReserveTokens: Number.NaN }],
  ])("is refused when the session is opened: %s", async (_, wrong) => {
    await expect(openSession({ config: wrong })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringContaining("outputReserveTokens"),
    });
  });

  it("is refused when the session switches to a smaller model", async () => {
    const session = await openSession({ config });
    expect(() => session.switchModel({ maxInputTokens: 4_000 })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    );
    expect(session.config.maxInputTokens).toBe(10_000);
  });
});
