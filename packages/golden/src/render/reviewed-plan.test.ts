import { asThreadId, emptyPlan, groupRecords, planRecords, sealPlan } from "@threadfold/core";
import { agentThreads, planRecordsFor, runs, withoutOverlaps } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reviewedPlan } from "./reviewed-plan.ts";

const plans = agentThreads({ maxMessages: 40 })
  .chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread)))
  .map(([thread, records]) => {
    const { planId: _, ...content } = emptyPlan(thread.id, "test");
    return sealPlan({ ...content, ...groupRecords(withoutOverlaps(records)) });
  });

describe("a plan for review", () => {
  it("names each record with its ends, its reason and its tokens, and no message between them", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const reviewed = reviewedPlan(plan);
        expect(reviewed.planId).toBe(plan.planId);
        expect(reviewed.records.map(({ action, reason }) => `${action} ${reason}`)).toEqual(
          planRecords(plan).map(({ action, reason }) => `${action} ${reason}`),
        );
        for (const [index, { span }] of planRecords(plan).entries()) {
          const { messageIds } = span;
          const text = reviewed.records[index]?.span ?? "";
          expect(text).toContain(messageIds[0]);
          expect(text).toContain(messageIds.at(-1));
          if (messageIds.length > 1) expect(text).toContain(`${messageIds.length} messages`);
        }
      }),
      runs(200),
    );
  });

  it("differs wherever the plan does, because it shows the plan's id", () => {
    const { planId: _, ...content } = emptyPlan(asThreadId("thread-1"), "test");
    const [one, other] = [content, { ...content, threadVersion: 1 }].map((each) => reviewedPlan(sealPlan(each)));
    expect(one).not.toEqual(other);
  });
});
