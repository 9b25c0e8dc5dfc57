import { type SummarizeRequest, spanOf } from "@threadfold/core";
import { agentThreads, structuredSummaries } from "@threadfold/core/laws";
import fc from "fast-check";

/** What a law of summarizers is tried on. */
export interface SummaryTrial {
  readonly request: SummarizeRequest;
  /** Asks again: what came before is the summarizer's own summary of the very same messages. False by default. */
  readonly again?: boolean;
}

const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** Spans of every oddity with little or much room, after nothing, after another summary, or asked for a second time. */
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
