import { type CompactionTrigger, NO_TRIGGER } from "./compaction-trigger.ts";

/** Fires hard when a person or the host asked for a fold. */
export const manualTrigger: CompactionTrigger = {
  name: "manual",
  evaluate: ({ requested }) => (requested === true ? { level: "hard", reason: "a fold was asked for" } : NO_TRIGGER),
};
