import { roomTokens, threadShape } from "@threadfold/core";
import {
  anyOf,
  cacheTemperature,
  hardAfterCutOff,
  LAST_RESORT,
  shownMessages,
  shownTurns,
  type TriggerDecision,
} from "@threadfold/strategies";
import { reportedTokens } from "../answer/usage-state.ts";
import type { CompactOptions } from "./compact-options.ts";
import type { FoldScene } from "./fold-scene.ts";

/** Asks the preset's trigger whether to fold now. What leaves no choice (`LAST_RESORT`) is heard whatever the preset says. */
export function decideFold(scene: FoldScene, tokens: number, { force = false }: CompactOptions): TriggerDecision {
  const { preset, config, state, plan, usage, idleSeconds } = scene;
  const { turn, step } = state.thread.position;
  const reported = reportedTokens(usage, plan, tokens);
  return hardAfterCutOff(anyOf(...LAST_RESORT, preset.trigger(config))).evaluate({
    tokens,
    roomTokens: roomTokens(config),
    turns: turn,
    steps: step,
    messages: state.thread.length,
    baselineTokens: plan.compactedTokens,
    // Read only by triggers that count messages, because it walks the plan.
    get shownMessages() {
      return shownMessages(state.thread.length, plan);
    },
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
