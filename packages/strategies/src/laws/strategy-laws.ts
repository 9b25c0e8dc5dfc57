import assert from "node:assert/strict";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import type { CompactionProposal, CompactionStrategy, StrategyContext } from "../strategy/compaction-strategy.ts";
import { strategyContexts } from "./strategy-context-arbitrary.ts";

/** The two functions of a test runner that a law suite needs: vitest's, jest's or node:test's. */
export interface LawRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => void): unknown;
}

/** What every strategy must hold: it proposes and never acts, on foldable messages alone, the same for the same input. */
export function strategyLaws(strategy: CompactionStrategy, { describe, it }: LawRunner): void {
  describe(`${strategy.name} strategy`, () => {
    it("proposes only messages that may be folded", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const foldable = new Set(context.foldable.flatMap((group) => group.ordinals));
          for (const proposal of strategy.analyze(context)) {
            assert.ok(proposal.ordinals.length > 0);
            for (const ordinal of proposal.ordinals) assert.ok(foldable.has(ordinal));
          }
        }),
        runs(150),
      );
    });

    it("takes out whole groups or keeps every message in its place", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const removed = new Set(
            strategy
              .analyze(context)
              .filter(({ action }) => action === "summarize" || action === "drop")
              .flatMap(({ ordinals }) => ordinals),
          );
          for (const group of context.foldable) {
            const gone = group.ordinals.filter((ordinal) => removed.has(ordinal)).length;
            assert.ok(gone === 0 || gone === group.ordinals.length);
          }
        }),
        runs(150),
      );
    });

    it("keeps every message in its place when it says so", () => {
      if (strategy.keepsMessages !== true) return;
      fc.assert(
        fc.property(strategyContexts, (context) => {
          for (const { action } of strategy.analyze(context)) assert.match(action, /^(?:clear|externalize)$/);
        }),
        runs(80),
      );
    });

    it("proposes no message twice, ascending within a proposal, and says why", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const proposals = strategy.analyze(context);
          const ordinals = proposals.flatMap((proposal) => proposal.ordinals);
          assert.equal(new Set(ordinals).size, ordinals.length);
          for (const proposal of proposals) {
            assert.deepEqual(
              [...proposal.ordinals].sort((a, b) => a - b),
              [...proposal.ordinals],
            );
            assert.notEqual(proposal.reason, "");
            assert.ok(proposal.estimatedTokensFreed > 0);
          }
        }),
        runs(150),
      );
    });

    it("frees no more than its messages take, by its own account", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          for (const proposal of strategy.analyze(context))
            assert.ok(proposal.estimatedTokensFreed <= takenBy(proposal, context), "it promises more than there is");
        }),
        runs(150),
      );
    });

    it("folds something, somewhere", () => {
      const contexts = fc.sample(strategyContexts, { numRuns: 200, seed: 1 });
      assert.ok(
        contexts.some((context) => strategy.analyze(context).length > 0),
        "it proposes nothing for any of 200 threads",
      );
    });

    it("changes nothing of what it is given", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const before = structuredClone({ foldable: context.foldable, config: context.config });
          strategy.analyze(frozen(context));
          assert.deepEqual({ foldable: context.foldable, config: context.config }, before);
        }),
        runs(80),
      );
    });

    it("is deterministic", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          assert.deepEqual(strategy.analyze(context), strategy.analyze(context));
        }),
        runs(80),
      );
    });
  });
}

/** Tokens of everything that a proposal takes, as the draft renders it now. */
function takenBy(proposal: CompactionProposal, { renderedTokens, shape }: StrategyContext): number {
  const gathered = proposal.action === "summarize" ? (proposal.gathers ?? []) : [];
  return [...gathered, ...proposal.ordinals].reduce((sum, ordinal) => sum + renderedTokens(shape.header(ordinal)), 0);
}

/** The same context, whose groups and figures cannot be written. */
function frozen(context: StrategyContext): StrategyContext {
  for (const group of context.foldable) {
    Object.freeze(group.ordinals);
    Object.freeze(group);
  }
  Object.freeze(context.foldable);
  Object.freeze(context.config);
  return Object.freeze(context);
}
