import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countingTokenizer, structuredSummaries } from "../laws/index.ts";
import { asMessageId, type MessageId } from "../model/ids.ts";
import { renderSummary } from "./render-summary.ts";
import { isUnsettled, SUMMARY_SECTIONS, type SummaryItem } from "./structured-summary.ts";
import { restrictSummary, trimSummary } from "./trim-summary.ts";

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

const ids = ["m1", "m2", "m3", "m4", "m5", "m6"].map(asMessageId);
const longSpan = { messageIds: ids, firstTurn: 1, lastTurn: 3 };

/** The span cut into runs, with some of its messages left out. */
const runsOfIds: fc.Arbitrary<readonly (readonly MessageId[])[]> = fc
  .array(fc.constantFrom(0, 1, 2, null), { minLength: ids.length, maxLength: ids.length })
  .map((places) =>
    [0, 1, 2].map((run) => ids.filter((_, index) => places[index] === run)).filter((run) => run.length > 0),
  )
  .filter((list) => list.length > 0);

describe("restrictSummary", () => {
  it("gives each item to exactly one run, in its order, and to one that it was taken from where there is one", () => {
    fc.assert(
      fc.property(structuredSummaries(longSpan), runsOfIds, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, longSpan, parts, index));
        for (const section of SUMMARY_SECTIONS) {
          const items: readonly SummaryItem[] = summary[section];
          const given: readonly SummaryItem[] = shares.flatMap((share): readonly SummaryItem[] => share[section]);
          expect(new Set(given)).toEqual(new Set(items));
          expect(given).toHaveLength(items.length);
          shares.forEach((share, index) => {
            const mine: readonly SummaryItem[] = share[section];
            expect(items.filter((item) => mine.includes(item))).toEqual(mine);
            for (const { sources } of mine) {
              const home = parts.findIndex((run) => sources.some((source) => run.includes(source)));
              expect(index).toBe(Math.max(0, home));
            }
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("gives task, narrative, state and plan once", () => {
    fc.assert(
      fc.property(structuredSummaries(longSpan), runsOfIds, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, longSpan, parts, index));
        expect(shares.filter(({ originalTask }) => originalTask !== null)).toHaveLength(
          summary.originalTask === null ? 0 : 1,
        );
        expect(shares.flatMap(({ narrative }) => narrative ?? [])).toEqual(
          summary.narrative === undefined ? [] : [summary.narrative],
        );
        expect(shares.map(({ currentTask }) => currentTask)).toEqual(
          parts.map((_, index) => (index === parts.length - 1 ? summary.currentTask : null)),
        );
        expect(shares.at(-1)?.currentPlan).toEqual(summary.currentPlan);
      }),
      { numRuns: 100 },
    );
  });
});
