import { compactionConfig } from "@threadfold/core";
import { scriptThread } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { configForEpoch } from "./costs.ts";

const config = compactionConfig({ maxInputTokens: 20_000, softThresholdPercent: 0.95, minCallsPerFold: 20 });
const targetAt = (growth: number, options = {}): number =>
  configForEpoch({ ...config, ...options }, growth).targetPercent;

describe("the target for an epoch", () => {
  it("is the configuration's own where so many calls fit above it", () => {
    expect(configForEpoch(config, 400)).toBe(config);
    expect(targetAt(2_000, { maxInputTokens: 100_000 })).toBe(0.5);
    expect(targetAt(2_000, { minCallsPerFold: 0 })).toBe(0.5);
  });

  it("leaves room for so many calls of average growth, and never less than half of itself", () => {
    expect(targetAt(600)).toBeCloseTo(0.35);
    expect(targetAt(5_000)).toBe(0.25);
    expect(targetAt(5_000, { targetPercent: 0 })).toBe(0);
  });

  it("makes a fold go deeper in a thread of large calls", async () => {
    const thread = scriptThread(`u1 ${Array.from({ length: 20 }, (_, at) => `a${at} t${at}`).join(" ")}`, 500);
    const fold = (minCallsPerFold: number) => folded(thread, { config: { maxInputTokens: 20_000, minCallsPerFold } });
    const [usual, deeper] = [await fold(0), await fold(25)];
    expect(usual.tokens.after).toBeLessThanOrEqual(10_000);
    expect(deeper.tokens.after).toBeLessThanOrEqual(5_000);
    expect(usual.tokens.after).toBeGreaterThan(deeper.tokens.after);
  });
});
