import { type SummarizeRequest, spanOf } from "@threadfold/core";
import { agentThreads, structuredSummaries } from "@threadfold/core/laws";
import fc from "fast-check";

/** An input for the laws of summarizers. */
export interface SummaryTrial {
  readonly request: SummarizeRequest;
  /** True to use the summarizer's own summary of the same messages as the previous summary. False by default. */
  readonly again?: boolean;
}

const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Generates odd spans with little or much room, without or with a previous summary, or asked for a second time. */
export const summaryTrials: fc.Arbitrary<SummaryTrial> = agentThreads({ malformed: true, maxMessages: 24 })
  .filter((thread) => thread.length > 0)
  .chain((thread) => {
    const messages = [...thread.messages];
    const span = spanOf(messages);
    const known = { messages, span, pins: thread.livePins, countTokens };
    const maxTokens = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 4_000 }));
    return fc.oneof(
      fc
        .record({ previous: fc.option(structuredSummaries(span)), maxTokens })
        .map((part): SummaryTrial => ({ request: { ...known, ...part } })),
      maxTokens.map((most): SummaryTrial => ({ request: { ...known, previous: null, maxTokens: most }, again: true })),
    );
  });
