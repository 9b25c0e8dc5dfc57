import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { canonicalJson } from "../json/canonical-json.ts";
import { continuedList, digestOf, listDigest, sha256 } from "../json/sha256.ts";
import { hostileTexts, runs } from "../laws/index.ts";
import { asMessageId, asThreadId, type MessageId } from "../model/ids.ts";
import { emptySummary } from "../summary/structured-summary.ts";
import { type CompactionPlan, emptyPlan, NO_RECORDS, parsePlan, sealPlan, serializePlan } from "./compaction-plan.ts";
import { planChanges, planDiff } from "./explain.ts";
import { hashedIdsIn, idsHashedApart, LONGEST_HASHED_SPAN, planHashText } from "./plan-hash.ts";

const THREAD = asThreadId("hashed");

const idsTo = (end: number): readonly MessageId[] =>
  Array.from({ length: end }, (_, index) => asMessageId(`m${index}`));

/** A plan that summarizes the given messages, not sealed. */
function contentOver(messageIds: readonly MessageId[]) {
  const span = { messageIds, firstTurn: 0, lastTurn: 3 };
  const record = {
    action: "summarize",
    strategy: "test",
    reason: "test",
    sincePlanVersion: 1,
    span,
    originalTokens: 10,
    summary: emptySummary(span),
    summaryTokens: 2,
    summarizer: "test",
    resolved: [],
  } as never;
  return {
    ...NO_RECORDS,
    summarizations: [record],
    threadId: THREAD,
    threadVersion: messageIds.length,
    version: 1,
    policyVersion: "test",
    createdAt: "2025-01-01T00:00:00.000Z",
    originalTokens: 10,
    compactedTokens: 2,
  };
}

const planOver = (ids: readonly MessageId[]): CompactionPlan => sealPlan(contentOver(ids));

/** The same plan with the id that it had before long spans were hashed on their own. */
function withFormerId({ planId: _planId, createdAt, ...hashed }: CompactionPlan): CompactionPlan {
  return { ...hashed, createdAt, planId: digestOf(hashed) as CompactionPlan["planId"] };
}

describe("the id of a plan", () => {
  it("is SHA-256 of its hash text, in which the ids of a long span stand by their number and digest", () => {
    const ids = idsTo(LONGEST_HASHED_SPAN + 1);
    const plan = planOver(ids);
    const text = planHashText(plan);
    expect(sha256(text)).toBe(plan.planId);
    const hashed = { count: ids.length, sha256: createHash("sha256").update(JSON.stringify(ids)).digest("hex") };
    const [record] = JSON.parse(text).summarizations;
    expect([record.span.messageIds, record.summary.span.messageIds]).toEqual([hashed, hashed]);
    expect(hashedIdsIn(text)).toEqual([hashed, hashed]);
    expect(idsHashedApart(plan)).toEqual([ids]);
  });

  it("names a list once that a plan read back has twice, in a record and in its summary", () => {
    const ids = idsTo(LONGEST_HASHED_SPAN + 1);
    expect(idsHashedApart(parsePlan(serializePlan(planOver(ids))))).toEqual([ids]);
  });

  it("is of the spelled-out plan as long as no span is longer than that", () => {
    const plan = planOver(idsTo(LONGEST_HASHED_SPAN));
    expect(plan.planId).toBe(withFormerId(plan).planId);
    expect([hashedIdsIn(planHashText(plan)), idsHashedApart(plan)]).toEqual([[], []]);
  });

  it("differs for other ids, however few", () => {
    const ids = idsTo(2 * LONGEST_HASHED_SPAN);
    const others = ids.map((id, index) => (index === LONGEST_HASHED_SPAN ? asMessageId("another") : id));
    expect(planOver(others).planId).not.toBe(planOver(ids).planId);
  });

  it("is kept by a plan from before, which nobody may have changed", () => {
    const former = withFormerId(planOver(idsTo(5_000)));
    const parsed = parsePlan(canonicalJson(former));
    expect(parsed.planId).toBe(former.planId);
    expect(sha256(planHashText(parsed))).toBe(former.planId);
    expect(idsHashedApart(parsed)).toEqual([]);
    expect(serializePlan(parsed)).toBe(canonicalJson(former));
    expect(planChanges(emptyPlan(THREAD, "none"), parsed)).toEqual(planDiff(emptyPlan(THREAD, "none"), parsed).patches);
    expect(() => parsePlan(canonicalJson({ ...former, compactedTokens: 1 }))).toThrow(
      expect.objectContaining({ code: "INVALID_PLAN" }),
    );
  });

  it("finds nothing in a text that is no plan", () => {
    expect(["", "{}", "[]", "null", '{"summarizations":[null]}'].map(hashedIdsIn)).toEqual([[], [], [], [], []]);
  });
});

describe("what changed from one plan to the next", () => {
  it("names the ids of a long span by their digest, too", () => {
    const [before, after] = [planOver(idsTo(5_000)), planOver(idsTo(6_000))];
    const [change] = planChanges(before, after) as { readonly value: { readonly span: object } }[];
    expect(change?.value.span).toMatchObject({ messageIds: { count: 6_000, sha256: digestOf(idsTo(6_000)) } });
    const few = [planOver(idsTo(10)), planOver(idsTo(20))] as const;
    expect(planChanges(...few)).toEqual(planDiff(...few).patches);
  });
});

describe("the digest of a list", () => {
  it("law: is that of its canonical JSON, however the list grew", () => {
    const parts = fc.array(fc.array(hostileTexts, { maxLength: 5 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.boolean(), ([first = [], ...more], hashedEarly) => {
        let list: readonly string[] = Object.freeze([...first]);
        for (const part of more) {
          if (hashedEarly) listDigest(list);
          list = continuedList(list, Object.freeze([...part]));
        }
        expect([list, listDigest(list), listDigest([...list])]).toEqual([
          [first, ...more].flat(),
          digestOf([first, ...more].flat()),
          digestOf([first, ...more].flat()),
        ]);
      }),
      runs(200),
    );
  });

  it("refuses a text that JSON cannot express", () => {
    expect(() => listDigest(["a", "\ud800"])).toThrow(expect.objectContaining({ code: "INVALID_JSON" }));
  });

  afterEach(() => void vi.restoreAllMocks());

  it("P9: the id of the next plan takes as much hashing behind 80,000 messages as behind 20,000", () => {
    const { prototype } = process.getBuiltinModule("node:crypto").Hash;
    const update = prototype.update as unknown as (text: string, encoding: "utf8") => never;
    let hashed = 0;
    vi.spyOn(prototype, "update").mockImplementation(function (this: never, text: unknown) {
      hashed += (text as string).length;
      return update.call(this, text as string, "utf8");
    });
    const hashedBehind = (messages: number): number => {
      const former = Object.freeze(idsTo(messages));
      const before = planOver(former);
      const plan = planOver(continuedList(former, Object.freeze([asMessageId("next"), asMessageId("last")])));
      hashed = 0;
      digestOf(planChanges(before, sealPlan({ ...plan, compactedTokens: 3 })));
      return hashed + planHashText(plan).length;
    };
    expect(hashedBehind(80_000)).toBe(hashedBehind(20_000));
    expect(hashedBehind(20_000)).toBeLessThan(5_000);
  });
});
