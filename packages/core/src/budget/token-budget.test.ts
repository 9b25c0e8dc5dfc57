import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import {
  availableForMessages,
  availableTokens,
  compactionThreshold,
  DEFAULT_TOKEN_BUDGET,
  messageCapacity,
  overheadTokens,
  type TokenBudget,
  tokenBudget,
  utilization,
} from "./token-budget.ts";

describe("the formulas of the seeds give their printed numbers", () => {
  it("seed 000: a window of 200 000 and an output of 16 384", () => {
    const budget = tokenBudget({ maxInputTokens: 200_000, outputReserveTokens: 16_384, systemPromptTokens: 3_616 });
    expect(messageCapacity(budget)).toBe(180_000);
    expect(availableTokens(budget, 30_000)).toBe(150_000);
    expect(utilization(budget, 144_000)).toBe(0.8);
    expect(availableTokens(budget, 180_001)).toBe(-1);
  });

  it("seed 000: without system text, 183 616 tokens are left for messages", () => {
    expect(availableTokens(tokenBudget({ maxInputTokens: 200_000, outputReserveTokens: 16_384 }), 0)).toBe(183_616);
  });

  it("seed 002: available_for_messages of the defaults, and with every overhead", () => {
    expect(availableForMessages(DEFAULT_TOKEN_BUDGET)).toBe(85_000 - 500 - 2_000);
    const budget = tokenBudget({ systemPromptTokens: 1_000, toolSchemaTokens: 3_000, formattingOverheadTokens: 200 });
    expect(overheadTokens(budget)).toBe(4_200);
    expect(availableForMessages(budget)).toBe(78_300);
  });

  it("seed 002: int(max × threshold) cuts off and does not round", () => {
    expect(
      availableForMessages(
        tokenBudget({ maxInputTokens: 1_001, softThreshold: 0.85, safetyBufferTokens: 0, rehydrationReserveTokens: 0 }),
      ),
    ).toBe(850);
  });

  it("seed 003: 93 600 tokens for its default configuration", () => {
    const figures = {
      modelContextLimit: 128_000,
      systemReserve: 2_000,
      outputReserve: 4_000,
      safetyBuffer: 5_000,
      thresholdPercent: 0.8,
    };
    expect(compactionThreshold(figures)).toBe(93_600);
  });
});

describe("a token budget", () => {
  const figures: fc.Arbitrary<TokenBudget> = fc
    .record({
      maxInputTokens: fc.integer({ min: 1, max: 2_000_000 }),
      softThreshold: fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100),
      systemPromptTokens: fc.nat(100_000),
      toolSchemaTokens: fc.nat(100_000),
      formattingOverheadTokens: fc.nat(1_000),
      outputReserveTokens: fc.nat(64_000),
      safetyBufferTokens: fc.nat(5_000),
      rehydrationReserveTokens: fc.nat(10_000),
    })
    .filter(({ maxInputTokens, outputReserveTokens }) => outputReserveTokens < maxInputTokens);

  it("never lets a request that uses all of its messages' room exceed the cap less the answer", () => {
    fc.assert(
      fc.property(figures, (given) => {
        const budget = tokenBudget(given);
        expect(messageCapacity(budget) + overheadTokens(budget) + budget.outputReserveTokens).toBe(
          budget.maxInputTokens,
        );
        expect(availableTokens(budget, messageCapacity(budget))).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it("is used up exactly when utilization reaches 1, and infinitely when there is no room at all", () => {
    fc.assert(
      fc.property(figures, fc.nat(2_000_000), (given, used) => {
        const budget = tokenBudget(given);
        const share = utilization(budget, used);
        if (messageCapacity(budget) <= 0) expect(share).toBe(Number.POSITIVE_INFINITY);
        else expect(share >= 1).toBe(availableTokens(budget, used) <= 0);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps the rehydration reserve out of the room for messages, token by token", () => {
    fc.assert(
      fc.property(figures, (given) => {
        const without = tokenBudget({ ...given, rehydrationReserveTokens: 0 });
        expect(availableForMessages(without) - availableForMessages(tokenBudget(given))).toBe(
          given.rehydrationReserveTokens,
        );
      }),
      { numRuns: 100 },
    );
  });

  it.each<[string, Partial<TokenBudget>, string]>([
    ["a cap of 0", { maxInputTokens: 0 }, "maxInputTokens"],
    ["a negative cap", { maxInputTokens: -1 }, "maxInputTokens"],
    ["a cap that is no number", { maxInputTokens: Number.NaN }, "maxInputTokens"],
    ["an infinite cap", { maxInputTokens: Number.POSITIVE_INFINITY }, "maxInputTokens"],
    ["a missing figure", { safetyBufferTokens: undefined as unknown as number }, "safetyBufferTokens"],
    ["text for a figure", { systemPromptTokens: "12" as unknown as number }, "systemPromptTokens"],
    ["a threshold of 0", { softThreshold: 0 }, "softThreshold"],
    ["a threshold above 1", { softThreshold: 1.01 }, "softThreshold"],
    [
      "an output reserve of the whole window",
      { maxInputTokens: 8_192, outputReserveTokens: 8_192 },
      "outputReserveTokens",
    ],
    ["negative overhead", { toolSchemaTokens: -5 }, "toolSchemaTokens"],
  ])("S11: refuses %s and names it", (_, given, name) => {
    expect(() => tokenBudget(given)).toThrow(ThreadfoldError);
    expect(() => tokenBudget(given)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: expect.objectContaining({ name }) }),
    );
  });

  it("S11: accepts a threshold of 1 and an output reserve of 0 or one less than the window", () => {
    expect(tokenBudget({ softThreshold: 1, outputReserveTokens: 0 }).softThreshold).toBe(1);
    expect(messageCapacity(tokenBudget({ maxInputTokens: 8_192, outputReserveTokens: 8_191 }))).toBe(1);
  });

  it("is frozen and takes defaults for what is left out", () => {
    expect(Object.isFrozen(tokenBudget())).toBe(true);
    expect(tokenBudget()).toEqual(DEFAULT_TOKEN_BUDGET);
  });
});
