import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
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
        ...({ action: "drop", strategy: "again", ordinals, reason: "once more" } as const),
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
});
