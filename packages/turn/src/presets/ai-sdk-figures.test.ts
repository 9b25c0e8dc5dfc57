import { aiSdk, aiSdkPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/trigger-level.ts";

describe("the figures of the AI SDK layer as configuration", () => {
  it("layer-4 layer-5 reserves move the threshold, 93 600 of 128 000 tokens without them", () => {
    expect(aiSdkPreset.config.maxInputTokens).toBe(128_000);
    const levels = (preset: typeof aiSdkPreset, tokens: number) =>
      [tokens - 1, tokens].map((size) => triggerLevel(preset, 128_000, { tokens: size }));
    expect(levels(aiSdkPreset, 93_600)).toEqual(["none", "soft"]);
    const own = aiSdk({ systemReserve: 12_000, outputReserve: 8_000, safetyBuffer: 8_000 });
    expect(levels(own, 80_000)).toEqual(["none", "soft"]);
    expect(own.config.policyVersion).not.toBe(aiSdkPreset.config.policyVersion);
  });

  it("layer-4 keeps as many recent messages as are set, and refuses what is no figure", async () => {
    const script = Array.from({ length: 12 }, (_, turn) => `u${turn} a${turn}`).join(" ");
    const thread = scriptThread(script, 5_000);
    for (const recentMessagesToKeep of [4, 8]) {
      const preset = aiSdk({ recentMessagesToKeep });
      const { plan } = await folded(thread, { preset, config: { maxInputTokens: 128_000 } });
      expect(shownIn(thread, plan)).toHaveLength(recentMessagesToKeep + 1);
    }
    for (const settings of [{ recentMessagesToKeep: -1 }, { safetyBuffer: 0.5 }, { keepLast: 3 }])
      expect(() => aiSdk(settings as object)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });
});
