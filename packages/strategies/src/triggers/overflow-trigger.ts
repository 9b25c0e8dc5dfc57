import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";

/** Fires hard after the provider refused a request because it was too long. */
export const overflowTrigger: CompactionTrigger = {
  name: "overflow",
  evaluate: ({ overflowed }) =>
    overflowed === true ? { level: "hard", reason: "the provider refused the last request as too long" } : NO_TRIGGER,
};
