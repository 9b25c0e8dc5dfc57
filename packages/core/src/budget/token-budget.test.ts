import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactionConfig } from "./compaction-config.ts";
import { availableForMessages, overheadTokens, roomTokens, tokenBudget, utilization } from "./token-budget.ts";

const NO_RESERVES = { safetyBufferTokens: 0, rehydrationReserveTokens: 0 };

describe("the budget formulas reproduce the published numbers", () => {
  it("seed 000: a window of 200 000 with an output of 16 384 leaves 180 000 for messages after system text", () => {
    const config = compactionConfig({ maxInputTokens: 200_000, outputReserveTokens: 16_384, ...NO_RESERVES });
    const budget = tokenBudget(config, { systemPromptTokens: 3_616, toolSchemaTokens: 0 });
    expect(budget.limitTokens - overheadTokens(budget)).toBe(180_000);
    expect(utilization(budget, 144_000)).toBe(0.8);
    expect(tokenBudget(config).limitTokens).toBe(183_616);
  });

  it("spec-84 spec-85 seed 002: a cap less reserves and overheads leaves the stated room for messages", () => {
    const budget = tokenBudget(compactionConfig({ softThresholdPercent: 0.975 }), {
      systemPromptTokens: 1_000,
      toolSchemaTokens: 3_200,
    });
    expect(budget).toMatchObject({ safetyBufferTokens: 500, rehydrationReserveTokens: 2_000 });
    expect(budget.maxRehydrationArtifacts).toBe(3);
    expect(availableForMessages(budget)).toBe(100_000 - 500 - 2_000 - 4_200);
  });

  it("seed 002: the soft limit is the threshold's share of the cap, rounded down", () => {
    expect(tokenBudget(compactionConfig()).softLimit).toBe(85_000);
    expect(tokenBudget(compactionConfig({ maxInputTokens: 1_001, ...NO_RESERVES })).softLimit).toBe(850);
  });
});

describe("a token budget", () => {
  const configs = fc
    .record({
      maxInputTokens: fc.integer({ min: 100, max: 2_000_000 }),
      output: fc.integer({ min: 0, max: 60 }),
      safety: fc.option(fc.integer({ min: 0, max: 19 }), { nil: undefined }),
      rehydration: fc.option(fc.integer({ min: 0, max: 19 }), { nil: undefined }),
      soft: fc.integer({ min: 1, max: 100 }),
      target: fc.integer({ min: 0, max: 100 }),
    })
    .map(({ maxInputTokens, output, safety, rehydration, soft, target }) => {
      const share = (percent: number) => Math.floor((maxInputTokens * percent) / 100);
      return compactionConfig({
        maxInputTokens,
        outputReserveTokens: share(output),
        ...(safety !== undefined && { safetyBufferTokens: share(safety) }),
        ...(rehydration !== undefined && { rehydrationReserveTokens: share(rehydration) }),
        softThresholdPercent: soft / 100,
        targetPercent: Math.min(soft, target) / 100,
      });
    });

  it("spec-89 divides the cap exactly among output, safety buffer, rehydration reserve and plan", () => {
    fc.assert(
      fc.property(configs, (config) => {
        const budget = tokenBudget(config);
        const { outputReserveTokens, safetyBufferTokens, rehydrationReserveTokens, planLimitTokens } = budget;
        const kept = outputReserveTokens + safetyBufferTokens + rehydrationReserveTokens;
        expect(kept + planLimitTokens).toBe(config.maxInputTokens);
        expect(budget.limitTokens - planLimitTokens).toBe(rehydrationReserveTokens);
        expect(budget.roomTokens).toBe(roomTokens(config));
      }),
    );
  });

  it("has its limits in order: target, soft limit, plan limit, limit, room, cap", () => {
    fc.assert(
      fc.property(configs, (config) => {
        const {
          target,
          softLimit,
          planLimitTokens,
          limitTokens,
          roomTokens: room,
          maxInputTokens,
        } = tokenBudget(config);
        const marks = [target, softLimit, planLimitTokens, limitTokens, room, maxInputTokens];
        expect([...marks].sort((a, b) => a - b)).toEqual(marks);
      }),
    );
  });

  it("reserves at most a fortieth of a cap by default", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), (maxInputTokens) => {
        const { safetyBufferTokens, rehydrationReserveTokens } = tokenBudget(compactionConfig({ maxInputTokens }));
        expect(safetyBufferTokens + rehydrationReserveTokens).toBeLessThanOrEqual(maxInputTokens / 40);
        expect(safetyBufferTokens + rehydrationReserveTokens).toBeLessThanOrEqual(2_500);
      }),
    );
  });

  it("takes all shares from the room that the output reserve leaves", () => {
    const config = compactionConfig({ maxInputTokens: 200_000, outputReserveTokens: 20_000 });
    const overhead = { systemPromptTokens: 3_000, toolSchemaTokens: 1_500 };
    const budget = tokenBudget(config, overhead);
    expect(budget).toEqual({
      ...overhead,
      ...{ maxInputTokens: 200_000, outputReserveTokens: 20_000, roomTokens: 180_000 },
      ...{ safetyBufferTokens: 500, rehydrationReserveTokens: 2_000, maxRehydrationArtifacts: 3 },
      ...{ limitTokens: 179_500, planLimitTokens: 177_500 },
      ...{ softLimit: 153_000, target: 90_000, leastReclaim: 18_000 },
    });
    expect([overheadTokens(budget), availableForMessages(budget)]).toEqual([4_500, 148_500]);
  });

  it("reserves a two-hundredth of a small cap as safety buffer and a fiftieth for rehydration", () => {
    const reserves = (maxInputTokens: number) => {
      const { safetyBufferTokens, rehydrationReserveTokens } = tokenBudget(compactionConfig({ maxInputTokens }));
      return [safetyBufferTokens, rehydrationReserveTokens];
    };
    expect(reserves(50_000)).toEqual([250, 1_000]);
    expect(reserves(1_099)).toEqual([5, 21]);
    expect([reserves(100_000), reserves(1_000_000)]).toEqual([
      [500, 2_000],
      [500, 2_000],
    ]);
  });

  it("is fully used exactly at the limit, and infinitely used without room", () => {
    fc.assert(
      fc.property(configs, fc.nat(2_000_000), fc.nat(200_000), (config, used, systemPromptTokens) => {
        const budget = tokenBudget(config, { systemPromptTokens, toolSchemaTokens: 0 });
        const left = budget.limitTokens - systemPromptTokens;
        if (left <= 0) expect(utilization(budget, used)).toBe(Number.POSITIVE_INFINITY);
        else expect(utilization(budget, used) >= 1).toBe(used >= left);
      }),
    );
  });

  it("leaves at least one token if the reserves exceed the cap", () => {
    const config = {
      ...compactionConfig({ safetyBufferTokens: 900, rehydrationReserveTokens: 900 }),
      maxInputTokens: 500,
    };
    expect(tokenBudget(config)).toMatchObject({ limitTokens: 1, planLimitTokens: 1 });
  });

  it("is frozen", () => {
    expect(Object.isFrozen(tokenBudget(compactionConfig()))).toBe(true);
  });
});
