import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asMessageId } from "../model/ids.ts";
import { sensitivitySchema } from "../model/message.ts";
import {
  combineHandling,
  emptySummary,
  handlingOf,
  type SummaryHandling,
  sourceTrustSchema,
} from "./structured-summary.ts";
import { applySummaryChanges, mergeSummaries } from "./summary-change.ts";

const handlings: fc.Arbitrary<SummaryHandling> = fc.record({
  trust: fc.constantFrom(...sourceTrustSchema.options),
  sensitivity: fc.constantFrom(...sensitivitySchema.options),
});
const span = { messageIds: [asMessageId("m1")], firstTurn: 1, lastTurn: 1 };

describe("the handling of a summary", () => {
  it("is never more trusted or less sensitive than any part, in any order", () => {
    fc.assert(
      fc.property(fc.array(handlings, { minLength: 1, maxLength: 6 }), (parts) => {
        const all = parts.reduce<SummaryHandling | undefined>(
          (sum, next, index) => (index === 0 ? next : combineHandling(sum, next)),
          undefined,
        );
        for (const part of parts) expect(combineHandling(all, part)).toEqual(all);
        expect(combineHandling(parts[0], parts.at(-1))).toEqual(combineHandling(parts.at(-1), parts[0]));
      }),
      runs(200),
    );
  });

  it("follows from the roles and metadata of the messages", () => {
    const text = [{ type: "text", text: "x" }] as const;
    expect(handlingOf([{ role: "user", parts: text }])).toEqual({ trust: "user", sensitivity: "internal" });
    expect(handlingOf([{ role: "system", parts: text, metadata: { sensitivity: "public" } }])).toEqual({
      trust: "operator",
      sensitivity: "public",
    });
    expect(
      handlingOf([
        { role: "user", parts: text, metadata: { sensitivity: "restricted" } },
        { role: "assistant", parts: text },
      ]),
    ).toEqual({ trust: "agent", sensitivity: "restricted" });
    expect(handlingOf([{ role: "user", parts: text, metadata: { sensitivity: "secret!" } }]).sensitivity).toBe(
      "internal",
    );
  });

  it("is external as soon as it covers a tool message", () => {
    fc.assert(
      fc.property(
        agentThreads({ maxMessages: 10 }).filter((thread) => thread.length > 0),
        (thread) => {
          const messages = [...thread.messages];
          if (messages.some(({ role }) => role === "tool")) expect(handlingOf(messages).trust).toBe("external");
        },
      ),
      runs(60),
    );
  });

  it("is kept when a summary is extended or merged", () => {
    const restricted: SummaryHandling = { trust: "user", sensitivity: "restricted" };
    const marked = { ...emptySummary(span), handling: restricted };
    expect(applySummaryChanges(marked, span, []).summary.handling).toEqual(restricted);
    expect(mergeSummaries(emptySummary(span), emptySummary(span), span).summary).not.toHaveProperty("handling");
    expect(mergeSummaries(emptySummary(span), marked, span).summary.handling).toEqual({
      trust: "external",
      sensitivity: "restricted",
    });
  });
});
