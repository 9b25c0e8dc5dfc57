import {
  type CompactionTrigger,
  NO_TRIGGER,
  refuseShare,
  type TriggerDecision,
  type TriggerInput,
} from "./compaction-trigger.ts";

/**
 * Fires when at least one trigger fires, as hard as the hardest and down to the smallest target of those that fire (S25).
 * Of no triggers: never (S4).
 */
export function anyOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return new CompositeTrigger("any of", triggers, strictest);
}

/** Fires when every trigger fires, as hard as the hardest and down to the smallest target. Of no triggers: always (S4). */
export function allOf(...triggers: readonly CompactionTrigger[]): CompactionTrigger {
  return new CompositeTrigger("all of", triggers, (decisions) => {
    if (decisions.length === 0) return { level: "soft", reason: "no condition is set" };
    return decisions.some((decision) => decision.level === "none") ? NO_TRIGGER : strictest(decisions);
  });
}

/** A class, because triggers are made anew for every decision and few are asked for their name. */
class CompositeTrigger implements CompactionTrigger {
  readonly #kind: string;
  readonly #triggers: readonly CompactionTrigger[];
  readonly #decide: (decisions: readonly TriggerDecision[]) => TriggerDecision;

  constructor(
    kind: string,
    triggers: readonly CompactionTrigger[],
    decide: (decisions: readonly TriggerDecision[]) => TriggerDecision,
  ) {
    this.#kind = kind;
    this.#triggers = triggers;
    this.#decide = decide;
  }

  get name(): string {
    return `${this.#kind} (${this.#triggers.map((trigger) => trigger.name).join(", ")})`;
  }

  evaluate(input: TriggerInput): TriggerDecision {
    return this.#decide(this.#triggers.map((trigger) => trigger.evaluate(input)));
  }
}

function strictest(decisions: readonly TriggerDecision[]): TriggerDecision {
  const fired = decisions.filter((decision) => decision.level !== "none");
  const hardest = fired.find((decision) => decision.level === "hard") ?? fired[0];
  if (hardest === undefined) return NO_TRIGGER;
  const targets = fired.flatMap(({ targetTokens }) => (targetTokens === undefined ? [] : [targetTokens]));
  return targets.length === 0 ? hardest : { ...hardest, targetTokens: Math.min(...targets) };
}

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
