import type { CompactionProposal, CompactionStrategy } from "@threadfold/strategies";
import { brokenLaws, keepLaws, strategyLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

/** A strategy as somebody else would write it: nothing but the largest group goes. */
const largestFirst: CompactionStrategy = {
  name: "largest-first",
  aggressiveness: 4,
  analyze({ foldable, heldBy, renderedTokens, shape }): readonly CompactionProposal[] {
    const groups = foldable
      .filter(({ ordinals }) => ordinals.every((ordinal) => heldBy(ordinal) === undefined))
      .map(({ ordinals }) => ({
        ordinals,
        tokens: ordinals.reduce((sum, ordinal) => sum + renderedTokens(shape.header(ordinal)), 0),
      }));
    const [largest] = groups.toSorted((one, other) => other.tokens - one.tokens);
    if (largest === undefined || largest.tokens === 0) return [];
    const { ordinals, tokens } = largest;
    const reason = "It is the largest group.";
    return [{ action: "drop", strategy: "largest-first", ordinals, estimatedTokensFreed: tokens, reason }];
  },
};

keepLaws("a strategy of one's own", strategyLaws(largestFirst), { describe, it });

describe("a strategy of one's own", () => {
  it("breaks the laws when it tears a call from its results and says that everything stays in its place", async () => {
    const careless: CompactionStrategy = {
      ...largestFirst,
      keepsMessages: true,
      analyze: (context) =>
        largestFirst.analyze(context).map((proposal) => ({ ...proposal, ordinals: proposal.ordinals.slice(0, 1) })),
    };
    expect((await brokenLaws(strategyLaws(careless))).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "takes out whole groups or keeps every message in its place",
        "keeps every message in its place when it says so",
      ]),
    );
  });
});
