import {
  applySummaryChanges,
  type Message,
  type Pin,
  type StructuredSummary,
  type SummarizeRequest,
  spanOf,
} from "@threadfold/core";
import { agentThreads, structuredSummaries } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExtractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import { summarizerLaws } from "./summarizer-laws.ts";

const countTokens = (text: string): number => Math.ceil(text.length / 4);

/** What came before: nothing, a summary of something else, or a summary of the very same messages. */
type Before = StructuredSummary | null | "the same";

interface Fold {
  readonly messages: readonly Message[];
  readonly pins: readonly Pin[];
  readonly before: Before;
  readonly maxTokens: number;
}

const folds: fc.Arbitrary<Fold> = agentThreads({ malformed: true, maxMessages: 24 })
  .filter((thread) => thread.length > 0)
  .chain((thread) => {
    const messages = [...thread.messages];
    return fc.record({
      messages: fc.constant(messages),
      pins: fc.constant(thread.livePins),
      before: fc.oneof(fc.option(structuredSummaries(spanOf(messages))), fc.constant("the same" as const)),
      maxTokens: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 4_000 })),
    });
  });

const summarizer = new ExtractiveSummarizer();

function requestOf({ before, ...fold }: Fold): SummarizeRequest {
  const first: SummarizeRequest = { ...fold, previous: null, span: spanOf(fold.messages), countTokens };
  if (before !== "the same") return { ...first, previous: before };
  return { ...first, previous: applySummaryChanges(null, first.span, summarizer.summarizeNow(first).changes).summary };
}

describe("the extractive summarizer", () => {
  for (const law of summarizerLaws) {
    it(law.name, async () => {
      await fc.assert(
        fc.asyncProperty(folds, async (fold) => void expect(await law.broken(summarizer, requestOf(fold))).toBeNull()),
        { numRuns: 100 },
      );
    });
  }
});
