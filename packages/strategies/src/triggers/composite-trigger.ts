import { checkCalls } from "@threadfold/core";
import {
  type CompactionTrigger,
  checkedTrigger,
  NO_TRIGGER,
  refuseShare,
  type TriggerDecision,
} from "./compaction-trigger.ts";

/**
 * Fires when at least one trigger fires, with the hardest level and the smallest target of those that fire (S25).
 * Without triggers it never fires (S4).
 */
export function anyOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return {
    // Built only on demand: triggers are created anew for every decision.
    get name() {
      return `any of (${triggers.map((trigger) => trigger.name).join(", ")})`;
    },
    evaluate: (input) => strictest(triggers.map((trigger) => checkedTrigger(trigger).evaluate(input))),
  };
}

/**
 * Fires when all triggers fire, with the hardest level and the smallest target. Without triggers it always fires (S4).
 */
export function allOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return {
    get name() {
      return `all of (${triggers.map((trigger) => trigger.name).join(", ")})`;
    },
    evaluate(input) {
      const decisions = triggers.map((trigger) => checkedTrigger(trigger).evaluate(input));
      if (decisions.length === 0) return { level: "soft", reason: "no condition is set" };
      return decisions.some((decision) => decision.level === "none") ? NO_TRIGGER : strictest(decisions);
    },
  };
}

function strictest(decisions: readonly TriggerDecision[]): TriggerDecision {
  const fired = decisions.filter((decision) => decision.level !== "none");
  const hardest = fired.find((decision) => decision.level === "hard") ?? fired[0];
  if (hardest === undefined) return NO_TRIGGER;
  const targets = fired.flatMap(({ targetTokens }) => (targetTokens === undefined ? [] : [targetTokens]));
  return targets.length === 0 ? hardest : { ...hardest, targetTokens: Math.min(...targets) };
}

/**
 * Gives a trigger its own target: when it fires, the fold goes down to at most this share of the room (S5).
 *
 * @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1, and without a trigger.
 */
export function towards(share: number, trigger: CompactionTrigger): CompactionTrigger {
  refuseShare("target", share);
  checkCalls("trigger", trigger, ["evaluate"]);
  return {
    name: `${trigger.name} towards ${share}`,
    evaluate(input) {
      const decision = checkedTrigger(trigger).evaluate(input);
      if (decision.level === "none") return decision;
      const targetTokens = Math.floor(share * input.roomTokens);
      return { ...decision, targetTokens: Math.min(targetTokens, decision.targetTokens ?? targetTokens) };
    },
  };
}
