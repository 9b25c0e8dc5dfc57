import { describe, expect, it } from "vitest";
import { asMessageId, asThreadId } from "../model/ids.ts";
import { emptyPlan, sealPlan } from "../plan/compaction-plan.ts";
import { compactionNotice, type NoticeFacts } from "./compaction-outcome.ts";

const span = (...ids: readonly string[]) => ({ messageIds: ids.map(asMessageId), firstTurn: 1, lastTurn: 1 });
const dropped = {
  action: "drop",
  span: span("m1", "m2", "m3"),
  strategy: "drop",
  reason: "old",
  sincePlanVersion: 1,
  originalTokens: 10,
  keywords: [],
} as const;
const planOf = (version: number) => sealPlan({ ...emptyPlan(asThreadId("t"), "p"), version, drops: [dropped] });
const facts = (version: number, more: Partial<NoticeFacts> = {}): NoticeFacts => ({
  cause: "auto",
  plan: planOf(version),
  threadLength: 10,
  pinned: 2,
  tokens: { before: 847_312, after: 5_210 },
  budgetLimit: 900_000,
  durationMilliseconds: 12,
  ...more,
});

describe("compactionNotice", () => {
  it("states tokens before and after, and how many messages were kept or dropped", () => {
    const notice = compactionNotice(facts(1));
    expect(notice.text).toBe("Context compacted: 847k → 5.2k tokens (messages: 7 kept, 3 dropped).");
    expect(notice).toMatchObject({ compactionCount: 1, pinned: 2, warning: null, messages: { kept: 7, dropped: 3 } });
  });

  it("warns about lower accuracy after the configured number of folds (seed 001)", () => {
    expect(compactionNotice(facts(2)).warning).toBeNull();
    const warned = compactionNotice(facts(3));
    expect(warned.warning).toContain("less accurate");
    expect(warned.text.endsWith(warned.warning ?? "-")).toBe(true);
    expect(compactionNotice(facts(1, { warnAfter: 1 })).warning).not.toBeNull();
    expect(compactionNotice(facts(90, { warnAfter: Number.POSITIVE_INFINITY })).warning).toBeNull();
  });
});
