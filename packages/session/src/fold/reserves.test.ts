import type { ContextCompactionConfig } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { type CompactionPreset, type CompactionTrigger, PRESETS, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

const CAP = 10_000;

/** Tokens of the request at which an agent's work is folded first. */
async function foldsAt(preset: CompactionPreset, config: Partial<ContextCompactionConfig>): Promise<number> {
  const session = await openSession({
    preset,
    config: { maxInputTokens: CAP, costModelEnabled: false, minReclaimPercent: 0, targetPercent: 0.2, ...config },
  });
  await session.append([message("u0", "user", "Build it.")]);
  for (let call = 0; call < 60; call++) {
    await session.append(work(call, call + 1, 150));
    const { outcome } = await session.prepare();
    if (outcome?.type === "committed") return outcome.tokens.before;
  }
  throw new Error("Nothing was folded.");
}

const OPTIONS: readonly Partial<ContextCompactionConfig>[] = [
  { softThresholdPercent: 0.3 },
  { outputReserveTokens: 7_000 },
  { safetyBufferTokens: 7_000 },
  { rehydrationReserveTokens: 7_000 },
];

describe("reserves and thresholds", () => {
  it.each(PRESETS.map((preset) => [preset.name, preset] as const))(
    "spec-86 spec-87 each make preset %s fold earlier",
    async (_, preset) => {
      const before = await foldsAt(preset, {});
      for (const option of OPTIONS) {
        const at = await foldsAt(preset, option);
        expect([option, at < before, at <= 3_000 + 300]).toEqual([option, true, true]);
      }
    },
  );

  it("apply even to a trigger that ignores them", async () => {
    const never: CompactionTrigger = { name: "never", evaluate: () => ({ level: "none" }) };
    const preset = { ...threadfoldPreset, trigger: () => never };
    for (const option of OPTIONS) expect(await foldsAt(preset, option)).toBeLessThan(3_300);
  });
});
