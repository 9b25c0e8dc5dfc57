import { actionOf, asMessageId, type CompactionPlan, previewOf } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folded, runFold } from "../testing/run-fold.ts";

const actionIn = (plan: CompactionPlan, id: string) => actionOf(plan, asMessageId(id)).action;

/** For the request, the call, and a summary of all that came before, in tokens. */
const ROOM = 500;

describe("the newest message in a fold", () => {
  it("S8 shares the room with the results beside it when all of them are larger than the cap", async () => {
    const sizes: Record<string, number> = { t1: 6_000, t2: 1_000, t3: 7_000 };
    const thread = scriptThread("u1 a1 t1 t2 t3", (id) => sizes[id] ?? 50);
    const { plan } = await folded(thread, { config: { maxInputTokens: 10_000 } });
    expect(shownIn(thread, plan)).toEqual(["u1", "a1", "[externalized-body t1]", "t2", "[externalized-body t3]"]);
    const [first = 0, last = 0] = plan.externalizations.map((record) => previewOf(record)?.leftOutTokens);
    expect(7_000 - last).toBeGreaterThan(3_800);
    expect(Math.abs(6_000 - first - (7_000 - last))).toBeLessThan(200);
  });

  it("stays when the call that it answers is larger than the cap: the call is cut", async () => {
    const sizes: Record<string, number> = { a2: 12_000, t2: 6_000 };
    const thread = scriptThread("u1 a1 t1 a2 t2", (id) => sizes[id] ?? 50);
    const { plan } = await folded(thread, { config: { maxInputTokens: 10_000 } });
    expect([actionIn(plan, "a2"), actionIn(plan, "t2")]).toEqual(["clear", "include"]);
  });

  it("stays although the plan is then above the soft threshold, and is cut when it alone exceeds the cap", async () => {
    const history = (newest: number) => scriptThread("u1 a1 t1 a2 t2", (id) => ({ t1: 6_000, t2: newest })[id] ?? 50);
    const config = { maxInputTokens: 10_000, softThresholdPercent: 0.8 };
    const kept = await folded(history(9_000), { config });
    expect(actionIn(kept.plan, "t2")).toBe("include");
    expect(kept.tokens.after).toBeGreaterThan(8_000);
    const cut = await folded(history(10_100), { config });
    expect(actionIn(cut.plan, "t2")).toBe("externalize");
    expect(cut.tokens.after).toBeGreaterThan(7_500);
  });

  it("stays on random histories, and all that stands beside it unread, wherever that fits beside what stands for the rest", async () => {
    const sizes = (minLength: number, maxLength: number) =>
      fc.array(fc.integer({ min: 50, max: 4_000 }), { minLength, maxLength });
    await fc.assert(
      fc.asyncProperty(sizes(0, 8), sizes(1, 6), async (history, batch) => {
        const before = history.map((_, at) => `a${at} t${at}`);
        const results = batch.map((_, at) => `t${history.length + at}`);
        const tokens = [...history, ...batch];
        const thread = scriptThread(["u1", ...before, "a", ...results].join(" "), (id) =>
          id.startsWith("t") ? (tokens[Number(id.slice(1))] as number) : 50,
        );
        const maxInputTokens = batch.reduce((sum, size) => sum + size, 0) + ROOM + 50 * batch.length;
        const outcome = await runFold(thread, { config: { maxInputTokens } }).result;
        if (outcome.type === "no-op") return;
        if (outcome.type !== "ready") throw new Error(outcome.type);
        for (const result of results) expect(actionIn(outcome.plan, result)).toBe("include");
      }),
      runs(100),
    );
  });
});
