import { asThreadId, emptyPlan, sealPlan } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import {
  afterFold,
  afterOverflow,
  afterReport,
  afterSending,
  NO_USAGE,
  reportedTokens,
  type UsageState,
} from "./usage.ts";

const none = emptyPlan(asThreadId("t"), "p");
const plan = (version: number) => sealPlan({ ...none, version });
const sent = afterSending(NO_USAGE, { planVersion: 1, tokens: 1_000 });

describe("usage", () => {
  it("L17 is that of the plan that it measured, with what was counted since on top", () => {
    const state = afterReport(sent, { inputTokens: 1_200 });
    expect(reportedTokens(state, plan(1), 1_000)).toBe(1_200);
    expect(reportedTokens(state, plan(1), 1_300)).toBe(1_500);
    expect(reportedTokens(state, plan(2), 1_000)).toBeUndefined();
    expect(reportedTokens(NO_USAGE, plan(1), 1_000)).toBeUndefined();
  });

  it("L17 is not taken when it names another plan than the newest request's", () => {
    const state = afterReport(sent, { inputTokens: 90_000, planVersion: 0 });
    expect(reportedTokens(state, plan(0), 1_000)).toBeUndefined();
    expect(reportedTokens(state, plan(1), 1_000)).toBeUndefined();
  });

  it("L18 of a failed, aborted or empty answer is none: the last successful one holds", () => {
    let state = afterReport(sent, { inputTokens: 1_200 });
    for (const report of [
      { inputTokens: 9_000, stopReason: "error" },
      { inputTokens: 9_000, stopReason: "aborted" },
      { inputTokens: 0 },
      { inputTokens: Number.NaN },
    ] as const) {
      state = afterReport(state, report);
      expect(reportedTokens(state, plan(1), 1_000)).toBe(1_200);
    }
    expect(afterReport(NO_USAGE, { inputTokens: 1_200 }).measured).toBeNull();
  });

  it("L19 an overflow is answered once; a second one in a row is not, until an answer came through", () => {
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

  it("L19 so is a stop at the output limit", () => {
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
