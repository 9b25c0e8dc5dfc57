import { threadShape } from "@threadfold/core";
import { anyOf, cacheTemperature, manualTrigger, shownTurns, type TriggerDecision } from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import type { FoldScene } from "./fold-scene.ts";
import { reportedTokens } from "./usage-state.ts";

/** Asks the preset's trigger, and the manual one, whether to fold now. */
export function decideFold(scene: FoldScene, tokens: number, { force = false }: CompactOptions): TriggerDecision {
  const { preset, config, state, plan, usage, idleSeconds } = scene;
  const { turn, step } = state.thread.position;
  const reported = reportedTokens(usage, plan, tokens);
  return anyOf(manualTrigger, preset.trigger(config)).evaluate({
    tokens,
    maxInputTokens: config.maxInputTokens,
    turns: turn,
    steps: step,
    messages: state.thread.length,
    baselineTokens: plan.compactedTokens,
    // Read only by triggers that count turns, because it walks the thread.
    get shownTurns() {
      return shownTurns(turn, plan, threadShape(state.thread, state.ledger, state.grouped));
    },
    overflowed: usage.overflow === "pending",
    stoppedAtMaxOutput: usage.maxOutput === "pending",
    // Before the first request nothing is known of the cache: that is no chance to take.
    cacheIsCold: idleSeconds !== undefined && isCold(scene, tokens),
    requested: force,
    ...(reported !== undefined && { reportedTokens: reported }),
    ...(idleSeconds !== undefined && { idleSeconds }),
  });
}

/** True when the provider has nothing of the prompt in its cache any more. False when its prices are not known. */
export function isCold({ price, idleSeconds }: FoldScene, tokens: number): boolean {
  return price !== undefined && cacheTemperature({ promptTokens: tokens, idleSeconds, price }) === "cold";
}
