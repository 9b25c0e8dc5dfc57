import fc from "fast-check";
import { applyPatches, enablePatches } from "immer";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { agentThreads, countingTokenizer, planRecordsFor, withoutOverlaps } from "../laws/index.ts";
import { assistant, threadOf, user } from "../laws/messages.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { emptySummary } from "../summary/structured-summary.ts";
import { spanOf, spanStart } from "../thread/span-reference.ts";
import { type CompactionPlan, emptyPlan, groupRecords, planRecords, sealPlan } from "./compaction-plan.ts";
import { explainMessage, planDiff } from "./explain.ts";
import { groupMessages } from "./message-group.ts";
import { normalizePlan } from "./normalize-plan.ts";
import type { PlanRecord } from "./plan-record.ts";
import { threadShape } from "./thread-shape.ts";

const empty = emptyPlan(asThreadId("t"), "test");
const planWith = (records: readonly PlanRecord[], version: number): CompactionPlan => {
  const { planId: _id, schemaVersion: _schema, ...content } = empty;
  return sealPlan({ ...content, ...groupRecords(records), version });
};
const keyed = (plan: CompactionPlan) =>
  Object.fromEntries(planRecords(plan).map((record) => [`${record.action} ${spanStart(record.span)}`, record]));
/** Immer never applies a patch with such a key, and Threadfold never applies one to what came from outside. */
const safe = (records: readonly PlanRecord[]) =>
  records.filter((record) => !JSON.stringify(record).includes("__proto__"));

const pairs = agentThreads()
  .filter((thread) => thread.length > 0)
  .chain((thread) => fc.tuple(planRecordsFor(thread), planRecordsFor(thread)))
  .map(([a, b]) => [planWith(withoutOverlaps(safe(a)), 1), planWith(withoutOverlaps(safe(b)), 2)] as const);

describe("planDiff", () => {
  it("gives patches from one plan's records to the other's and back", () => {
    enablePatches();
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const diff = planDiff(a, b);
        expect(applyPatches(keyed(a), [...diff.patches])).toEqual(keyed(b));
        expect(applyPatches(keyed(b), [...diff.inversePatches])).toEqual(keyed(a));
      }),
      { numRuns: 200 },
    );
  });

  it("is empty for equal plans and lists every record against the empty plan", () => {
    fc.assert(
      fc.property(pairs, ([a]) => {
        expect(planDiff(a, a)).toMatchObject({ added: [], removed: [], patches: [] });
        expect(planDiff(empty, a).added).toHaveLength(planRecords(a).length);
      }),
      { numRuns: 100 },
    );
  });
});

const explained = agentThreads({ malformed: true })
  .filter((thread) => thread.length > 0)
  .chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread)));

describe("explainMessage", () => {
  it("explains every message of the thread and how to recover it", () => {
    fc.assert(
      fc.property(explained, ([thread, records]) => {
        const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
        const shape = threadShape(thread, ledger, groupMessages(ledger.headers));
        const { planId: _id, schemaVersion: _schema, ...content } = emptyPlan(thread.id, "test");
        const plan = sealPlan({ ...content, ...normalizePlan(groupRecords(records), shape).records, version: 1 });
        for (const message of thread.messages) {
          const explanation = explainMessage(thread, plan, message.id);
          const [home] = explanation.recovery;
          expect(home).toEqual({ from: "thread", messageId: message.id, ordinal: message.ordinal });
          expect(explanation.reason).not.toBe("");
          expect(explanation.foldedWith.length > 0).toBe(explanation.strategy !== null);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("names the artifact, strategy and summarizer of a folded message, and why a message is shown or hidden", () => {
    const thread = threadOf(user("u1", "Go."), assistant("a1", "On it."), {
      ...assistant("s1", "Aside."),
      branch: "side",
    });
    const span = spanOf([thread.messageAt(0) as Message]);
    const record = {
      ...{
        action: "externalize",
        form: "body",
        artifactId: "artifact-1",
        rehydrateHint: "",
        summary: emptySummary(span),
      },
      ...{ span, strategy: "externalize", reason: "It is large.", sincePlanVersion: 1, originalTokens: 9 },
    } as unknown as PlanRecord;
    const plan = planWith([record], 1);
    expect(explainMessage(thread, plan, asMessageId("u1"))).toMatchObject({
      ...{
        action: "externalize",
        strategy: "externalize",
        reason: "It is large.",
        sincePlanVersion: 1,
        planVersion: 1,
      },
      ...{ foldedWith: ["u1"], recovery: [{ from: "thread" }, { from: "artifact", artifactId: "artifact-1" }] },
    });
    expect(explainMessage(thread, plan, asMessageId("a1"))).toMatchObject({
      ...{ action: "include", strategy: null, sincePlanVersion: null, foldedWith: [], recovery: [{ from: "thread" }] },
    });
    expect(explainMessage(thread, plan, asMessageId("a1")).recovery).toHaveLength(1);
    expect(explainMessage(thread, plan, asMessageId("s1"))).toMatchObject({
      action: "hidden-branch",
      reason: expect.stringContaining("side"),
    });
  });

  it("throws MESSAGE_NOT_FOUND for an unknown message", () => {
    fc.assert(
      fc.property(agentThreads(), (thread) => {
        expect(() => explainMessage(thread, emptyPlan(thread.id, "test"), asMessageId("no such message"))).toThrow(
          expect.objectContaining({
            code: "MESSAGE_NOT_FOUND",
            message: expect.stringContaining("no such message"),
          }),
        );
      }),
      { numRuns: 20 },
    );
  });
});
