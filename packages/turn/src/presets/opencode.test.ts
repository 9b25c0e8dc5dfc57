import { OPENCODE_PRUNE_MINIMUM, OPENCODE_PRUNE_PROTECT, opencodePreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const inWindow = { preset: opencodePreset, config: { maxInputTokens: 200_000 } };

describe("seed 001, OpenCode", () => {
  it("opencode-7 opencode-8 has PRUNE_PROTECT 40 000 and PRUNE_MINIMUM 20 000", () => {
    expect([OPENCODE_PRUNE_PROTECT, OPENCODE_PRUNE_MINIMUM]).toEqual([40_000, 20_000]);
  });

  it("fires when the tokens exceed the window less the output reserve", () => {
    expect(triggerLevel(opencodePreset, 200_000, { tokens: 200_000 })).toBe("none");
    expect(triggerLevel(opencodePreset, 200_000, { tokens: 200_001 })).toBe("hard");
  });

  it("opencode-7 prunes tool output beyond the newest 40 000 tokens and summarizes nothing when that is enough", async () => {
    const script = "u1 a1 t1 a2 t2 a3 t3 a4 t4 a5 t5 a6 t6 u7";
    const thread = scriptThread(script, (id) => (id.startsWith("t") ? 35_004 : 100));
    const { plan } = await folded(thread, inWindow);
    expect(plan.summarizations).toEqual([]);
    expect(shownIn(thread, plan).filter((entry) => entry.includes("t"))).toEqual([
      ...["t1", "t2", "t3", "t4", "t5"].map((id) => expect.stringContaining(`${id}]`)),
      "t6",
    ]);
  });

  it("opencode-15 summarizes the whole history if there is nothing to prune", async () => {
    const thread = scriptThread("u1 a1 u2 a2 u3", 50_000);
    const { plan } = await folded(thread, inWindow);
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u3"]);
    expect(plan.clearings).toEqual([]);
  });
});
