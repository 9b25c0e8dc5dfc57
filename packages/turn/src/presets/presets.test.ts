import {
  type AgentThread,
  actionOf,
  compactionConfig,
  emptyPlan,
  groupRecords,
  normalizePlan,
  planRecords,
} from "@threadfold/core";
import { agentThreads, patience, runs } from "@threadfold/core/laws";
import { type CompactionPreset, newestUserOrdinal, PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runFold } from "../testing/run-fold.ts";
import { missingPins } from "../testing/view-verifier.ts";
import type { FoldResult } from "../verify/fold-result.ts";

/** So many threads are folded with every preset: 10,000 times in all on every day, 200,000 times in the full run. */
const THREADS = runs(Math.ceil(10_000 / PRESETS.length), Math.ceil(200_000 / PRESETS.length));

const smallThreads = fc.record({
  thread: agentThreads({ malformed: true, maxMessages: 24 }),
  maxInputTokens: fc.integer({ min: 60, max: 3_000 }),
});

/** Folds and checks all that must hold; gives what it came to. */
async function foldSoundly(preset: CompactionPreset, thread: AgentThread, maxInputTokens: number): Promise<FoldResult> {
  const { result, shape } = runFold(thread, { preset, config: { maxInputTokens } });
  const outcome = await result;
  if (outcome.type !== "ready") {
    expect(["no-op", "infeasible", "inflated"], preset.name).toContain(outcome.type);
    if (outcome.type === "infeasible") expect(outcome.required, preset.name).toBeGreaterThan(outcome.budget);
    if (outcome.type !== "infeasible") expect(outcome.tokens.after, preset.name).toBeLessThanOrEqual(maxInputTokens);
    return outcome;
  }
  expect(outcome.tokens.after, preset.name).toBeLessThanOrEqual(maxInputTokens);
  expect(outcome.tokens.after, preset.name).toBeLessThan(outcome.tokens.before);
  const { records, changes } = normalizePlan(outcome.plan, shape);
  expect(changes, preset.name).toEqual([]);
  expect(records, preset.name).toEqual(groupRecords(planRecords(outcome.plan)));
  expect(missingPins(thread, outcome.plan), preset.name).toEqual([]);
  const newest = newestUserOrdinal(shape);
  if (newest >= 0) expect(actionOf(outcome.plan, shape.header(newest).id).action, preset.name).toBe("include");
  return outcome;
}

describe("every preset", () => {
  it("R18 fits any budget or says what takes the room; groups whole, pins present, newest user message as it is, same again", {
    timeout: patience(60_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(smallThreads, fc.constantFrom(...PRESETS), async ({ thread, maxInputTokens }, twice) => {
        for (const preset of PRESETS) {
          const outcome = await foldSoundly(preset, thread, maxInputTokens);
          if (preset === twice) expect(await foldSoundly(preset, thread, maxInputTokens)).toEqual(outcome);
        }
      }),
      THREADS,
    );
  });
});

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))("preset %s", (_name, preset) => {
  it("L24 folds a grown thread again on top of the first plan, and no result loses its call", {
    timeout: patience(60_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(smallThreads, fc.nat(), async ({ thread, maxInputTokens }, cut) => {
        const options = { preset, config: { maxInputTokens } };
        const earlier = await runFold(thread.atVersion(cut % (thread.version + 1)), options).result;
        const plan = earlier.type === "ready" ? earlier.plan : emptyPlan(thread.id, "test");
        const { result, shape } = runFold(thread, { ...options, plan });
        const outcome = await result;
        if (outcome.type !== "ready") return;
        expect(outcome.tokens.after).toBeLessThanOrEqual(maxInputTokens);
        expect(normalizePlan(outcome.plan, shape).changes).toEqual([]);
        expect(missingPins(thread, outcome.plan)).toEqual([]);
        expect(outcome.plan.version).toBe(plan.version + 1);
      }),
      runs(30),
    );
  });

  it("has a trigger that stays silent on an empty thread, and fires hard above the cap, on request and after an overflow", () => {
    const config = compactionConfig(preset.config);
    const trigger = preset.trigger(config);
    const empty = { tokens: 0, roomTokens: config.maxInputTokens, turns: 0, steps: 0, messages: 0 };
    expect(trigger.evaluate(empty).level).toBe("none");
    expect(trigger.evaluate({ ...empty, tokens: config.maxInputTokens + 1 }).level).toBe("hard");
    expect(trigger.evaluate({ ...empty, requested: true }).level).toBe("hard");
    expect(trigger.evaluate({ ...empty, overflowed: true }).level).toBe("hard");
  });
});

describe("presets", () => {
  it("have unique names and policy versions, and versioned prompts", () => {
    expect(new Set(PRESETS.map((preset) => preset.name)).size).toBe(PRESETS.length);
    expect(new Set(PRESETS.map((preset) => compactionConfig(preset.config).policyVersion)).size).toBe(PRESETS.length);
    for (const preset of PRESETS) expect(preset.promptVersion).toMatch(/^[a-z-]+-v\d+$/);
  });

  it("refuse an unknown name and list the known ones", () => {
    expect(() => presetByName("nope")).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", hint: expect.stringContaining("threadfold") }),
    );
  });
});
