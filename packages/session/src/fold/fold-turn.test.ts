import type { ContextCompactionEvent, JournalRecord, ThreadfoldStore } from "@threadfold/core";
import { message, runs } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { anyOf, coldCacheTrigger, ladderPreset, overflowTrigger, tokenFractionTrigger } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handClock, openSession as open, threadId, work } from "../testing/agent-work.ts";

const attempts = async (store: ThreadfoldStore): Promise<readonly JournalRecord[]> =>
  (await store.journal.read(threadId)).map(({ record }) => record).filter(({ type }) => type === "fold-attempted");

describe("the decision to fold", () => {
  /** A session whose trigger counts how often it is asked. */
  async function counted(more: Parameters<typeof open>[0] = {}) {
    let asked = 0;
    const trigger: typeof ladderPreset.trigger = (config) => {
      const inner = ladderPreset.trigger(config);
      return {
        ...inner,
        evaluate(input) {
          asked++;
          return inner.evaluate(input);
        },
      };
    };
    const session = await open({ preset: { ...ladderPreset, trigger }, config: { maxInputTokens: 6_000 }, ...more });
    const during = async (call: () => Promise<unknown>): Promise<number> => {
      const before = asked;
      await call();
      return asked - before;
    };
    return { session, during };
  }

  it("is made once per call, whether or not anything is folded", async () => {
    const { session, during } = await counted();
    await session.append([message("u", "user", "Build it."), ...work(0, 2, 300)]);
    expect(await during(() => session.prepare())).toBe(1);
    await session.append(work(2, 30, 300));
    expect(await during(() => session.prepare())).toBe(1);
    expect(session.plan.version).toBe(1);
  });

  it("is made again when a hook has changed the thread", async () => {
    const preCompact = [{ name: "pins", run: () => ({ pins: [{ text: "Never push." }] }) }];
    const { session, during } = await counted({ hooks: { preCompact } });
    await session.append([message("u", "user", "Build it."), ...work(0, 30, 300)]);
    expect(await during(() => session.prepare())).toBe(2);
    expect(session.plan.version).toBe(1);
  });
});

describe("the breaker in a session", () => {
  /** System text that takes more than the soft threshold leaves: no fold can help. */
  const frame = { system: ["word ".repeat(1_500)], tools: [] };
  const config = { maxInputTokens: 2_000, breakerFailures: 3 };

  it("L29 fixed overhead above the trigger opens the breaker after three tries, even across restarts", async () => {
    const store = createMemoryStore();
    const heard: ContextCompactionEvent[] = [];
    const start = () => open({ store, frame, config, onEvent: (event) => heard.push(event) });
    let session = await start();
    for (let turn = 0; turn < 8; turn++) {
      await session.append([message(`u${turn}`, "user", "Hi.")]);
      for (let again = 0; again < 3; again++) await session.prepare();
      session = await start();
    }
    const opened = heard.filter(({ type }) => type === "compaction_breaker_opened");
    expect(opened).toEqual([expect.objectContaining({ failures: 3, reason: expect.stringContaining("3 folds") })]);
    expect((await session.prepare()).outcome).toMatchObject({
      type: "postponed",
      reason: expect.stringContaining("maxInputTokens"),
    });
    const tried = (await attempts(store)).filter(
      (record) => record.type === "fold-attempted" && record.outcome !== "postponed",
    );
    // Each start tries the same once more at the most; what is written down keeps the count.
    expect(tried.length).toBeLessThanOrEqual(3);
    expect(await verifyStore(store, threadId)).toEqual([]);
  });

  it("L29 an empty thread is tried once while nothing changes", async () => {
    const store = createMemoryStore();
    const proposals: string[] = [];
    const session = await open({ store, frame, config, onEvent: ({ type }) => proposals.push(type) });
    for (let call = 0; call < 20; call++) await session.prepare();
    expect(await attempts(store)).toHaveLength(1);
  });

  it("L29 hard pressure allows one try per growth, and each request fails with BUDGET_INFEASIBLE", async () => {
    const store = createMemoryStore();
    const session = await open({ store, frame: { system: ["word ".repeat(2_500)], tools: [] }, config });
    for (let turn = 0; turn < 6; turn++) {
      await session.append([message(`u${turn}`, "user", "Hi.")]);
      for (let again = 0; again < 4; again++)
        await expect(session.prepare()).rejects.toMatchObject({ code: "BUDGET_INFEASIBLE" });
    }
    expect(await attempts(store)).toHaveLength(6);
  });

  it("is closed by a manual fold and by a fold that helps", async () => {
    const store = createMemoryStore();
    const session = await open({ store, frame, config });
    for (let turn = 0; turn < 4; turn++) {
      await session.append([message(`u${turn}`, "user", "Hi.")]);
      await session.prepare();
    }
    expect((await session.prepare()).outcome?.type).toBe("postponed");
    await session.compact({ force: true });
    await session.append([message("u9", "user", "Hi.")]);
    expect((await session.prepare()).outcome?.type).not.toBe("postponed");
    await session.append(work(0, 6, 300));
    expect((await session.prepare({ frame: { system: [], tools: [] } })).outcome?.type).toBe("committed");
    expect((await attempts(store)).at(-1)).toMatchObject({ planVersion: 0 });
  });
});

describe("the cost model in a session", () => {
  /** Fires at a fifth of the cap, where a fold down to the target frees next to nothing. */
  const eager = { ...ladderPreset, trigger: () => anyOf(tokenFractionTrigger(0.2), overflowTrigger) };
  const config = {
    maxInputTokens: 100_000,
    targetPercent: 0.2,
    minReclaimPercent: 0,
    costModelEnabled: true,
    expectedCallsPrior: 5,
    maxPostponedCalls: 12,
  };

  it.each([false, true])(
    "P7 postpones a soft fold that does not pay, gives figures, and keeps to its limit; restarts: %s",
    async (restarts) => {
      const options = { clock: handClock(), store: createMemoryStore(), preset: eager, config };
      let session = await open(options);
      await session.append([message("u0", "user", "Build it."), ...work(0, 9, 2_000)]);
      expect((await session.prepare()).outcome?.type).toBe("no-op");
      await session.append(work(9, 10, 2_000));
      const reasons: string[] = [];
      let folded = false;
      for (let call = 10; call < 40 && !folded; call++) {
        options.clock.pass(20);
        if (restarts) session = await open(options);
        await session.append(work(call, call + 1, 20));
        const { outcome } = await session.prepare();
        if (outcome?.type === "postponed") reasons.push(outcome.reason);
        folded = outcome?.type === "committed";
      }
      expect(folded).toBe(true);
      expect(reasons[0]).toMatch(/costs \d+ and each call then saves \d+, worth it after \d+ calls \(\d+ are expected/);
      expect(reasons[1]).toMatch(/reconsidered in \d+ calls/);
      expect(reasons).toHaveLength(12);
      const written = await attempts(options.store);
      expect(written.length).toBeLessThanOrEqual(restarts ? 12 : 3);
    },
  );

  it("P3 never postpones a hard fold", async () => {
    const session = await open({
      preset: eager,
      config: { ...config, maxInputTokens: 8_000, maxPostponedCalls: 1_000 },
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 4, 1_000)]);
    await session.prepare();
    await session.append(work(4, 12, 1_000));
    const prepared = await session.prepare();
    expect(prepared.outcome?.type).toBe("committed");
    expect(prepared.tokens).toBeLessThanOrEqual(8_000);
  });

  it("prefers to fold when the cache is cold", async () => {
    const clock = handClock();
    const preset = {
      ...ladderPreset,
      trigger: (own: Parameters<typeof ladderPreset.trigger>[0]) =>
        anyOf(ladderPreset.trigger(own), coldCacheTrigger(0.6)),
    };
    const session = await open({ clock, preset, config: { maxInputTokens: 20_000, costModelEnabled: true } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 1_000)]);
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    clock.pass(200);
    await session.append(work(14, 15, 100));
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    clock.pass(301);
    await session.append(work(15, 16, 100));
    const { outcome, tokens } = await session.prepare();
    expect(outcome?.type).toBe("committed");
    expect(tokens).toBeLessThan(12_000);
  });

  it("knows after a restart how long nothing was sent", async () => {
    const clock = handClock();
    const store = createMemoryStore();
    const preset = { ...ladderPreset, trigger: () => coldCacheTrigger(0.1) };
    const options = { clock, store, preset, config: { maxInputTokens: 20_000 } };
    const session = await open(options);
    await session.append([message("u0", "user", "Build it."), ...work(0, 12, 1_000)]);
    await session.prepare();
    clock.pass(100);
    expect((await (await open(options)).compact()).type).toBe("no-op");
    clock.pass(300);
    expect((await (await open(options)).compact()).type).toBe("committed");
  });
});

describe("what a provider reports to a session", () => {
  const config = { maxInputTokens: 20_000 };

  it("L17 usage fires the trigger while its plan holds, and not after the fold", async () => {
    const store = createMemoryStore();
    const session = await open({ store, config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 13, 1_000)]);
    await session.prepare();
    await session.reportUsage({ inputTokens: 19_000, outputTokens: 50 });
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect((await session.prepare()).outcome?.type).toBe("no-op");
    const records = (await store.journal.read(threadId)).map(({ record }) => record);
    expect(records.filter(({ type }) => type === "usage-reported")).toMatchObject([
      { type: "usage-reported", requestSequence: 3, usage: { inputTokens: 19_000, outputTokens: 50 } },
    ]);
    expect(await verifyStore(store, threadId)).toEqual([]);
  });

  it("L17 usage fires the trigger after a restart as well", async () => {
    const store = createMemoryStore();
    const session = await open({ store, config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 13, 1_000)]);
    await session.prepare();
    await session.reportUsage({ inputTokens: 19_000 });
    expect((await (await open({ store, config })).compact()).type).toBe("committed");
  });

  it("L19 S28 a refusal causes one fold to below the refused size, and a second refusal causes none", async () => {
    const session = await open({ config });
    await session.append([message("u0", "user", "Build it."), ...work(0, 8, 1_000)]);
    const refused = await session.prepare();
    session.reportOverflow();
    const folded = await session.prepare();
    expect(folded.outcome?.type).toBe("committed");
    expect(folded.tokens).toBeLessThan(refused.tokens * 0.85);
    session.reportOverflow();
    const again = await session.prepare();
    expect(again.plan.version).toBe(folded.plan.version);
    expect(again.outcome).toMatchObject({ type: "no-op", reason: expect.stringContaining("second time") });
  });

  it("usage calibrates this session at once and the next one from its start, per model", async () => {
    const session = await open({ config, model: "m" });
    await session.append([message("u0", "user", "Build it."), ...work(0, 3, 1_000)]);
    const { tokens } = await session.prepare();
    await session.reportUsage({ inputTokens: Math.round(tokens * 1.5) });
    expect(session.stats().tokens).toBe(Math.round(tokens * 1.5));
    const next = await open({ config, model: "m", calibration: session.calibration });
    await next.append([message("u0", "user", "Build it."), ...work(0, 3, 1_000)]);
    const calibrated = await next.prepare();
    expect(calibrated.tokens / tokens).toBeCloseTo(1.5, 1);
    const other = await open({ config, model: "n", calibration: session.calibration });
    await other.append([message("u0", "user", "Build it."), ...work(0, 3, 1_000)]);
    expect((await other.prepare()).tokens).toBe(tokens);
  });
});

describe("a target", () => {
  it("S5 folding stops as soon as the target holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 20, max: 70 }), async (percent) => {
        const sizes = { targetPercent: percent / 100, preserveRecentPercent: 0.2, summaryMaxTokens: 2_000 };
        const config = { maxInputTokens: 20_000, ...sizes };
        const session = await open({ config });
        // Each result is below the size that is externalized and a summary is small, so that steps are small as well.
        await session.append([message("u0", "user", "Build it."), ...work(0, 36, 500)]);
        const { outcome, tokens } = await session.prepare();
        expect(outcome?.type).toBe("committed");
        expect(tokens).toBeLessThanOrEqual(20_000 * 0.85);
        expect(tokens).toBeGreaterThan((20_000 * percent) / 100 - 3_000);
      }),
      runs(15),
    );
  });
});
