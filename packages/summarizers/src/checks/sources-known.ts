import { saidIn, sourcedItems } from "@threadfold/core";
import type { SummaryCheck } from "./summary-check.ts";

/** Refuses changes whose items name messages that are neither in the span nor behind the summary before (P10). */
export const sourcesKnown: SummaryCheck = Object.freeze({
  name: "foreign-source",
  problem: ({ request: { span, previous }, changes }) => {
    const known = new Set<string>(span.messageIds);
    for (const { sources } of previous === null ? [] : sourcedItems(previous))
      for (const source of sources) known.add(source);
    const named = changes.flatMap((change) => saidIn(change)?.sources ?? []);
    return named.every((source) => known.has(source)) ? null : "an item names a message of another span";
  },
} satisfies SummaryCheck);
