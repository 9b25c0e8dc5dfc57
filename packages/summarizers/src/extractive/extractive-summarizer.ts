import {
  canonicalJson,
  EventLoopTurns,
  finishSteps,
  type Steps,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  type SummaryChange,
  ThreadfoldError,
} from "@threadfold/core";
import { harvestSpan } from "./collectors/harvest-span.ts";
import { selectChanges } from "./selection/select-changes.ts";

/**
 * Id and version of the summarizer. Bump it when the same span leads to different changes: it is part of cache keys.
 */
export const EXTRACTIVE_SUMMARIZER_ID = "extractive-v13";

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

  /** @throws ThreadfoldError `ABORTED` when the request's signal is aborted before or during reading. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    refuseAborted(request);
    try {
      return await new EventLoopTurns().finish(summarizeInSteps(request), request.signal);
    } catch (error) {
      refuseAborted(request);
      throw error;
    }
  }

  /** Like {@link summarize}, but synchronous, for callers that must not yield. */
  summarizeNow(request: SummarizeRequest): SummarizeResult {
    refuseAborted(request);
    return finishSteps(summarizeInSteps(request));
  }
}

function* summarizeInSteps(request: SummarizeRequest): Steps<SummarizeResult> {
  const changes = yield* changesInSteps(request);
  const said = changes.length === 0 ? { changes, nothingToSay: true as const } : { changes };
  if (request.instructions === undefined) return said;
  const { instructions: _instructions, ...asIs } = request;
  const without = yield* changesInSteps(asIs);
  const isAlike = canonicalJson(changes as never) === canonicalJson(without as never);
  return isAlike ? { ...said, instructionsUnused: true } : said;
}

function* changesInSteps(request: SummarizeRequest): Steps<readonly SummaryChange[]> {
  const harvests = yield* harvestSpan(request);
  yield;
  return yield* selectChanges(harvests, request);
}

function refuseAborted({ signal }: SummarizeRequest): void {
  if (signal?.aborted) throw new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: signal.reason });
}
