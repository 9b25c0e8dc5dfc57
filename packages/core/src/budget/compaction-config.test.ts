import { describe, expect, it } from "vitest";
import { compactionConfig } from "./compaction-config.ts";

describe("compactionConfig", () => {
  it("uses the defaults of seed 002", () => {
    expect(compactionConfig()).toMatchObject({
      maxInputTokens: 100_000,
      softThresholdPercent: 0.85,
      targetPercent: 0.5,
      rehydrationMaxArtifactsPerTurn: 3,
      autoRehydrateSensitivities: ["public", "internal"],
      summaryRole: "assistant",
      enableRetrieval: false,
      defaultToolDurability: "anchoring",
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a target above the threshold", { targetPercent: 0.86 }, "targetPercent"],
    ["a threshold above 1", { softThresholdPercent: 1.5 }, "softThresholdPercent"],
    ["a threshold of 0", { softThresholdPercent: 0, targetPercent: 0 }, "softThresholdPercent"],
    ["a negative target", { targetPercent: -0.1 }, "targetPercent"],
    [
      "an output reserve of the whole window",
      { maxInputTokens: 1_000, outputReserveTokens: 1_000 },
      "outputReserveTokens",
    ],
    [
      "a safety buffer that takes all the room",
      { outputReserveTokens: 60_000, safetyBufferTokens: 40_000 },
      "safetyBufferTokens",
    ],
    [
      "a rehydration reserve that takes all the remaining room",
      { outputReserveTokens: 60_000, safetyBufferTokens: 30_000, rehydrationReserveTokens: 10_000 },
      "rehydrationReserveTokens",
    ],
    ["a cap of 0", { maxInputTokens: 0 }, "maxInputTokens"],
    ["half a token", { maxInputTokens: 10.5 }, "maxInputTokens"],
    ["a negative number of turns", { preserveRecentTurns: -1 }, "preserveRecentTurns"],
    ["a reclaim of everything", { minReclaimPercent: 1 }, "minReclaimPercent"],
    ["a system summary", { summaryRole: "system" }, "summaryRole"],
    ["a blank introduction", { summaryWording: { introduction: " \n" } }, "summaryWording.introduction"],
    ["an answer without words", { summaryWording: { answer: "" } }, "summaryWording.answer"],
    [
      "an overlong introduction",
      { summaryWording: { introduction: "x".repeat(2_001) } },
      "summaryWording.introduction",
    ],
    ["half a letter in an answer", { summaryWording: { answer: "\ud800" } }, "summaryWording.answer"],
    ["words for a place that there is not", { summaryWording: { end: "Bye." } }, "summaryWording"],
    ["an unknown sensitivity", { autoRehydrateSensitivities: ["secret"] }, "autoRehydrateSensitivities.0"],
    [
      "an unknown durability of a tool",
      { toolDurabilityOverrides: { bash: { durability: "forever" } } },
      "toolDurabilityOverrides.bash.durability",
    ],
    ["an empty policy version", { policyVersion: "" }, "policyVersion"],
    ["an option that there is not", { maxTokens: 5 }, "maxTokens"],
  ])("S11: refuses %s and names the option", (_, options, name) => {
    expect(() => compactionConfig(options)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
    );
  });

  it("suggests the option that a misspelled one probably meant", () => {
    expect(() => compactionConfig({ maxInputToken: 5_000 } as never)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", hint: "Did you mean maxInputTokens?" }),
    );
  });

  it("S11: accepts equal threshold and target, an output reserve of 0 and thresholds of 1", () => {
    expect(compactionConfig({ softThresholdPercent: 0.7, targetPercent: 0.7 }).targetPercent).toBe(0.7);
    expect(
      compactionConfig({ softThresholdPercent: 1, targetPercent: 1, outputReserveTokens: 0 }).softThresholdPercent,
    ).toBe(1);
    expect(compactionConfig({ targetPercent: 0 }).targetPercent).toBe(0);
    expect(compactionConfig({ maxInputTokens: 1_000, outputReserveTokens: 999 }).outputReserveTokens).toBe(999);
  });

  it("completes a tool's policy and freezes the whole configuration", () => {
    const config = compactionConfig({ toolDurabilityOverrides: { pay: { durability: "non_replayable" } } });
    expect(config.toolDurabilityOverrides["pay"]).toEqual({
      durability: "non_replayable",
      mustPreserveFields: [],
      replayCost: "cheap",
    });
    for (const value of [
      config,
      config.toolDurabilityOverrides,
      config.toolDurabilityOverrides["pay"],
      config.autoRehydrateSensitivities,
    ]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
    expect(compactionConfig().autoRehydrateSensitivities).toEqual(["public", "internal"]);
  });

  it("does not change the caller's options", () => {
    const options = { toolDurabilityOverrides: { pay: { durability: "ephemeral" as const } } };
    compactionConfig(options);
    expect(Object.isFrozen(options.toolDurabilityOverrides)).toBe(false);
    expect(Object.isFrozen(options)).toBe(false);
  });

  it("accepts tools named like object properties", () => {
    const config = compactionConfig({
      toolDurabilityOverrides: { ["constructor"]: { durability: "ephemeral" as const } },
    });
    expect(Object.hasOwn(config.toolDurabilityOverrides, "constructor")).toBe(true);
    expect(Object.hasOwn(config.toolDurabilityOverrides, "toString")).toBe(false);
  });
});
