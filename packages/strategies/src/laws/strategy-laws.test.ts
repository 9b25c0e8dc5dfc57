import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import type { CompactionProposal, CompactionStrategy, StrategyContext } from "../strategy/compaction-strategy.ts";
import { strategyLaws } from "./strategy-laws.ts";

/** The laws that a strategy breaks. */
const broken = async (strategy: CompactionStrategy): Promise<readonly string[]> =>
  (await brokenLaws(strategyLaws(strategy))).map(({ name }) => name);

const like = (analyze: CompactionStrategy["analyze"]): CompactionStrategy => ({ ...dropStrategy, analyze });

describe("the laws of strategies", () => {
  it("hold for one that comes with the house", async () => {
    expect(await broken(dropStrategy)).toEqual([]);
  });

  it("are broken by one that does nothing", async () => {
    expect(await broken(like(() => []))).toEqual(["folds something, somewhere"]);
  });

  it("are broken by one that promises what is not there", async () => {
    const boasts = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, estimatedTokensFreed: 1e9 })),
    );
    expect(await broken(boasts)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that drops what is gone already", async () => {
    const again = like(({ foldable }) =>
      foldable.slice(0, 1).map(({ ordinals }) => ({
        ...({ action: "drop", strategy: "drop", ordinals, reason: "once more" } as const),
        estimatedTokensFreed: 1,
      })),
    );
    expect(await broken(again)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that writes into what it was given", async () => {
    const takes = like((context) => {
      const proposals = dropStrategy.analyze(context);
      (context.foldable as unknown[]).pop();
      return proposals;
    });
    expect(await broken(takes)).toContain("changes nothing of what it is given");
  });

  it("are broken by one that tears groups apart, and by one that is not the same twice", async () => {
    const torn = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, ordinals: proposal.ordinals.slice(0, 1) })),
    );
    expect(await broken(torn)).toContain("takes out whole groups or keeps every message in its place");
    let calls = 0;
    const moody = like((context) => dropStrategy.analyze(context).slice(0, ++calls % 2 === 0 ? 1 : 0));
    expect(await broken(moody)).toContain("is deterministic");
  });

  it.each<[string, Partial<CompactionStrategy>, RegExp]>([
    ["a name", { name: "" }, /^it has no name/],
    ["a place in a ladder", { aggressiveness: Number.NaN }, /^its aggressiveness is NaN/],
    [
      "an action that there is",
      like((context) => dropStrategy.analyze(context).map((one) => ({ ...one, action: "hide" }) as never)),
      /^there is no action hide/,
    ],
    [
      "its own name",
      like((context) => dropStrategy.analyze(context).map((one) => ({ ...one, strategy: "somebody's" }))),
      /^a proposal of drop says that it is somebody's/,
    ],
    ["what to clear", like((context) => clearing(context, [])), /^it clears nothing of a message/],
    ["what can be cleared", like((context) => clearing(context, ["all"])), /^there is no target all/],
    ["what a summary absorbs", like((context) => summarizing(context, {})), /^a summary does not say what it absorbs/],
    [
      "messages that a summary may read",
      like((context) => summarizing(context, { absorbs: [], overlap: [99_999] })),
      /^overlap names message 99999, which the thread does not have/,
    ],
    [
      "messages that a summary gathers",
      like((context) => summarizing(context, { absorbs: [], gathers: [99_998, -1] })),
      /^gathers names message 99998, which the thread does not have/,
    ],
  ])("are broken by one without %s", async (_, wrong, problem) => {
    const found = await brokenLaws(strategyLaws({ ...dropStrategy, ...wrong }, { times: 40 }));
    expect(found.map((one) => one.problem)).toContainEqual(expect.stringMatching(problem));
  });
});

/** What the drop strategy proposes, as something else and without what that needs. */
const proposing = (context: StrategyContext, fields: object): readonly CompactionProposal[] =>
  dropStrategy.analyze(context).map((one) => ({ ...one, ...fields }) as CompactionProposal);
const clearing = (context: StrategyContext, targets: readonly string[]) =>
  proposing(context, { action: "clear", targets });
const summarizing = (context: StrategyContext, fields: object) =>
  proposing(context, { action: "summarize", ...fields });
