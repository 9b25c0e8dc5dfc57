import { type CompactionTrigger, NO_TRIGGER, type TriggerDecision } from "./compaction-trigger.ts";

/** Fires when at least one trigger fires, as hard as the hardest. Of no triggers: never (S4). */
export function anyOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return {
    name: `any of (${triggers.map((trigger) => trigger.name).join(", ")})`,
    evaluate: (input) => hardest(triggers.map((trigger) => trigger.evaluate(input))),
  };
}

/** Fires when every trigger fires, as hard as the hardest. Of no triggers: always (S4). */
export function allOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return {
    name: `all of (${triggers.map((trigger) => trigger.name).join(", ")})`,
    evaluate(input) {
      const decisions = triggers.map((trigger) => trigger.evaluate(input));
      if (decisions.length === 0) return { level: "soft", reason: "no condition is set" };
      return decisions.some((decision) => decision.level === "none") ? NO_TRIGGER : hardest(decisions);
    },
  };
}

function hardest(decisions: readonly TriggerDecision[]): TriggerDecision {
  const fired = decisions.filter((decision) => decision.level !== "none");
  return fired.find((decision) => decision.level === "hard") ?? fired[0] ?? NO_TRIGGER;
}
