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

/** Bump it when the same span leads to other changes than before: it is part of cache keys. */
export const EXTRACTIVE_SUMMARIZER_ID = "extractive-v11";

/**
 * Summarizes without a model, for a person or model who takes over: the task, the rules, what was asked and what came
 * of it, what the agent said it had found and done, word for word, what was changed in which file, how each command
 * ended, and the lines of sources with the names that later calls are likely to need; each with the messages it was
 * taken from. Deterministic, linear in the text, and within `maxTokens` of the request's own counter. Reading a long
 * span lets the event loop turn. The words of instructions are searched for: what has them comes before the rest, and a
 * result that is the same without them says so.
 */
export class ExtractiveSummarizer implements Summarizer {
  readonly id = EXTRACTIVE_SUMMARIZER_ID;

  /** @throws ThreadfoldError `ABORTED` when the request's signal was aborted before it began or while it read. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    refuseAborted(request);
    try {
      return await new EventLoopTurns().finish(summarizeInSteps(request), request.signal);
    } catch (error) {
      refuseAborted(request);
      throw error;
    }
  }

  /** The same without waiting, for callers that must not yield. */
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
