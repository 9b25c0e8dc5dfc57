import { type SummarizeRequest, type SummarizeResult, type Summarizer, withinLimit } from "@threadfold/core";

/** How long a fold waits for a summary by default, in milliseconds. */
export const SUMMARY_TIME_LIMIT_MS = 180_000;

/**
 * A summarizer that is waited for no longer than a limit, and no longer than somebody wants its summary. What it says
 * after that is not heard.
 */
export function limitedSummarizer(summarizer: Summarizer, milliseconds = SUMMARY_TIME_LIMIT_MS): Summarizer {
  const { id, identity } = summarizer;
  return {
    id,
    ...(identity !== undefined && { identity }),
    summarize: (request: SummarizeRequest): Promise<SummarizeResult> =>
      withinLimit((signal) => summarizer.summarize({ ...request, signal }), {
        ...{ milliseconds, waitedFor: `the summarizer ${id}`, option: "summaryTimeLimitMs", timers: globalThis },
        ...(request.signal !== undefined && { signal: request.signal }),
      }),
  };
}
