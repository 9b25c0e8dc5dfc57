import { isUnsettled, type SummaryChange } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses changes that take out a constraint, or open work without saying what became of it (P5). */
export const rulesKept: SummaryCheck = Object.freeze({
  name: "rule-lost",
  problem: ({ request: { previous }, changes }) => {
    if (previous === null) return null;
    const rules = new Set(previous.constraints.map(({ id }) => id));
    const open = new Set(previous.openItems.filter(isUnsettled).map(({ id }) => id));
    const lost = changes.some(
      (change) => (removes(change) && rules.has(change.itemId)) || (change.op === "resolve" && open.has(change.itemId)),
    );
    return lost ? "a rule or open work of the summary before was taken out" : null;
  },
} satisfies SummaryCheck);

const removes = (change: SummaryChange): change is SummaryChange & { readonly op: "resolve" | "supersede" } =>
  change.op === "resolve" || change.op === "supersede";
