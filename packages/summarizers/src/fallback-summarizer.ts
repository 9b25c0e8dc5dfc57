import { type SummarizeRequest, type SummarizeResult, type Summarizer, ThreadfoldError } from "@threadfold/core";
import { ExtractiveSummarizer } from "./extractive/extractive-summarizer.ts";

/**
 * A summarizer whose failures another one makes good, the extractive one by default (design section 8): the fold then
 * has a real summary, and its outcome still says that the first one failed. An abort is no failure and is thrown on.
 */
export function fallbackSummarizer(first: Summarizer, second: Summarizer = new ExtractiveSummarizer()): Summarizer {
  return {
    id: `${first.id} else ${second.id}`,
    identity: { summarizer: "fallback", first: first.identity ?? first.id, second: second.identity ?? second.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      try {
        return await first.summarize(request);
      } catch (error) {
        if (request.signal?.aborted || (ThreadfoldError.isInstance(error) && error.code === "ABORTED")) throw error;
        const problem = `${first.id}: ${error instanceof Error ? error.message : "failed"}`;
        return { by: second.id, ...(await second.summarize(request)), problem };
      }
    },
  };
}
