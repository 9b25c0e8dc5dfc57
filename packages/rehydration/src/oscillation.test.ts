import { describe, expect, it } from "vitest";
import { RehydrationInterceptor } from "./artifacts/rehydration-interceptor.ts";
import { NO_REHYDRATIONS, type RehydrationState, TurnContext } from "./artifacts/rehydration-state.ts";
import { CONFIG, countTokens, FoldedThread } from "./testing/folded-thread.ts";

/** A prompt as a harness sees it: what the log holds in full, and what comes back for one turn only. */
interface Harness {
  readonly thread: FoldedThread;
  /** Contents of the log that are still in the prompt, oldest first. */
  inPrompt: string[];
  readonly threshold: number;
}

const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + countTokens(text), 0);

/** Externalizes the oldest content while there is pressure: what was brought back for this turn is no part of it. */
async function compact(harness: Harness, context: TurnContext): Promise<number> {
  let externalized = 0;
  if (context.shouldSkipAggressiveCompaction()) return externalized;
  while (tokensOf(harness.inPrompt) > harness.threshold) {
    await harness.thread.externalize(harness.inPrompt.shift() as string);
    externalized++;
  }
  return externalized;
}

describe("reference, inject, pressure, externalize, reference (seed 002, loop breaking)", () => {
  it("ends: referring to the same artifact in every turn causes no further externalization", async () => {
    const interceptor = new RehydrationInterceptor(CONFIG, countTokens);
    const harness: Harness = {
      thread: new FoldedThread(),
      inPrompt: ["old ".repeat(3_000), "new ".repeat(900)],
      threshold: 1_000,
    };
    expect(await compact(harness, TurnContext.start(0))).toBe(1);
    const artifactId = harness.thread.plan.externalizations[0]?.artifactId as string;
    const planBefore = harness.thread.plan.planId;
    const logBefore = tokensOf(harness.inPrompt);

    let state: RehydrationState = NO_REHYDRATIONS;
    const injections: number[] = [];
    for (let turn = 1; turn <= 20; turn++) {
      const outcome = await interceptor.maybeRehydrate(
        harness.thread.request(`I still need ${artifactId}.`, { currentTurn: turn, state }),
      );
      state = outcome.state;
      const context = TurnContext.start(turn).withRehydrated(outcome.results);
      injections.push(context.rehydratedTokens);
      expect(context.rehydratedTokens).toBeLessThanOrEqual(CONFIG.rehydrationTotalBudgetTokens);
      expect(await compact(harness, context)).toBe(0);
    }

    expect(harness.thread.plan.planId).toBe(planBefore);
    expect(tokensOf(harness.inPrompt)).toBe(logBefore);
    expect(injections.filter((tokens) => tokens > 0)).toHaveLength(20 / CONFIG.rehydrationCooldownTurns);
    expect(Object.keys(state.lastTurns)).toEqual([artifactId]);
  });

  it("spec-77 would not end if injected content joined the log", async () => {
    const interceptor = new RehydrationInterceptor({ ...CONFIG, rehydrationCooldownTurns: 0 }, countTokens);
    const harness: Harness = {
      thread: new FoldedThread(),
      inPrompt: ["old ".repeat(3_000), "new ".repeat(900)],
      threshold: 1_000,
    };
    await compact(harness, TurnContext.start(0));
    let externalized = 0;
    for (let turn = 1; turn <= 20; turn++) {
      const newest = harness.thread.plan.externalizations.at(-1)?.artifactId as string;
      const { results } = await interceptor.maybeRehydrate(harness.thread.request(newest, { currentTurn: turn }));
      harness.inPrompt.push(...results.map(({ content }) => content));
      externalized += await compact(harness, TurnContext.start(turn));
    }
    expect(externalized).toBeGreaterThanOrEqual(20);
  });

  it("spec-81 lets the compactor work again in the following turn", () => {
    const result = {
      artifactId: "artifact_0123456789abcdef" as never,
      content: "c",
      tokenCount: 7,
      truncated: false,
      trigger: "message-reference",
      metadata: {
        createdAt: "2026-01-01T00:00:00.000Z",
        ttlSeconds: null,
        sensitivity: "internal",
        mediaType: "text/plain",
      },
    } as const;
    const context = TurnContext.start(3).withRehydrated([result]).withRehydrated([]);
    expect(context).toMatchObject({
      turn: 3,
      rehydrationHappened: true,
      rehydratedTokens: 7,
      rehydratedArtifactIds: [result.artifactId],
    });
    expect(context.shouldSkipAggressiveCompaction()).toBe(true);
    expect(TurnContext.start(4).shouldSkipAggressiveCompaction()).toBe(false);
  });
});
