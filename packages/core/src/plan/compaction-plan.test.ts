import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { digestOf } from "../json/sha256.ts";
import { planRecordsFor, withoutOverlaps } from "../laws/plan-record-arbitrary.ts";
import { withTextReplaced } from "../laws/text-arbitrary.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asMessageId, asThreadId } from "../model/ids.ts";
import { threadEntrySchema } from "../thread/thread-entry.ts";
import {
  actionOf,
  compactionPlanSchema,
  emptyPlan,
  groupRecords,
  isSealed,
  PLAN_SCHEMA_VERSION,
  type PlanContent,
  parsePlan,
  planRecords,
  sealPlan,
  serializePlan,
} from "./compaction-plan.ts";
import { COMPACTION_PRECEDENCE, compactionActionSchema, removesMessages } from "./plan-record.ts";

const figures = fc.record({
  version: fc.integer({ min: 1, max: 9 }),
  policyVersion: fc.constantFrom("threadfold-v1", "eigene Regel"),
  createdAt: fc.constantFrom("2025-01-01T00:00:00.000Z", "2026-02-03T04:05:06.007Z"),
  originalTokens: fc.nat(1_000_000),
  compactedTokens: fc.nat(100_000),
});

/** Contents with random records, no two of them over one message. */
const contents: fc.Arbitrary<PlanContent> = agentThreads({ malformed: true, maxMessages: 12, pins: false }).chain(
  (thread) =>
    fc.tuple(figures, planRecordsFor(thread)).map(([rest, records]) => ({
      threadId: thread.id,
      threadVersion: thread.version,
      ...rest,
      ...groupRecords(withoutOverlaps(records)),
    })),
);
const plans = contents.map(sealPlan);

const codeOf = (action: () => unknown): unknown => {
  try {
    action();
    return "no error";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe("serializePlan and parsePlan", () => {
  it("C11: spec-3 spec-27 restore the same plan, byte for byte, with all its records", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const text = serializePlan(plan);
        const read = parsePlan(text);
        expect(serializePlan(read)).toBe(text);
        expect(canonicalJson(read)).toBe(canonicalJson(plan));
        expect(planRecords(read)).toHaveLength(planRecords(plan).length);
      }),
      { numRuns: 120 },
    );
  });

  it("refuse a plan in which any text but its time was changed", () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, leaf) => {
        const changed = withTextReplaced({ ...plan, createdAt: 0 }, leaf, "tampered") as object;
        expect(codeOf(() => parsePlan(canonicalJson({ ...changed, createdAt: plan.createdAt })))).toBe("INVALID_PLAN");
      }),
      { numRuns: 120 },
    );
  });

  it("refuse a plan whose figures or records were changed", () => {
    fc.assert(
      fc.property(
        plans,
        fc.constantFrom("version", "threadVersion", "originalTokens", "compactedTokens"),
        (plan, figure) => {
          expect(codeOf(() => parsePlan(canonicalJson({ ...plan, [figure]: plan[figure] + 1 })))).toBe("INVALID_PLAN");
          const [record] = planRecords(plan);
          if (record === undefined) return;
          const fewer = groupRecords(planRecords(plan).slice(1));
          expect(codeOf(() => parsePlan(canonicalJson({ ...plan, ...fewer })))).toBe("INVALID_PLAN");
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each(["", "null", "[]", "{}", "{", '"plan"', '{"__proto__":{"planId":"x"}}', "[".repeat(10_000)])(
    "refuse %j with a typed error",
    (text) => {
      expect(codeOf(() => parsePlan(text))).toBe("INVALID_PLAN");
    },
  );

  it("name the wrong field", () => {
    const plan = emptyPlan(asThreadId("t"), "p");
    expect(() => parsePlan(canonicalJson({ ...plan, version: "1" }))).toThrow(/version/);
    expect(() => parsePlan(canonicalJson({ ...plan, schemaVersion: 2 }))).toThrow(/schemaVersion/);
  });
});

describe("sealPlan", () => {
  it("is paired with parsePlan, which states what is wrong with an invalid text", () => {
    const refusal = (text: string) => {
      try {
        return parsePlan(text);
      } catch (error) {
        const { code, message, cause } = error as { code: string; message: string; cause?: unknown };
        return [code, message, cause instanceof SyntaxError];
      }
    };
    expect(refusal("{")).toEqual(["INVALID_PLAN", "The plan is not JSON.", true]);
    const plan = emptyPlan(asThreadId("t"), "p");
    expect(refusal(serializePlan({ ...plan, threadVersion: -1 }))).toEqual([
      "INVALID_PLAN",
      expect.stringMatching(/^The plan does not match its schema at threadVersion: .+\.$/),
      false,
    ]);
    expect(refusal(serializePlan({ ...plan, policyVersion: "q" }))).toEqual([
      "INVALID_PLAN",
      `The content of plan ${plan.planId} does not match its id.`,
      false,
    ]);
  });

  it("marks a plan as sealed, unlike a copy of it", () => {
    const plan = emptyPlan(asThreadId("t"), "p");
    expect([isSealed(plan), isSealed({ ...plan })]).toEqual([true, false]);
    expect(isSealed(parsePlan(serializePlan(plan)))).toBe(true);
  });

  it("gives an id that depends only on the content, not on time or key order", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const { planId } = sealPlan(content);
        const reversed = Object.fromEntries(Object.entries(content).reverse()) as unknown as PlanContent;
        expect(planId).toMatch(/^[0-9a-f]{64}$/);
        expect(sealPlan({ ...content, createdAt: "2031-01-01T00:00:00.000Z" }).planId).toBe(planId);
        expect(sealPlan(reversed).planId).toBe(planId);
        expect(sealPlan(JSON.parse(canonicalJson(content as unknown as JsonObject)) as PlanContent).planId).toBe(
          planId,
        );
      }),
      { numRuns: 100 },
    );
  });

  it("gives different content a different id", () => {
    fc.assert(
      fc.property(contents, fc.nat(), (content, leaf) => {
        const { createdAt, ...hashed } = content;
        const other = withTextReplaced(hashed, leaf, "something else") as Omit<PlanContent, "createdAt">;
        expect(sealPlan({ ...other, createdAt }).planId).not.toBe(sealPlan(content).planId);
      }),
      { numRuns: 100 },
    );
  });

  it("leaves a sealed plan unchanged", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(sealPlan(plan)).toEqual(plan);
        expect(parsePlan(serializePlan(sealPlan({ ...plan, version: plan.version + 1 }))).version).toBe(
          plan.version + 1,
        );
      }),
      { numRuns: 100 },
    );
  });
});

describe("a message stands in at most one record of a plan", () => {
  const span = { messageIds: [asMessageId("m0"), asMessageId("m1")], firstTurn: 0, lastTurn: 1 };
  const base = { strategy: "s", reason: "r", sincePlanVersion: 1, originalTokens: 1 };
  const drop = { ...base, action: "drop" as const, keywords: [], span };
  const clear = { ...base, action: "clear" as const, targets: ["text" as const], preservedFields: {}, span };
  const { planId: _id, schemaVersion: _schema, ...empty } = emptyPlan(asThreadId("t"), "p");
  const messageOf = (action: () => unknown): string => {
    try {
      action();
      return "no error";
    } catch (error) {
      return `${(error as { code: string }).code} ${(error as Error).message}`;
    }
  };

  it("spec-28 spec-29 sealPlan and parsePlan refuse any two records over one message, whatever their precedence", () => {
    const overlapping = agentThreads({ malformed: true, maxMessages: 12, pins: false })
      .chain((thread) => planRecordsFor(thread))
      .filter((records) => withoutOverlaps(records).length < records.length);
    fc.assert(
      fc.property(overlapping, (records) => {
        const content = { ...empty, ...groupRecords(records) };
        expect(codeOf(() => sealPlan(content))).toBe("INVALID_PLAN");
        const forged = { ...content, schemaVersion: 1, planId: digestOf({ ...content, schemaVersion: 1 }) };
        expect(codeOf(() => parsePlan(canonicalJson(forged as never)))).toBe("INVALID_PLAN");
      }),
      { numRuns: 100 },
    );
  });

  it("the error names the message, the records and the remedy", () => {
    const both = { ...empty, ...groupRecords([clear, drop]) };
    expect(messageOf(() => sealPlan(both))).toContain("message m0 is in a drop record and in another clear record");
    expect(() => sealPlan(both)).toThrow(expect.objectContaining({ hint: expect.stringContaining("normalizePlan") }));
  });

  it("spec-17 a span names no message twice and does not end before its first turn", () => {
    const twice = { ...drop, span: { ...span, messageIds: [asMessageId("m0"), asMessageId("m0")] } };
    expect(messageOf(() => sealPlan({ ...empty, drops: [twice] }))).toContain("names message m0 twice");
    const back = { ...drop, span: { ...span, firstTurn: 2 } };
    expect(messageOf(() => sealPlan({ ...empty, drops: [back] }))).toContain("from turn 2 back to turn 1");
  });
});

describe("compactionPlanSchema", () => {
  it("accepts no text that cannot be hashed", () => {
    fc.assert(
      fc.property(plans, fc.nat(), (plan, leaf) => {
        expect(compactionPlanSchema.safeParse(withTextReplaced(plan, leaf, "a\ud800")).success).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

describe("emptyPlan", () => {
  it("is version 0, names no message and is always the same", () => {
    const plan = emptyPlan(asThreadId("t"), "threadfold-v1");
    expect([plan.version, plan.threadVersion, plan.createdAt, planRecords(plan)]).toEqual([
      0,
      0,
      "1970-01-01T00:00:00.000Z",
      [],
    ]);
    expect(emptyPlan(asThreadId("t"), "threadfold-v1")).toEqual(plan);
    expect(parsePlan(serializePlan(plan))).toEqual(plan);
  });
});

describe("records of a plan", () => {
  it("are grouped by kind and listed again without loss, strongest first", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const records = planRecords(content);
        expect(planRecords(groupRecords(records))).toEqual(records);
        const strengths = records.map(({ action }) => COMPACTION_PRECEDENCE[action]);
        expect([...strengths].sort((a, b) => b - a)).toEqual(strengths);
      }),
      { numRuns: 100 },
    );
  });

  it("spec-25 spec-26 have the precedence of seed 002: drop, externalize, summarize, clear, include", () => {
    const byStrength = [...compactionActionSchema.options].sort(
      (a, b) => COMPACTION_PRECEDENCE[b] - COMPACTION_PRECEDENCE[a],
    );
    expect(byStrength).toEqual(["drop", "externalize", "summarize", "clear", "include"]);
  });

  it("take messages out of the prompt unless they clear or externalize a body", () => {
    fc.assert(
      fc.property(contents, (content) => {
        for (const record of planRecords(content)) {
          const stays = record.action === "clear" || (record.action === "externalize" && record.form === "body");
          expect(removesMessages(record)).toBe(!stays);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("actionOf", () => {
  it("spec-31 gives the one record that names a message, and include for all others", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        for (const record of planRecords(plan)) {
          for (const id of record.span.messageIds)
            expect(actionOf(plan, id)).toEqual({ action: record.action, record });
        }
        expect(actionOf(plan, asMessageId("nobody"))).toEqual({ action: "include", record: null });
        expect(actionOf(plan, asMessageId("toString")).action).toMatch(/include|clear|summarize|externalize|drop/);
      }),
      { numRuns: 100 },
    );
  });
});

/** What a schema lets through, as data: another field, kind or limit makes another digest. */
const shapeOf = (schema: z.ZodType): string =>
  digestOf(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any", cycles: "ref" }))));

/**
 * What is stored is read by later versions. When one of these digests moves, stored data has another shape: give it a new
 * version and a way up for what is stored already, then write the new digest here. A schema that says the same in other words
 * moves it too, and so does one more value of a field, with which all that is stored stays as it is; then the version stays.
 */
describe("the shapes of stored data", () => {
  it("the plan schema changes only with PLAN_SCHEMA_VERSION", () => {
    expect({ version: PLAN_SCHEMA_VERSION, shape: shapeOf(compactionPlanSchema) }).toEqual({
      version: 1,
      shape: "db848026976366a396ab248403f3db7cd5fc622aa8e3597aeca7e2c9a507063e",
    });
  });

  it("thread entries have no schema version and stay readable forever", () => {
    expect(shapeOf(threadEntrySchema)).toBe("2a893ebffdd6e441675159a7a2436faa28366bd4470211c858331826572a54fd");
  });

  it("an added or removed field changes the fingerprint", () => {
    const one = z.object({ id: z.string() });
    expect(shapeOf(one)).not.toBe(shapeOf(one.extend({ more: z.string().optional() })));
    expect(shapeOf(one)).toBe(shapeOf(z.object({ id: z.string() })));
  });
});
