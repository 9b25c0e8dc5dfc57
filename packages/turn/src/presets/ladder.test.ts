import { actionOf, asMessageId, type CompactionPlan } from "@threadfold/core";
import { ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { answers, artifactsThat, bodyOf, calls, threadOf } from "../testing/fold-case.ts";
import { folded } from "../testing/run-fold.ts";

const step = (at: number, toolName: string, tokens: number) => [
  calls(`c${at}`, `x${at}`, toolName),
  answers(`r${at}`, `x${at}`, toolName, "y".repeat(4 * tokens)),
];
/** A large and a small result of a tool that cannot be replayed, and one of a tool that may be cleared. */
const thread = threadOf(...step(1, "WebSearch", 1_500), ...step(2, "WebSearch", 60), ...step(3, "bash", 400));
const RESULTS = ["r1", "r2", "r3"];
const fold = (config: object) =>
  folded(thread, { preset: ladderPreset, config: { maxInputTokens: 2_000, preserveRecentTurns: 1, ...config } });
const actions = (plan: CompactionPlan) => RESULTS.map((id) => actionOf(plan, asMessageId(id)).action);

describe("seed 002, durability on the ladder", () => {
  it("spec-51 NON_REPLAYABLE: a large result is externalized instead of cleared, and a small one is kept", async () => {
    const { plan } = await fold({ enableSummarization: false, enableDropping: false, targetPercent: 0.1 });
    expect(actions(plan)).toEqual(["externalize", "include", "clear"]);
  });

  it("NON_REPLAYABLE: a summary may replace the result together with its call, and names both", async () => {
    const { plan } = await fold({ targetPercent: 0.05, externalizeThresholdTokens: 2_000 });
    expect(actions(plan)).toEqual(["summarize", "summarize", "summarize"]);
    const named = plan.summarizations.flatMap(({ span }) => span.messageIds);
    for (const id of RESULTS) expect(named).toEqual(expect.arrayContaining([id, id.replace("r", "c")]));
    expect(plan.clearings).toEqual([]);
  });

  it.each([
    ["summarize", {}],
    ["drop", { enableExternalization: true, enableSummarization: false, enableClearing: false }],
  ])(
    "spec-51 NON_REPLAYABLE: its body is stored as an artifact that the prompt names, when folded by %s",
    async (_, config) => {
      const artifacts = artifactsThat();
      const { plan } = await folded(thread, {
        preset: ladderPreset,
        config: {
          ...{ maxInputTokens: 3_000, preserveRecentTurns: 1, targetPercent: 0.1, externalizeThresholdTokens: 9_000 },
          ...config,
        },
        ports: { artifacts },
      });
      const named = plan.summarizations.flatMap(({ summary }) => summary.artifacts);
      expect(named.map(({ sources }) => sources[0])).toEqual(["r1", "r2"]);
      for (const { artifactId, sources } of named)
        expect(artifacts.contents.get(artifactId)).toBe(bodyOf(thread, sources[0] as string));
    },
  );

  it("NON_REPLAYABLE: with externalization switched off, the fold goes on and stores nothing", async () => {
    const artifacts = artifactsThat();
    const config = { maxInputTokens: 3_000, preserveRecentTurns: 1, targetPercent: 0.1, enableExternalization: false };
    const { plan } = await folded(thread, { preset: ladderPreset, config, ports: { artifacts } });
    expect(plan.summarizations.flatMap(({ summary }) => summary.artifacts)).toEqual([]);
    expect(artifacts.asked).toEqual([]);
  });

  it("spec-80 after a rehydration in the turn, nothing is externalized or dropped, not even instead of clearing", async () => {
    const config = {
      ...{ maxInputTokens: 2_000, preserveRecentTurns: 1, targetPercent: 0.1 },
      ...{ enableSummarization: false, enableDropping: false },
    };
    const run = (sparesRehydrated: boolean) =>
      folded(thread, { preset: ladderPreset, config, input: { sparesRehydrated } });
    const [spared, plain] = [(await run(true)).plan, (await run(false)).plan];
    expect([spared.externalizations, spared.drops]).toEqual([[], []]);
    expect(plain.externalizations.length).toBeGreaterThan(0);
  });
});
