import type { CompactionTrigger } from "./compaction-trigger.ts";
import { refuseShare } from "./refuse-share.ts";

/**
 * A trigger with a target of its own: when it fires, the fold goes down to at most this share of the room (S5).
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function towards(share: number, trigger: CompactionTrigger): CompactionTrigger {
  refuseShare("target", share);
  return {
    name: `${trigger.name} towards ${share}`,
    evaluate(input) {
      const decision = trigger.evaluate(input);
      if (decision.level === "none") return decision;
      const targetTokens = Math.floor(share * input.roomTokens);
      return { ...decision, targetTokens: Math.min(targetTokens, decision.targetTokens ?? targetTokens) };
    },
  };
}
