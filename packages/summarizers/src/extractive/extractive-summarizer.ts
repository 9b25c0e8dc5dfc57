import { type SummarizeRequest, type SummarizeResult, type Summarizer, ThreadfoldError } from "@threadfold/core";
import { spanCollectors } from "./collectors/collectors.ts";
import { readSpan } from "./read-span.ts";
import { selectChanges } from "./selection/select-changes.ts";
import type { HarvestContext } from "./span-collector.ts";

/** Bump it when the same span gives other changes than before: it is part of cache keys. */
export const EXTRACTIVE_SUMMARIZER_ID = "extractive-v4";

/**
 * Summarizes without a model, for a person or model who takes over: the task, the rules, what was asked and what came of
 * it, what the agent said it had found and done, word for word, what was changed in which file, what each command came to,
 * and the lines of sources with the names that later calls are likely to need; each with the messages it was taken from.
 * Deterministic, linear in the text, and within `maxTokens` of the request's own counter.
 */
export class ExtractiveSummarizer implements Summarizer {
  readonly id = EXTRACTIVE_SUMMARIZER_ID;

  /** @throws ThreadfoldError `ABORTED` when the request's signal was aborted before it began. */
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    return this.summarizeNow(request);
  }

  /** The same without waiting, for callers that must not yield. */
  summarizeNow(request: SummarizeRequest): SummarizeResult {
    if (request.signal?.aborted)
      throw new ThreadfoldError("ABORTED", "Summarizing was aborted.", { cause: request.signal.reason });
    const collectors = spanCollectors(request);
    readSpan(request.messages, collectors);
    const context: HarvestContext = {
      messages: request.messages,
      previous: request.previous,
      lastTurn: request.lastTurn,
      pins: request.pins,
      maxTokens: request.maxTokens,
      countTokens: request.countTokens,
    };
    const harvests = collectors.map((collector) => collector.harvest(context));
    const changes = selectChanges(harvests, request);
    return changes.length === 0 ? { changes, nothingToSay: true } : { changes };
  }
}
