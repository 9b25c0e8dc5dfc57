import { asThreadId, emptyPlan, type Summarizer } from "@threadfold/core";
import { ampHandoffPreset } from "@threadfold/strategies";
import { scriptThread, shownIn } from "@threadfold/strategies/laws";
import { describe, expect, it } from "vitest";
import { factSummarizer, folded } from "../testing/run-fold.ts";
import { triggerLevel } from "../testing/turn-case.ts";

describe("seed 001, Amp", () => {
  it("has no automatic trigger up to the cap, and folds on request", () => {
    expect(triggerLevel(ampHandoffPreset, 200_000, { tokens: 200_000 })).toBe("none");
    expect(triggerLevel(ampHandoffPreset, 200_000, { tokens: 10, requested: true })).toBe("hard");
    expect(triggerLevel(ampHandoffPreset, 200_000, { tokens: 200_001 })).toBe("hard");
  });

  it("handoff: a secondary model summarizes for the given goal, and the newest user message stays", async () => {
    const asked: (string | undefined)[] = [];
    const secondary: Summarizer = {
      id: "secondary@1",
      summarize: async (request) => {
        asked.push(request.instructions);
        return factSummarizer.summarize(request);
      },
    };
    const thread = scriptThread("u1 a1 t1 a1 u2", 500);
    const { plan } = await folded(thread, {
      preset: ampHandoffPreset,
      input: { instructions: "the migration" },
      ports: { summarizer: secondary },
    });
    expect(shownIn(thread, plan)).toEqual(["[summary]", "u2"]);
    expect(asked).toEqual(["the migration"]);
    expect(ampHandoffPreset.config.summaryRole).toBe("user");
  });

  it("fork: the context window is duplicated at a point, and both threads go on apart", () => {
    const source = scriptThread("u1 a1 t1 a1 u2 a2");
    const fork = source.fork(asThreadId("fork"), 4);
    const other = fork.append([...scriptThread("u9 a9").messages]);
    expect(shownIn(other, emptyPlan(fork.id, "test"))).toEqual(["u1", "a1", "t1", "a1.2", "u9", "a9"]);
    expect(source.length).toBe(6);
  });
});
