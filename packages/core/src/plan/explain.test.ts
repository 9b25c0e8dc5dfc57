import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { groupMessages } from "../groups/message-group.ts";
import { agentThreads, countingTokenizer, planRecordsFor } from "../laws/index.ts";
import { asMessageId } from "../model/ids.ts";
import { emptyPlan, groupRecords, sealPlan } from "./compaction-plan.ts";
import { explainMessage } from "./explain.ts";
import { normalizePlan } from "./normalize-plan.ts";
import { threadShape } from "./thread-shape.ts";

const explained = agentThreads({ malformed: true })
  .filter((thread) => thread.length > 0)
  .chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread)));

describe("explainMessage", () => {
  it("accounts for every message of the thread and says how to get it back", () => {
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

  it("refuses a message that the thread does not have", () => {
    fc.assert(
      fc.property(agentThreads(), (thread) => {
        expect(() => explainMessage(thread, emptyPlan(thread.id, "test"), asMessageId("no such message"))).toThrow(
          expect.objectContaining({ code: "MESSAGE_NOT_FOUND" }),
        );
      }),
      { numRuns: 20 },
    );
  });
});
