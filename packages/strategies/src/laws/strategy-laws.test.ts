import { describe, expect, it } from "vitest";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import type { CompactionStrategy } from "../strategy/compaction-strategy.ts";
import { strategyLaws } from "./strategy-laws.ts";

/** The laws that a strategy breaks. */
function brokenLaws(strategy: CompactionStrategy): readonly string[] {
  const broken: string[] = [];
  strategyLaws(strategy, {
    describe: (_, body) => body(),
    it: (name, body) => {
      try {
        body();
      } catch {
        broken.push(name);
      }
    },
  });
  return broken;
}

const like = (analyze: CompactionStrategy["analyze"]): CompactionStrategy => ({ ...dropStrategy, analyze });

describe("the laws of strategies", () => {
  it("hold for one that comes with the house", () => {
    expect(brokenLaws(dropStrategy)).toEqual([]);
  });

  it("are broken by one that does nothing", () => {
    expect(brokenLaws(like(() => []))).toEqual(["folds something, somewhere"]);
  });

  it("are broken by one that promises what is not there", () => {
    const boasts = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, estimatedTokensFreed: 1e9 })),
    );
    expect(brokenLaws(boasts)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that drops what is gone already", () => {
    const again = like(({ foldable }) =>
      foldable.slice(0, 1).map(({ ordinals }) => ({
        ...({ action: "drop", strategy: "again", ordinals, reason: "once more" } as const),
        estimatedTokensFreed: 1,
      })),
    );
    expect(brokenLaws(again)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that writes into what it was given", () => {
    const takes = like((context) => {
      const proposals = dropStrategy.analyze(context);
      (context.foldable as unknown[]).pop();
      return proposals;
    });
    expect(brokenLaws(takes)).toContain("changes nothing of what it is given");
  });

  it("are broken by one that tears groups apart, and by one that is not the same twice", () => {
    const torn = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, ordinals: proposal.ordinals.slice(0, 1) })),
    );
    expect(brokenLaws(torn)).toContain("takes out whole groups or keeps every message in its place");
    let calls = 0;
    const moody = like((context) => dropStrategy.analyze(context).slice(0, ++calls % 2 === 0 ? 1 : 0));
    expect(brokenLaws(moody)).toContain("is deterministic");
  });
});
