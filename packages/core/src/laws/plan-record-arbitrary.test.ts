import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleText } from "../model/message.ts";
import { compactionPlanSchema, groupRecords, sealPlan } from "../plan/compaction-plan.ts";
import { structuredSummarySchema } from "../summary/structured-summary.ts";
import { pinSchema } from "../thread/thread-entry.ts";
import { planRecordsFor, spansOf, structuredSummaries, withoutOverlaps } from "./plan-record-arbitrary.ts";
import { agentThreads, pinsFor } from "./thread-arbitrary.ts";

const threads = agentThreads({ malformed: true, maxMessages: 12 });
const filled = threads.filter((thread) => thread.length > 0);

describe("planRecordsFor", () => {
  it("makes records that match the schema and name the thread's messages", () => {
    const cases = threads.chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread)));
    fc.assert(
      fc.property(cases, ([thread, records]) => {
        const figures = {
          threadId: thread.id,
          threadVersion: thread.version,
          version: 1,
          policyVersion: "p",
          createdAt: "",
          originalTokens: 0,
          compactedTokens: 0,
        };
        expect(
          compactionPlanSchema.safeParse(sealPlan({ ...figures, ...groupRecords(withoutOverlaps(records)) })).error,
        ).toBeUndefined();
        for (const record of records) for (const id of record.span.messageIds) expect(thread.message(id)?.id).toBe(id);
      }),
      { numRuns: 100 },
    );
  });

  it("makes all four actions and overlapping records", () => {
    const lists = fc.sample(filled.chain(planRecordsFor), { numRuns: 100, seed: 3 });
    const actions = new Set(
      lists.flat().map((record) => (record.action === "externalize" ? record.form : record.action)),
    );
    expect([...actions].sort()).toEqual(["body", "clear", "drop", "span", "summarize"]);
    const overlapping = lists.filter((records) => {
      const ids = records.flatMap((record) => record.span.messageIds);
      return new Set(ids).size < ids.length;
    });
    expect(overlapping.length).toBeGreaterThan(30);
  });
});

describe("structuredSummaries and pinsFor", () => {
  it("make values that their schemas accept", () => {
    const cases = filled.chain((thread) =>
      fc.record({
        thread: fc.constant(thread),
        summary: spansOf(thread).chain(structuredSummaries),
        pins: pinsFor(thread),
      }),
    );
    fc.assert(
      fc.property(cases, ({ thread, summary, pins }) => {
        expect(structuredSummarySchema.safeParse(summary).error).toBeUndefined();
        for (const pin of pins) {
          expect(pinSchema.safeParse(pin).error).toBeUndefined();
          if (pin.source === undefined) continue;
          const message = thread.message(pin.source.messageId);
          expect(message && visibleText(message).slice(pin.source.start, pin.source.end)).toBe(pin.text);
        }
      }),
      { numRuns: 100 },
    );
  });
});
