import { asMessageId, asThreadId, type CompactionPlan, emptyPlan } from "@threadfold/core";
import { PI_SUMMARY_TOKENS, piPreset } from "@threadfold/strategies";
import { scriptMessages, scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

const WINDOW = 200_000;
const fold = (thread: ReturnType<typeof scriptThread>, plan?: CompactionPlan) =>
  folded(thread, { preset: piPreset, config: { maxInputTokens: WINDOW }, ...(plan && { plan }) });

/** Seed 001's session, of a size at which the last turn alone fits into 20 000 tokens. */
const SINGLE = "u1, a1, t1, t1, a1, u2, a2, u3, a3, t3, a3, t3, a3, u4, a4, t4, a4";
const singleSizes = (id: string) => (id[1] === "4" ? 4_500 : 13_000);

describe("seed 001, pi", () => {
  it("pi-1 fires above the window less 16 384, by our count or by the provider's report", () => {
    expect(triggerLevel(piPreset, WINDOW, { tokens: 183_616 })).toBe("none");
    expect(triggerLevel(piPreset, WINDOW, { tokens: 183_617 })).toBe("soft");
    expect(triggerLevel(piPreset, WINDOW, { tokens: 10, reportedTokens: 183_616 })).toBe("none");
    expect(triggerLevel(piPreset, WINDOW, { tokens: 10, reportedTokens: 183_617 })).toBe("soft");
  });

  it("pi-16 gives a summary 0.8 of the reserve, about 13 107 tokens", () => {
    expect(PI_SUMMARY_TOKENS).toBe(13_107);
    expect(piPreset.config.summaryMaxTokens).toBe(13_107);
  });

  it("pi-4 example single compaction: the summary and the last four messages, then what comes after", async () => {
    const thread = scriptThread(SINGLE, singleSizes);
    const { plan } = await fold(thread);
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u4", "a4", "t4", "a4.2"]);
    const later = thread.append(scriptMessages("u5, a5"));
    expect(shownIn(later, plan)).toEqual(["[summary]", "u4", "a4", "t4", "a4.2", "u5", "a5"]);
  });

  it("pi-11 example multiple compactions: the second summary builds on the first and does not cross its boundary", async () => {
    const sizes = (id: string) => (id[1] === "7" ? 5_000 : Number(id[1]) > 4 ? 28_000 : singleSizes(id));
    const first = await fold(scriptThread(SINGLE, sizes));
    const thread = scriptThread(`${SINGLE}, u5, a5, u6, a6, t6, a6, u7, a7`, sizes);
    const { plan } = await fold(thread, first.plan);
    // The seed says keepLastMessages=3 and builds u7, a7: three would cut into turn 6, which its critical rule forbids.
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u7", "a7"]);
    expect(plan.summarizations).toHaveLength(1);
    expect(plan.summarizations[0]?.summary.round).toBe(2);
    expect(plan.summarizations[0]?.summary.facts.map((fact) => fact.text)).toEqual(["13 messages", "10 messages"]);
  });

  describe("example branching", () => {
    const sizes = (id: string) => (id[1] === "1" ? 92_000 : 9_000);
    const before = scriptThread("u1, a1, u2, a2", sizes);
    const thread = scriptThread("u1, a1, u2, a2, u3, a3, u4, a4", sizes);
    /** The session file up to a user message, and the compaction in it, if it had happened by then. */
    const branchAt = async (id: string) => {
      const { plan } = await fold(before);
      const version = (thread.message(asMessageId(id))?.ordinal ?? 0) + 1;
      const branch = thread.fork(asThreadId("branch"), version);
      return shownIn(branch, plan.threadVersion <= version ? plan : emptyPlan(branch.id, "test"));
    };

    it("pi-22 after the compaction: the new session has it", async () => {
      expect(await branchAt("u3")).toEqual(["[summary]", "u2", "a2", "u3"]);
    });

    it("pi-22 before the compaction: it is undone", async () => {
      expect(await branchAt("u2")).toEqual(["u1", "a1", "u2"]);
    });
  });

  it("L20 pi-5 splits a turn that is larger than 20 000 tokens: its prefix is summarized, its suffix stays with its calls", async () => {
    const thread = scriptThread(`u1 a1 u2 ${"a2 t2 ".repeat(9)}`, (id) => (id.startsWith("u") ? 1_000 : 9_500));
    const { plan } = await fold(thread);
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u2", "[summary]", "a2.9", "t2.9"]);
  });
});
