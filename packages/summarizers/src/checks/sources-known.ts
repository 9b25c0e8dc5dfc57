import { SUMMARY_SECTIONS } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses changes whose items name messages that are neither in the span nor behind the summary before (P10). */
export const sourcesKnown: SummaryCheck = Object.freeze({
  name: "foreign-source",
  problem: ({ request: { span, previous }, changes }) => {
    const known = new Set<string>(span.messageIds);
    for (const section of previous === null ? [] : SUMMARY_SECTIONS)
      for (const { sources } of previous?.[section] ?? []) for (const source of sources) known.add(source);
    for (const source of previous?.originalTask?.sources ?? []) known.add(source);
    const named = changes.flatMap((change) =>
      change.op === "add" || change.op === "supersede"
        ? change.item.sources
        : change.op === "set-original-task"
          ? change.task.sources
          : [],
    );
    return named.every((source) => known.has(source)) ? null : "an item names a message of another span";
  },
} satisfies SummaryCheck);
