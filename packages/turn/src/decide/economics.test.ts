import {
  asMessageId,
  asThreadId,
  type ClearRecord,
  type CompactionOutcome,
  type CompactionPlan,
  compactionConfig,
  type DropRecord,
  emptyPlan,
  type FoldAttemptedRecord,
  groupRecords,
  PROMPT_CACHE_PRICES,
  promptCachePrice,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { scriptThread } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterAttempt, type FoldMoment, foldHistory, mayFold } from "../state/breaker.ts";
import { folded } from "../testing/run-fold.ts";
import {
  type CacheTemperature,
  type CommitFigures,
  cacheTemperature,
  callsToWait,
  configForEpoch,
  expectedRemainingCalls,
  weighCommit,
} from "./costs.ts";
import { firstEdit } from "./weigh-fold.ts";

const anthropic = promptCachePrice("anthropic");
const figures: CommitFigures = {
  before: 110_000,
  after: 100_000,
  suffix: 60_000,
  expectedCalls: 40,
  temperature: "warm",
  price: anthropic,
};

const anyFigures: fc.Arbitrary<CommitFigures> = fc
  .record({
    before: fc.integer({ min: 1, max: 1_000_000 }),
    share: fc.double({ min: 0.01, max: 1.2, noNaN: true }),
    behind: fc.double({ min: 0, max: 1, noNaN: true }),
    expectedCalls: fc.integer({ min: 0, max: 500 }),
    temperature: fc.constantFrom<CacheTemperature>("warm", "cold", "uncached"),
    price: fc.constantFrom(...PROMPT_CACHE_PRICES),
  })
  .map(({ before, share, behind, ...rest }) => {
    const after = Math.ceil(before * share);
    return { ...rest, before, after, suffix: Math.floor(after * behind) };
  });

describe("weighCommit", () => {
  it("breaks even at published prices after about 69 calls for 10 K freed before a 60 K suffix, after 7 for 100 K", () => {
    expect(weighCommit(figures)).toMatchObject({ freed: 10_000, breakEvenCalls: 69, pays: false });
    expect(weighCommit({ ...figures, before: 200_000 })).toMatchObject({ freed: 100_000, pays: true });
    expect(weighCommit({ ...figures, before: 200_000 }).breakEvenCalls).toBeCloseTo(6.9);
    expect(weighCommit(figures).reason).toBe(
      "rewriting 60000 tokens costs 69000 and each call then saves 1000, worth it after 69 calls (40 are expected; anthropic's prices)",
    );
  });

  it("says that a commit pays only if it makes the bill of the following calls no larger", () => {
    fc.assert(
      fc.property(anyFigures, (input) => {
        const { before, after, suffix, expectedCalls, temperature, price } = input;
        const each = temperature === "uncached" ? 1 : price.read;
        const next = { warm: price.read, cold: price.write, uncached: 1 }[temperature];
        const first = temperature === "warm" ? (after - suffix) * price.read + suffix * price.write : after * next;
        const without = before * next + before * each * expectedCalls;
        const withCommit = first + after * each * expectedCalls;
        const { cost, savingPerCall, pays, freed } = weighCommit(input);
        fc.pre(freed > 0);
        // The call at hand already reads the smaller request when the cache is warm, which the cost leaves out.
        const slack = temperature === "warm" ? freed * price.read : 0;
        expect(without - withCommit).toBeCloseTo(savingPerCall * expectedCalls - cost + slack, 4);
        if (pays) expect(withCommit).toBeLessThanOrEqual(without + 1e-6 * before);
      }),
      runs(500),
    );
  });

  it("gives a reason for a warm cache, a cold cache and a request too short to cache", () => {
    const reasons = (["warm", "cold", "uncached"] as const).map(
      (temperature) => weighCommit({ ...figures, temperature }).reason,
    );
    expect(reasons).toEqual([
      expect.stringContaining("rewriting 60000 tokens"),
      "anthropic's cache is cold, so the smaller request costs 12500 less at once",
      "the request is too short for anthropic to cache, so every token freed pays",
    ]);
    expect(weighCommit({ ...figures, before: 90_000 }).reason).toContain("so it never pays");
  });

  it("pays on a cold cache exactly if the fold frees tokens", () => {
    fc.assert(
      fc.property(anyFigures, (input) => {
        const weighing = weighCommit({ ...input, temperature: "cold" });
        expect(weighing.pays).toBe(weighing.freed > 0);
        if (weighing.freed > 0) expect(weighing.cost).toBeLessThan(0);
      }),
      runs(200),
    );
  });

  it("takes the cache as cold before the first request and after its time to live, and as uncached below its minimum", () => {
    const run = { promptTokens: 50_000, price: anthropic };
    expect(cacheTemperature({ ...run, idleSeconds: undefined })).toBe("cold");
    expect(cacheTemperature({ ...run, idleSeconds: 300 })).toBe("warm");
    expect(cacheTemperature({ ...run, idleSeconds: 301 })).toBe("cold");
    expect(cacheTemperature({ ...run, idleSeconds: 1, promptTokens: 1_023 })).toBe("uncached");
    expect(cacheTemperature({ ...run, idleSeconds: 301, price: promptCachePrice("anthropic-1h") })).toBe("warm");
  });

  it("expects as many remaining calls as the session has made, plus the prior", () => {
    expect(expectedRemainingCalls(0, 20)).toBe(20);
    expect(expectedRemainingCalls(80, 20)).toBe(100);
  });
});

describe("callsToWait", () => {
  const run = {
    history: foldHistory(3),
    step: 20,
    maxPostponedCalls: 25,
    growthPerCall: 500,
    usedTokens: figures.before,
    limit: 200_000,
  };

  it("waits until enough calls are expected for the fold to pay", () => {
    expect(callsToWait(weighCommit(figures), { ...run, maxPostponedCalls: 100 })).toBe(29);
    expect(callsToWait(weighCommit({ ...figures, before: 200_000 }), run)).toBe(0);
  });

  it("P3 never waits longer than maxPostponedCalls or past the limit", () => {
    expect(callsToWait(weighCommit(figures), run)).toBe(25);
    expect(callsToWait(weighCommit(figures), { ...run, limit: 112_000 })).toBe(2);
    expect(callsToWait(weighCommit(figures), { ...run, limit: 110_500 })).toBe(0);
    fc.assert(
      fc.property(
        anyFigures,
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 400 }),
        (input, most, step) => {
          let history = foldHistory(1);
          let last = step;
          for (let now = step; now <= step + 200; now++) {
            const weighing = weighCommit({ ...input, expectedCalls: 0 });
            const wait = callsToWait(weighing, { ...run, history, step: now, maxPostponedCalls: most, limit: 2e6 });
            if (wait === 0) break;
            history = afterAttempt(history, "postponed", {
              step: now,
              forced: false,
              waitCalls: wait,
              breakerFailures: 3,
            });
            last = now + wait;
          }
          expect(last - step).toBeLessThanOrEqual(most);
        },
      ),
      runs(100),
    );
  });
});

describe("the breaker", () => {
  const moment: FoldMoment = { level: "soft", forced: false, step: 9, cacheIsCold: false, breakerFailures: 3 };
  const fail = (history: ReturnType<typeof foldHistory>, outcome: CompactionOutcome["type"], forced = false) =>
    afterAttempt(history, outcome, { step: 9, forced, breakerFailures: 3 });

  it("L29 opens after three unsuccessful folds in a row, whatever their outcomes", () => {
    let history = foldHistory(1);
    for (const outcome of ["ineffective", "inflated"] as const) history = fail(history, outcome);
    expect(mayFold(history, moment).type).toBe("go");
    history = fail(history, "infeasible");
    expect(mayFold(history, moment)).toMatchObject({
      type: "breaker-open",
      reason: expect.stringContaining("3 folds"),
    });
  });

  it("S18 is reset by success: a new plan starts without failures", () => {
    const open = ["refused", "refused", "infeasible"].reduce(
      (history, outcome) => fail(history, outcome as "refused"),
      foldHistory(4),
    );
    expect(open.failures).toBe(3);
    expect(mayFold(foldHistory(5, open), moment).type).toBe("go");
    expect(mayFold(foldHistory(4, open), moment).type).toBe("breaker-open");
  });

  it("lets hard and forced folds through, and a forced fold closes it", () => {
    const open = { ...foldHistory(1), failures: 7, notBefore: 500 };
    expect(mayFold(open, { ...moment, level: "hard" }).type).toBe("go");
    expect(mayFold(open, { ...moment, forced: true }).type).toBe("go");
    expect(fail(open, "ineffective", true).failures).toBe(0);
  });

  it("lets one fold through after a rest, and doubles the rest if that fold fails too", () => {
    let history = foldHistory(1);
    const tries: number[] = [];
    for (let step = 0; step < 1_000; step++) {
      if (mayFold(history, { ...moment, step }).type !== "go") continue;
      tries.push(step);
      history = afterAttempt(history, "inflated", { step, forced: false, breakerFailures: 3 });
    }
    expect(tries).toEqual([0, 1, 2, 10, 26, 58, 122, 250, 378, 506, 634, 762, 890]);
  });

  it("does not count conflicts, aborts, postponements and no-ops as failures", () => {
    for (const outcome of ["conflict", "aborted", "postponed", "no-op"] as const) {
      expect(fail({ ...foldHistory(1), failures: 2 }, outcome).failures).toBe(2);
    }
  });

  it("lets a postponed fold through when its wait ends or the cache goes cold", () => {
    const waiting = afterAttempt(foldHistory(1), "postponed", {
      step: 5,
      forced: false,
      waitCalls: 10,
      breakerFailures: 3,
    });
    expect(waiting).toMatchObject({ postponedSince: 5, notBefore: 15 });
    expect(mayFold(waiting, { ...moment, step: 14 })).toMatchObject({ type: "too-early" });
    expect(mayFold(waiting, { ...moment, step: 14, cacheIsCold: true }).type).toBe("go");
    expect(mayFold(waiting, { ...moment, step: 15 }).type).toBe("go");
  });

  it("continues from the last fold-attempted record if it belongs to the same plan", () => {
    const record: FoldAttemptedRecord = {
      type: "fold-attempted",
      outcome: "ineffective",
      threadVersion: 40,
      planVersion: 2,
      step: 12,
      failures: 2,
      postponedSince: null,
      notBefore: 0,
    };
    expect(foldHistory(2, record)).toMatchObject({ failures: 2 });
    expect(foldHistory(3, record)).toMatchObject({ failures: 0 });
  });
});

const epoch = compactionConfig({ maxInputTokens: 20_000, softThresholdPercent: 0.95, minCallsPerFold: 20 });
const targetAt = (growth: number, options = {}): number =>
  configForEpoch({ ...epoch, ...options }, growth).targetPercent;

describe("the target for an epoch", () => {
  it("stays as configured if minCallsPerFold calls fit above it", () => {
    expect(configForEpoch(epoch, 400)).toBe(epoch);
    expect(targetAt(2_000, { maxInputTokens: 100_000 })).toBe(0.5);
    expect(targetAt(2_000, { minCallsPerFold: 0 })).toBe(0.5);
  });

  it("leaves room for minCallsPerFold average calls, but never falls below half the configured target", () => {
    expect(targetAt(600)).toBeCloseTo(0.35);
    expect(targetAt(5_000)).toBe(0.25);
    expect(targetAt(5_000, { targetPercent: 0 })).toBe(0);
  });

  it("makes folds deeper in a thread with large calls", async () => {
    const thread = scriptThread(`u1 ${Array.from({ length: 20 }, (_, at) => `a${at} t${at}`).join(" ")}`, 500);
    const fold = (minCallsPerFold: number) => folded(thread, { config: { maxInputTokens: 20_000, minCallsPerFold } });
    const [usual, deeper] = [await fold(0), await fold(25)];
    expect(usual.tokens.after).toBeLessThanOrEqual(10_000);
    expect(deeper.tokens.after).toBeLessThanOrEqual(5_000);
    expect(usual.tokens.after).toBeGreaterThan(deeper.tokens.after);
  });
});

const ordinalOf = (id: string): number | undefined => (id.startsWith("m") ? Number(id.slice(1)) : undefined);

const dropOf = (ids: readonly string[], reason = "to make room"): DropRecord => ({
  action: "drop",
  span: { messageIds: ids.map(asMessageId), firstTurn: 0, lastTurn: 0 },
  strategy: "drop",
  reason,
  sincePlanVersion: 1,
  originalTokens: 10,
  keywords: [],
});

const clearOf = (ids: readonly string[], reason?: string): ClearRecord => {
  const { keywords: _, ...base } = dropOf(ids, reason);
  return { ...base, action: "clear", targets: ["tool-result"], preservedFields: {} };
};

const planOf = (...records: readonly (DropRecord | ClearRecord)[]): CompactionPlan => ({
  ...emptyPlan(asThreadId("thread"), "policy"),
  ...groupRecords(records),
});

describe("firstEdit", () => {
  it.each<[string, CompactionPlan, CompactionPlan, number | null]>([
    ["nothing is folded", planOf(), planOf(), null],
    ["a record was copied", planOf(dropOf(["m1", "m2"])), planOf(dropOf(["m1", "m2"])), null],
    ["the first fold", planOf(), planOf(dropOf(["m4", "m3"])), 3],
    ["a later message is folded, too", planOf(dropOf(["m1"])), planOf(dropOf(["m1"]), dropOf(["m7"])), 7],
    ["a message is shown again", planOf(dropOf(["m2"]), dropOf(["m5"])), planOf(dropOf(["m5"])), 2],
    [
      "a record has a different reason",
      planOf(dropOf(["m1"]), clearOf(["m6"])),
      planOf(dropOf(["m1"]), clearOf(["m6"], "now")),
      6,
    ],
    ["one record took the place of two", planOf(clearOf(["m1"]), clearOf(["m2"])), planOf(clearOf(["m1", "m2"])), 1],
    ["one drop took the place of two", planOf(dropOf(["m1"]), dropOf(["m2"])), planOf(dropOf(["m1", "m2"])), null],
    ["a drop took more", planOf(dropOf(["m1"]), dropOf(["m2"])), planOf(dropOf(["m1", "m2", "m3"])), 3],
    ["a drop took the place of a clearing", planOf(dropOf(["m1"]), clearOf(["m2"])), planOf(dropOf(["m1", "m2"])), 2],
    ["the message is not in the thread", planOf(), planOf(dropOf(["x1"])), null],
    ["only one of its messages is in the thread", planOf(), planOf(dropOf(["x1", "m4"])), 4],
  ])("%s", (_, before, after, expected) => {
    expect(firstEdit(before, after, ordinalOf)).toBe(expected);
  });
});
