import type { FoldCost, Summarizer } from "@threadfold/core";
import { problemOf } from "../events/problem-of.ts";

/** A summarizer and what it was asked so far. */
export interface MeteredSummarizer {
  readonly summarizer: Summarizer;
  /** The one that is metered. */
  readonly of: Summarizer;
  readonly cost: () => Omit<FoldCost, "weighing">;
  /** What the newest call came to: why it failed, or null as its problem. Null before the first, and for an aborted one. */
  readonly newest: () => { readonly problem: string | null } | null;
}

/** Counts the calls of a summarizer and adds up the usage that it reports. */
export function meteredSummarizer(metered: Summarizer): MeteredSummarizer {
  let cost = { summarizerCalls: 0, inputTokens: 0, outputTokens: 0 };
  let newest: { readonly problem: string | null } | null = null;
  const summarizer: Summarizer = {
    id: metered.id,
    ...(metered.identity !== undefined && { identity: metered.identity }),
    summarize: async (request) => {
      cost = { ...cost, summarizerCalls: cost.summarizerCalls + 1 };
      try {
        const result = await metered.summarize(request);
        const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {};
        cost = {
          ...cost,
          inputTokens: cost.inputTokens + inputTokens,
          outputTokens: cost.outputTokens + outputTokens,
        };
        newest = { problem: result.problem ?? null };
        return result;
      } catch (error) {
        newest = request.signal?.aborted === true ? null : { problem: problemOf(error) };
        throw error;
      }
    },
  };
  return { summarizer, of: metered, cost: () => cost, newest: () => newest };
}
