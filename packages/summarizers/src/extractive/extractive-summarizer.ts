import {
  EventLoopTurns,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  ThreadfoldError,
} from "@threadfold/core";

/**
 * Id and version of the summarizer. Bump it when the same span leads to different changes: it is part of cache keys.
 */
export const EXTRACTIVE_SUMMARIZER_ID = "extractive-v25";

/** What reads a span is a large part of the library, and most programs that load it have nothing to fold yet. */
const spanReading = () => import("./summarize-span.ts");

/**
 * Summarizes without a model, for a person or model who takes over the work. The summary contains the task, the rules,
 * the requests and their outcomes, the agent's own words on what it found and did, the changes to each file, the
 * outcome of each command, and lines with names that later calls are likely to need, each with its source messages.
 * Deterministic, linear in the text, and within `maxTokens` by the request's own counter; yields to the event loop
 * while reading a long span. Instructions are used as search words: matching content takes precedence, and if they
 * change nothing, the result says so (`instructionsUnused`).
 */
export class ExtractiveSummarizer implements Summarizer {
  readonly id = EXTRACTIVE_SUMMARIZER_ID;

  constructor() {
    // Whoever makes one will need it: no fold waits for code, and none misses it once files of the host are replaced.
    spanReading().catch(() => undefined);
  }

  /** @throws ThreadfoldError `ABORTED` when the request's signal is aborted before or during reading. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    refuseAborted(request);
    const { summarizeSpan } = await spanReading();
    try {
      return await new EventLoopTurns().finish(summarizeSpan(request), request.signal);
    } catch (error) {
      refuseAborted(request);
      throw error;
    }
  }
}

function refuseAborted({ signal }: SummarizeRequest): void {
  if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
}
