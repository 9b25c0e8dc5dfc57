import type { FoldCost, Summarizer } from "@threadfold/core";

/** A summarizer and what it was asked so far. */
export interface MeteredSummarizer {
  readonly summarizer: Summarizer;
  readonly cost: () => Omit<FoldCost, "weighing">;
}

/** Counts the calls of a summarizer and adds up the usage that it reports. */
export function meteredSummarizer(metered: Summarizer): MeteredSummarizer {
  let cost = { summarizerCalls: 0, inputTokens: 0, outputTokens: 0 };
  const summarizer: Summarizer = {
    id: metered.id,
    ...(metered.identity !== undefined && { identity: metered.identity }),
    summarize: async (request) => {
      cost = { ...cost, summarizerCalls: cost.summarizerCalls + 1 };
      const result = await metered.summarize(request);
      const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {};
      cost = {
        ...cost,
        inputTokens: cost.inputTokens + inputTokens,
        outputTokens: cost.outputTokens + outputTokens,
      };
      return result;
    },
  };
  return { summarizer, cost: () => cost };
}
