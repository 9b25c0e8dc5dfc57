import { SUMMARY_SECTIONS } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses changes that leave nothing to read (S18). No changes at all mean that there was nothing to say, and pass. */
export const notBlank: SummaryCheck = Object.freeze({
  name: "blank",
  problem: ({ changes, summary }) => {
    const says =
      summary.originalTask !== null ||
      (summary.narrative?.text ?? "").trim() !== "" ||
      (summary.currentTask ?? "").trim() !== "" ||
      (summary.currentPlan ?? []).length > 0 ||
      SUMMARY_SECTIONS.some((section) => summary[section].length > 0);
    return changes.length === 0 || says ? null : "the summary says nothing";
  },
} satisfies SummaryCheck);
