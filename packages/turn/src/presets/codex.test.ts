import { compactionConfig } from "@threadfold/core";
import { codexAutoCompactLimit, codexPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const limitOf = (maxInputTokens: number) =>
  codexAutoCompactLimit(compactionConfig({ ...codexPreset.config, maxInputTokens }));
const fold = (thread: ReturnType<typeof scriptThread>, plan?: Awaited<ReturnType<typeof folded>>["plan"]) =>
  folded(thread, { preset: codexPreset, config: { maxInputTokens: 200_000 }, ...(plan && { plan }) });

describe("seed 001, Codex", () => {
  it("codex-7 fires at a number of tokens: 180 000 for some models, 244 000 odd for others", () => {
    expect(limitOf(200_000)).toBe(180_000);
    expect(Math.floor(limitOf(272_000) / 1_000)).toBe(244);
    expect(triggerLevel(codexPreset, 200_000, { tokens: 179_999 })).toBe("none");
    expect(triggerLevel(codexPreset, 200_000, { tokens: 180_000 })).toBe("soft");
  });

  it("codex-8 keeps the newest user messages up to 20 000 tokens, followed by one summary of the rest", async () => {
    const sizes = (id: string) => (id.startsWith("u") ? 6_000 : 40_000);
    const thread = scriptThread("s0 u1 a1 u2 a2 u3 a3 u4 a4 u5", sizes);
    const { plan } = await fold(thread);
    // 6 000 + 6 000 + 6 000 for u5, u4 and u3; of u2 the last 2 000 tokens fit, and u1 goes.
    expect(shownIn(thread, plan)).toEqual(["s0", "[cleared u2]", "u3", "u4", "[summary]", "u5"]);
    expect(plan.summarizations[0]?.summary.span.messageIds).toEqual(["u1", "a1", "a2", "a3", "a4"]);
  });

  it("L7 codex-8 truncates the user message that fits only in part to head and tail within the 20 000", async () => {
    const thread = scriptThread("u1 a1 u2", (id) => (id === "u1" ? 90_000 : id === "u2" ? 5_000 : 100_000));
    const { plan } = await fold(thread);
    expect(shownIn(thread, plan)).toEqual(["[cleared u1]", "[summary]", "u2"]);
    const { targets, keep } = plan.clearings[0] ?? {};
    expect(targets).toEqual(["text"]);
    expect((keep?.headCharacters ?? 0) + (keep?.tailCharacters ?? 0)).toBeLessThanOrEqual(15_000 * 4);
    expect(keep?.headCharacters).toBeGreaterThan(20_000);
  });

  it("L6 codex-16 does not take an old summary for a user message when it compacts again", async () => {
    const sizes = (id: string) => (id.startsWith("u") ? 6_000 : 60_000);
    const first = await fold(scriptThread("u1 a1 u2 a2 u3 a3 u4", sizes));
    const grown = scriptThread("u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6 a6 u7", sizes);
    const { plan } = await fold(grown, first.plan);
    const shown = shownIn(grown, plan);
    expect(shown.filter((entry) => entry.startsWith("u"))).toEqual(["u5", "u6", "u7"]);
    expect(shown.filter((entry) => entry === "[summary]")).toHaveLength(1);
  });
});
