import fc from "fast-check";
import { runs } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import type { CompactionStrategy } from "../ladder/compaction-strategy.ts";
import { strategyContexts } from "./strategy-context-arbitrary.ts";

/** What every strategy must hold: it proposes and never acts, on foldable messages alone, the same for the same input. */
export function strategyLaws(strategy: CompactionStrategy): void {
  describe(`${strategy.name} strategy`, () => {
    it("proposes only messages that may be folded", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const foldable = new Set(context.foldable.flatMap((group) => group.ordinals));
          for (const proposal of strategy.analyze(context)) {
            expect(proposal.ordinals.length).toBeGreaterThan(0);
            for (const ordinal of proposal.ordinals) expect(foldable.has(ordinal)).toBe(true);
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
            expect([0, group.ordinals.length]).toContain(gone);
          }
        }),
        runs(150),
      );
    });

    it("proposes no message twice, ascending within a proposal, and says why", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          const proposals = strategy.analyze(context);
          const ordinals = proposals.flatMap((proposal) => proposal.ordinals);
          expect(new Set(ordinals).size).toBe(ordinals.length);
          for (const proposal of proposals) {
            expect([...proposal.ordinals].sort((a, b) => a - b)).toEqual(proposal.ordinals);
            expect(proposal.reason).not.toBe("");
            expect(proposal.estimatedTokensFreed).toBeGreaterThan(0);
          }
        }),
        runs(150),
      );
    });

    it("is deterministic", () => {
      fc.assert(
        fc.property(strategyContexts, (context) => {
          expect(strategy.analyze(context)).toEqual(strategy.analyze(context));
        }),
        runs(80),
      );
    });
  });
}
