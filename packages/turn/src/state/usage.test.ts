import { asThreadId, emptyPlan, sealPlan } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { providerTokens } from "../measure/provider-count.ts";
import {
  addUsage,
  afterAnswer,
  afterFold,
  afterOverflow,
  afterReport,
  afterSending,
  NO_TOTALS,
  NO_USAGE,
  stopReasonOf,
  type UsageState,
} from "./usage.ts";

const none = emptyPlan(asThreadId("t"), "p");
const plan = (version: number) => sealPlan({ ...none, version });
const sent = afterSending(NO_USAGE, { planVersion: 1, counted: 1_000 });

describe("usage", () => {
  it("L17 is the reported count of the measured plan plus the scaled tokens counted since", () => {
    const state = afterReport(sent, { inputTokens: 1_200 });
    const { slope } = state.estimate;
    expect(providerTokens(state, plan(1), 1_000)).toBe(1_200);
    expect(providerTokens(state, plan(1), 1_300)).toBe(1_200 + Math.ceil(Math.round(300 * slope) * 1.15));
    expect(providerTokens(state, plan(1), 700)).toBe(1_200 - Math.round(300 * slope));
    expect(providerTokens(NO_USAGE, plan(1), 1_000)).toBe(1_000);
  });

  it("follows the estimate for a request under another plan", () => {
    const state = afterReport(sent, { inputTokens: 1_200 });
    const { slope, offset } = state.estimate;
    expect(providerTokens(state, plan(2), 500)).toBe(Math.round(500 * slope + offset));
  });

  it("L17 ignores a report for another plan than that of the newest request", () => {
    const state = afterReport(sent, { inputTokens: 90_000, planVersion: 0 });
    expect(state.measured).toBeNull();
    expect(state.estimate).toBe(NO_USAGE.estimate);
  });

  it("L18 ignores failed, aborted and empty answers: the last successful one holds", () => {
    let state = afterReport(sent, { inputTokens: 1_200 });
    for (const report of [
      { inputTokens: 9_000, stopReason: "error" },
      { inputTokens: 9_000, stopReason: "aborted" },
      { inputTokens: 0 },
      { inputTokens: Number.NaN },
    ] as const) {
      state = afterReport(state, report);
      expect(providerTokens(state, plan(1), 1_000)).toBe(1_200);
    }
    expect(afterReport(NO_USAGE, { inputTokens: 1_200 }).measured).toBeNull();
  });

  it("L19 lets one fold answer an overflow, and no second one in a row before a successful answer", () => {
    const first = afterOverflow(sent);
    expect(first.overflow).toBe("pending");
    expect(afterOverflow(first).overflow).toBe("pending");
    const tried = afterFold(first);
    expect(tried.overflow).toBe("answered");
    const again = afterOverflow(tried);
    expect(again.overflow).toBe("exhausted");
    expect(afterOverflow(afterFold(again)).overflow).toBe("exhausted");
    const recovered = afterReport(again, { inputTokens: 10 });
    expect(afterOverflow(recovered).overflow).toBe("pending");
  });

  it("ignores reports that are far too low or far too high", () => {
    const state = afterReport(sent, { inputTokens: 1_200 });
    for (const inputTokens of [12, 400, 90_000]) {
      const { measured, estimate } = afterReport(state, { inputTokens });
      expect([measured, estimate]).toEqual([state.measured, state.estimate]);
    }
  });

  it("learns from the token count in a refusal", () => {
    const { estimate, measured } = afterOverflow(sent, 2_000);
    expect(1_000 * estimate.slope + estimate.offset).toBeGreaterThan(1_900);
    expect(measured).toBeNull();
  });

  it("L19 lets one fold answer a stop at the output limit, and no second one in a row", () => {
    const stop = (state: UsageState) => afterReport(state, { inputTokens: 10, stopReason: "max-output" });
    const tried = afterFold(stop(sent));
    expect([stop(sent).maxOutput, tried.maxOutput, stop(tried).maxOutput]).toEqual([
      "pending",
      "answered",
      "exhausted",
    ]);
    expect(afterReport(stop(tried), { inputTokens: 10 }).maxOutput).toBe("none");
  });
});

describe("the unshown tokens of an answer", () => {
  const answered = (state: UsageState, counted: number, inputTokens: number) =>
    afterReport(afterSending(state, { planVersion: 0, counted }), { inputTokens, outputTokens: 3_100 }, 100);

  it("count toward the next request until a report shows otherwise, and again when one confirms them", () => {
    const first = answered(NO_USAGE, 10_000, 10_000);
    expect(first.measured).toMatchObject({ unshown: 3_000, resent: 3_000 });
    expect(providerTokens(first, none, 10_000)).toBe(10_000);
    expect(providerTokens(first, none, 10_100)).toBeGreaterThanOrEqual(13_100);
    const dropped = answered(first, 10_100, 10_100);
    expect(dropped.measured).toMatchObject({ resent: 0 });
    expect(providerTokens(dropped, none, 10_200)).toBeLessThan(10_300);
    const back = answered(dropped, 10_200, 13_200);
    expect(back.measured?.resent).toBe(back.measured?.unshown);
  });

  it("are not judged by a report under another plan", () => {
    const { measured, ...first } = answered(NO_USAGE, 10_000, 10_000);
    const other = { ...first, measured: measured === null ? null : { ...measured, planVersion: 7 } };
    expect(answered(other, 10_100, 10_100).resends).toBe(true);
  });
});

describe("the usage totals and answers of a session", () => {
  it("add up, without requests that report no prompt", () => {
    expect(NO_TOTALS).toMatchObject({ requests: 0, cacheHitRate: null });
    const first = addUsage(NO_TOTALS, { inputTokens: 100, outputTokens: 7, cacheReadTokens: 25, cacheWriteTokens: 60 });
    expect(first).toEqual({
      ...{
        requests: 1,
        inputTokens: 100,
        outputTokens: 7,
        cacheReadTokens: 25,
        cacheWriteTokens: 60,
        cacheHitRate: 0.25,
      },
    });
    expect(addUsage(first, { inputTokens: 0, outputTokens: 9 })).toBe(first);
    expect(addUsage(first, { inputTokens: 300, cacheReadTokens: 200, outputTokens: 1, cacheWriteTokens: 2 })).toEqual({
      ...{
        requests: 2,
        inputTokens: 400,
        outputTokens: 8,
        cacheReadTokens: 225,
        cacheWriteTokens: 62,
        cacheHitRate: 225 / 400,
      },
    });
    expect(addUsage(first, { inputTokens: 100 })).toMatchObject({
      outputTokens: 7,
      cacheReadTokens: 25,
      cacheHitRate: 0.125,
    });
  });

  it.each([
    ["max_tokens", "max-output"],
    ["length", "max-output"],
    ["error", "error"],
    ["Failed", "error"],
    ["aborted", "aborted"],
    ["cancelled", "aborted"],
    ["canceled", "aborted"],
    ["tool_use", "end"],
    ["", "end"],
    [null, "end"],
    [undefined, "end"],
  ] as const)("map the provider's stop reason %s", (word, reason) => {
    expect(stopReasonOf(word)).toBe(reason);
  });

  it("settle a pending overflow and cut-off only after a successful answer", () => {
    const asked: UsageState = { ...sent, overflow: "pending", maxOutput: "answered" };
    for (const failed of ["error", "aborted"] as const) expect(afterAnswer(asked, failed)).toBe(asked);
    expect(afterAnswer(asked, "end")).toEqual({ ...asked, overflow: "none", maxOutput: "none" });
    expect(afterAnswer(asked, "max-output")).toEqual({ ...asked, overflow: "none", maxOutput: "exhausted" });
  });

  it("teach nothing before the first counted request or after a provider compaction", () => {
    expect(afterOverflow(NO_USAGE, 9_000)).toEqual({ ...NO_USAGE, overflow: "pending" });
    expect(afterOverflow(sent, 0).estimate).toBe(sent.estimate);
    const compacted = afterReport({ ...sent, overflow: "pending" }, { inputTokens: 1_200, compacted: true });
    expect(compacted).toEqual({ ...sent, overflow: "none" });
  });

  it("tell from the next prompt's growth whether unshown tokens are sent again", () => {
    const answered = (outputTokens: number, shown?: number) =>
      afterReport(sent, { inputTokens: 1_000, outputTokens }, shown).measured?.unshown;
    expect([answered(500, 100), answered(80, 100), answered(500)]).toEqual([400, 0, 0]);
    const next = (unshown: number, grown: number) => {
      const measured = { planVersion: 1, inputTokens: 1_000, counted: 1_000, unshown, resent: unshown };
      return afterReport({ ...sent, measured }, { inputTokens: 1_000 + grown }).resends;
    };
    // Half of what nobody saw decides, and fewer than 200 tokens say nothing.
    expect([next(400, 201), next(400, 200), next(199, 0), next(200, 0)]).toEqual([true, false, true, false]);
  });
});
