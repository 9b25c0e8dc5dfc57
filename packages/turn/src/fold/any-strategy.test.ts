import { actionOf, asPinId, planRecords, removesMessages } from "@threadfold/core";
import { agentThreads, message, runs } from "@threadfold/core/laws";
import { type CompactionProposal, type CompactionStrategy, windowStrategy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answers, calls, fold, folded, shapeOf, threadOf } from "../testing/fold-case.ts";
import { missingPins, viewVerifier } from "../testing/view-verifier.ts";

interface Wish {
  readonly action: CompactionProposal["action"];
  readonly from: number;
  readonly length: number;
}

const wishes: fc.Arbitrary<readonly Wish[]> = fc.array(
  fc.record({
    action: fc.constantFrom<CompactionProposal["action"]>("externalize", "clear", "summarize", "drop"),
    from: fc.nat(60),
    length: fc.integer({ min: 1, max: 8 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** A strategy that asks for anything: half groups, system messages, side branches, what is recent, what it asked for before. */
function wishful(list: readonly Wish[]): CompactionStrategy {
  return {
    name: "wishful",
    aggressiveness: 0,
    analyze: ({ shape }) =>
      shape.length === 0
        ? []
        : list.map(({ action, from, length }): CompactionProposal => {
            const first = from % shape.length;
            const end = action === "externalize" ? first + 1 : Math.min(shape.length, first + length);
            const ordinals = Array.from({ length: end - first }, (_, at) => first + at);
            const base = { strategy: "wishful", ordinals, estimatedTokensFreed: 1, reason: "a wish" };
            if (action === "summarize") return { ...base, action, absorbs: [] };
            return action === "clear" ? { ...base, action, targets: ["tool-result", "text"] } : { ...base, action };
          }),
  };
}

describe("a fold with any strategy", () => {
  it("cuts no group, folds no system message, loses no live pin and never clears a non-replayable body entirely", async () => {
    await fc.assert(
      fc.asyncProperty(agentThreads({ malformed: true }), wishes, async (thread, list) => {
        const result = await fold(thread, { ladder: [wishful(list)] }, { maxInputTokens: 500 });
        if (result.type !== "ready") return;
        const { plan } = result;
        const shape = shapeOf(thread);
        for (let ordinal = 0; ordinal < shape.length; ordinal++) {
          const members = shape.groupOf(ordinal).ordinals;
          const gone = members.filter((at) => {
            const { record } = actionOf(plan, shape.header(at).id);
            return record !== null && removesMessages(record);
          });
          expect([0, members.length]).toContain(gone.length);
          const header = shape.header(ordinal);
          const { action, record } = actionOf(plan, header.id);
          if (header.role === "system") expect(action).toBe("include");
          if (header.durability === "non_replayable" && record?.action === "clear") expect(record.keep).toBeDefined();
        }
        expect(missingPins(thread, plan)).toEqual([]);
      }),
      runs(200),
    );
  });

  it("P5: refuses a plan that hides a live pin, whatever it frees", async () => {
    const thread = threadOf(...Array.from({ length: 10 }, (_, at) => message(`a${at}`, "assistant", "x".repeat(800))));
    const verifier = viewVerifier(thread);
    const blind = {
      ...verifier,
      verify: (plan: Parameters<typeof verifier.verify>[0]) => ({
        ...verifier.verify(plan),
        missingPins: planRecords(plan).length === 0 ? [] : [asPinId("p")],
      }),
    };
    expect((await fold(thread, { verifier })).type).toBe("ready");
    expect(await fold(thread, { verifier: blind }, { maxInputTokens: 1_000 })).toMatchObject({
      type: "refused",
      missingPins: ["p"],
    });
  });
});

describe("A12: a cut inside a unit", () => {
  const thread = threadOf(
    message("a0", "assistant", "x".repeat(400)),
    calls("c", "x", "bash"),
    answers("r", "x", "bash", "y".repeat(400)),
  );
  const cutAt = (ordinal: number) =>
    fold(
      thread,
      { ladder: [windowStrategy({ name: "cut", cut: () => ordinal, fold: "drop" })] },
      { maxInputTokens: 2_000, targetPercent: 0.05 },
    );

  it("A12: folds only the groups before the unit and leaves the unit whole", async () => {
    for (const inside of [2, 3]) {
      const result = await cutAt(inside);
      if (result.type !== "ready") throw new Error(result.type);
      expect(planRecords(result.plan).flatMap(({ span }) => span.messageIds)).toEqual(["u0", "a0"]);
    }
  });

  it("A12: is a no-op if there is no group before the unit", async () => {
    const { plan } = await folded(thread, {}, { targetPercent: 0.05 });
    expect(plan.version).toBe(1);
    expect(await cutAt(0)).toMatchObject({ type: "no-op", reason: "nothing more can be folded" });
  });
});
