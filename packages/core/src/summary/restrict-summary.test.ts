import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structuredSummaries } from "../laws/plan-record-arbitrary.ts";
import { asMessageId, type MessageId } from "../model/ids.ts";
import { SUMMARY_SECTIONS, type SummaryItem } from "./structured-summary.ts";
import { restrictSummary } from "./trim-summary.ts";

const ids = ["m1", "m2", "m3", "m4", "m5", "m6"].map(asMessageId);
const span = { messageIds: ids, firstTurn: 1, lastTurn: 3 };

/** The span cut into runs, with some of its messages left out. */
const runs: fc.Arbitrary<readonly (readonly MessageId[])[]> = fc
  .array(fc.constantFrom(0, 1, 2, null), { minLength: ids.length, maxLength: ids.length })
  .map((places) =>
    [0, 1, 2].map((run) => ids.filter((_, index) => places[index] === run)).filter((run) => run.length > 0),
  )
  .filter((list) => list.length > 0);

describe("restrictSummary", () => {
  it("gives each item to exactly one run, in its order, and to one that it was taken from where there is one", () => {
    fc.assert(
      fc.property(structuredSummaries(span), runs, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, span, parts, index));
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
      fc.property(structuredSummaries(span), runs, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, span, parts, index));
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
