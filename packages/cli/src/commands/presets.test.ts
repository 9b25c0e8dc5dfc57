import { PRESETS } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";

describe("presets", () => {
  it("lists each with its trigger, ladder and figures, and once what none of them sets", async () => {
    const { code, stdout } = await captureRun(["presets"], { columns: 100 });
    expect(code).toBe(0);
    for (const { name, description, ladder, promptVersion } of PRESETS) {
      const words = [name, description.split(" ")[0], ladder[0]?.name, promptVersion];
      for (const word of words) expect(stdout).toContain(word);
    }
    expect(stdout).toContain("any of (context-tokens 83617");
    expect(stdout).toContain("reserveTokens=16384, keepRecentTokens=20000");
    expect(stdout).toContain("PRUNE_PROTECT=40000, PRUNE_MINIMUM=20000");
    expect(stdout.match(/rehydrationCooldownTurns/g)).toHaveLength(1);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("gives the same as JSON, with every parameter that is in force", async () => {
    const { stdout } = await captureRun(["presets", "--json"]);
    const { data } = JSON.parse(stdout) as { data: { presets: readonly Record<string, unknown>[] } };
    expect(data.presets.map((preset) => preset["name"])).toEqual(PRESETS.map((preset) => preset.name));
    expect(data.presets.find((preset) => preset["name"] === "ai-sdk")).toMatchObject({
      ladder: ["session-summary"],
      figures: { systemReserve: 2_000, outputReserve: 4_000, safetyBuffer: 5_000, recentMessagesToKeep: 10 },
      sets: { summaryMaxTokens: 1_000, targetPercent: 0 },
      parameters: { maxInputTokens: 128_000, summaryMaxTokens: 1_000 },
    });
  });
});
