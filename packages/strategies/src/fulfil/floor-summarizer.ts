import type { Summarizer } from "@threadfold/core";
import { floorSummaryChanges } from "./floor-summary.ts";

/** Summarizes without a model and without reading much: what a fold falls back on when its summarizer fails (P6). */
export const floorSummarizer: Summarizer = Object.freeze<Summarizer>({
  id: "floor@1",
  summarize: async ({ messages, span }) => ({ changes: floorSummaryChanges(messages, span) }),
});
