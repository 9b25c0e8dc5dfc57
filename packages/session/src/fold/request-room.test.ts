import { type CompactionOutcome, ThreadfoldError } from "@threadfold/core";
import { message, messageInputs, patience, runs } from "@threadfold/core/laws";
import {
  type CompactionTrigger,
  coldCacheTrigger,
  growthTrigger,
  idleTrigger,
  ladderPreset,
  manualTrigger,
  maxOutputTrigger,
  messageCountTrigger,
  overflowTrigger,
  PRESETS,
  reportedUsageTrigger,
  stepCountTrigger,
  tokenCountTrigger,
  tokenFractionTrigger,
  turnCountTrigger,
} from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

/** Triggers that know nothing of the room, each as the whole trigger of a policy. */
const TRIGGERS: readonly CompactionTrigger[] = [
  turnCountTrigger(1_000),
  stepCountTrigger(1_000),
  messageCountTrigger(1_000),
  tokenCountTrigger(1_000_000),
  tokenFractionTrigger(1),
  reportedUsageTrigger(1),
  growthTrigger(1_000_000),
  idleTrigger(1_000_000, 1),
  coldCacheTrigger(1),
  maxOutputTrigger(1),
  overflowTrigger,
  manualTrigger,
];
const POLICIES = [
  ...PRESETS,
  ...TRIGGERS.map((trigger) => ({ ...ladderPreset, name: trigger.name, trigger: () => trigger })),
];

/** The tokens of the next request, or the error in its place. */
async function prepared(session: ContextSession): Promise<number | ThreadfoldError> {
  try {
    return (await session.prepare()).tokens;
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return error;
    throw error;
  }
}

describe("the room of a request", () => {
  it("holds under every preset and trigger with any reserves, or the request is refused", {
    timeout: patience(300_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ malformed: true, maxMessages: 40 }),
        fc.integer({ min: 200, max: 4_000 }),
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(...POLICIES),
        async (messages, maxInputTokens, percent, margin, preset) => {
          const outputReserveTokens = Math.floor((maxInputTokens * percent) / 100);
          const safetyBufferTokens = Math.floor((maxInputTokens * margin) / 100);
          const limit = maxInputTokens - outputReserveTokens - safetyBufferTokens;
          const reserves = { outputReserveTokens, safetyBufferTokens };
          const session = await openSession({
            preset,
            config: { maxInputTokens, ...reserves, rehydrationReserveTokens: 0 },
          });
          for (let from = 0; from < messages.length; from += 8) {
            await session.append(messages.slice(from, from + 8));
            const request = await prepared(session);
            if (typeof request === "number") expect(request).toBeLessThanOrEqual(limit);
            else expect([preset.name, request.code]).toEqual([preset.name, "BUDGET_INFEASIBLE"]);
          }
        },
      ),
      runs(70, 4_000),
    );
  });

  it.each(POLICIES.map((preset) => [preset.name, preset] as const))(
    "%s: holds call after call while an agent works, with space for the answer",
    async (_name, preset) => {
      const room = 20_000 - 6_000;
      const session = await openSession({
        preset,
        config: { maxInputTokens: 20_000, outputReserveTokens: 6_000 },
      });
      await session.append([message("u0", "user", "Build it.")]);
      const outcomes = new Set<CompactionOutcome["type"] | undefined>();
      for (let call = 0; call < 60; call++) {
        await session.append(work(call, call + 1, 700));
        const { tokens, outcome, violations } = await session.prepare();
        expect([call, tokens <= room, violations]).toEqual([call, true, []]);
        outcomes.add(outcome?.type);
      }
      expect(outcomes).toContain("committed");
    },
  );
});
