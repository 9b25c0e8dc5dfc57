import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countingTokenizer, structuredSummaries } from "../laws/index.ts";
import { asMessageId } from "../model/ids.ts";
import { renderSummary } from "./render-summary.ts";
import { isUnsettled, SUMMARY_SECTIONS, type SummaryItem } from "./structured-summary.ts";
import { trimSummary } from "./trim-summary.ts";

const span = { messageIds: [asMessageId("m1"), asMessageId("m2")], firstTurn: 1, lastTurn: 1 };
const { countTokens } = countingTokenizer();

describe("trimSummary", () => {
  it("loses nothing silently: what is gone from the summary is in the record of resolved items", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(400), (summary, maxTokens) => {
        const trimmed = trimSummary(summary, maxTokens, countTokens);
        for (const section of SUMMARY_SECTIONS) {
          const before: readonly SummaryItem[] = summary[section];
          const gone = trimmed.resolved.filter((item) => item.section === section).map((item) => item.item);
          const kept: ReadonlySet<SummaryItem> = new Set<SummaryItem>(trimmed.summary[section]);
          expect(before.filter((item) => kept.has(item))).toEqual(trimmed.summary[section]);
          expect(before.filter((item) => !kept.has(item))).toEqual(gone);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("keeps constraints, unsettled work and the task, and fits as far as they allow", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(400), (summary, maxTokens) => {
        const { summary: trimmed } = trimSummary(summary, maxTokens, countTokens);
        expect(trimmed.constraints).toEqual(summary.constraints);
        expect(trimmed.openItems.filter(isUnsettled)).toEqual(summary.openItems.filter(isUnsettled));
        expect(trimmed.originalTask).toEqual(summary.originalTask);
        const least = countTokens(renderSummary(trimSummary(summary, 0, countTokens).summary));
        expect(countTokens(renderSummary(trimmed))).toBeLessThanOrEqual(Math.max(maxTokens, least));
      }),
      { numRuns: 200 },
    );
  });
});
