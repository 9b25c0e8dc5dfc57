import type { CompactionOutcome } from "@threadfold/core";

/** How an attempt ended, in the few words that a dashboard groups by. */
export type OutcomeClass = "committed" | "conflict" | "noop" | "failed";

/** The word for each outcome; a new outcome does not compile without a line here. */
const CLASSES: Readonly<Record<CompactionOutcome["type"], OutcomeClass>> = Object.freeze({
  committed: "committed",
  "summarizer-failed-floor-used": "committed",
  "no-op": "noop",
  postponed: "noop",
  disabled: "noop",
  vetoed: "noop",
  aborted: "noop",
  ineffective: "failed",
  inflated: "failed",
  refused: "failed",
  infeasible: "failed",
  failed: "failed",
  conflict: "conflict",
});

/** How an attempt ended, for an attribute of low cardinality. */
export const outcomeClass = ({ type }: CompactionOutcome): OutcomeClass => CLASSES[type];
