import type { CompactionPlan } from "@threadfold/core";

/** True when two plans hold the same records: an id or a token figure changes no byte of the prompt. */
export function rendersAlike(a: CompactionPlan, b: CompactionPlan): boolean {
  return (
    a.threadVersion === b.threadVersion &&
    a.version === b.version &&
    a.externalizations === b.externalizations &&
    a.summarizations === b.summarizations &&
    a.clearings === b.clearings &&
    a.drops === b.drops
  );
}
