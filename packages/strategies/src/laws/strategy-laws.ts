import assert from "node:assert/strict";
import { clearTargetSchema } from "@threadfold/core";
import { forAll, type Law, type Trials } from "@threadfold/core/laws";
import fc from "fast-check";
import type { CompactionProposal, CompactionStrategy, StrategyContext } from "../strategy/compaction-strategy.ts";
import { strategyContexts } from "./strategy-context-arbitrary.ts";

/**
 * Returns the laws that every strategy must obey: it only proposes and never acts, it touches only foldable messages,
 * and the same input yields the same proposals. They are checked on generated threads, or on contexts of your own.
 */
export function strategyLaws(
  strategy: CompactionStrategy,
  { inputs = strategyContexts, times = 150 }: Trials<StrategyContext> = {},
): readonly Law[] {
  return [...forAll(inputs, strategyChecks(strategy), times), makesProgress(strategy, inputs)];
}

function strategyChecks(strategy: CompactionStrategy): readonly Law<StrategyContext>[] {
  const keepsMessages = check("keeps every message in its place when it says so", (context) => {
    for (const { action } of strategy.analyze(context))
      assert.match(action, /^(?:clear|externalize)$/, `it keeps no message in its place by the action ${action}`);
  });
  return [
    check("says who it is, and what is to be done with which messages", (context) => {
      assert.notEqual(strategy.name, "", "it has no name");
      assert.ok(Number.isFinite(strategy.aggressiveness), `its aggressiveness is ${strategy.aggressiveness}`);
      for (const proposal of strategy.analyze(context)) {
        const { name } = strategy;
        assert.equal(proposal.strategy, name, `a proposal of ${name} says that it is ${proposal.strategy}`);
        canBeDone(proposal, context.shape.length);
      }
    }),
    check("proposes only messages that may be folded", (context) => {
      const foldable = new Set(context.foldable.flatMap((group) => group.ordinals));
      for (const proposal of strategy.analyze(context)) {
        assert.ok(proposal.ordinals.length > 0, "a proposal names no message");
        for (const ordinal of proposal.ordinals)
          assert.ok(foldable.has(ordinal), `message ${ordinal} may not be folded`);
      }
    }),
    check("takes out whole groups or keeps every message in its place", (context) => {
      const removed = new Set(
        strategy
          .analyze(context)
          .filter(({ action }) => action === "summarize" || action === "drop")
          .flatMap(({ ordinals }) => ordinals),
      );
      for (const group of context.foldable) {
        const gone = group.ordinals.filter((ordinal) => removed.has(ordinal)).length;
        assert.ok(gone === 0 || gone === group.ordinals.length, `it takes ${gone} of the group ${group.ordinals}`);
      }
    }),
    ...(strategy.keepsMessages === true ? [keepsMessages] : []),
    check("proposes no message twice, ascending within a proposal, and says why", (context) => {
      const proposals = strategy.analyze(context);
      const ordinals = proposals.flatMap((proposal) => proposal.ordinals);
      assert.equal(new Set(ordinals).size, ordinals.length, "a message is proposed twice");
      for (const proposal of proposals) {
        assert.deepEqual(
          [...proposal.ordinals].sort((a, b) => a - b),
          [...proposal.ordinals],
          `a proposal names ${proposal.ordinals.join(", ")} in this order`,
        );
        assert.notEqual(proposal.reason, "", "a proposal has no reason");
        assert.ok(freedBy(proposal, proposals) > 0, "a proposal frees nothing");
      }
    }),
    check("frees no more than its messages take, by its own account", (context) => {
      for (const proposal of strategy.analyze(context))
        assert.ok(proposal.estimatedTokensFreed <= takenBy(proposal, context), "it promises more than there is");
    }),
    check("changes nothing of what it is given", (context) => {
      const before = structuredClone({ foldable: context.foldable, config: context.config });
      strategy.analyze(frozen(context));
      assert.deepEqual({ foldable: context.foldable, config: context.config }, before);
    }),
    check("is deterministic", (context) => {
      assert.deepEqual(strategy.analyze(context), strategy.analyze(context));
    }),
  ];
}

/** Checks what no type can: a strategy may be written without types, or read its proposals from a file. */
function canBeDone(proposal: CompactionProposal, messages: number): void {
  switch (proposal.action) {
    case "drop":
    case "externalize":
      return;
    case "clear":
      assert.ok((proposal.targets ?? []).length > 0, "it clears nothing of a message");
      for (const target of proposal.targets)
        assert.ok(clearTargetSchema.safeParse(target).success, `there is no target ${target}`);
      return;
    case "summarize":
      assert.ok(Array.isArray(proposal.absorbs), "a summary does not say what it absorbs");
      for (const [field, ordinals = []] of Object.entries({ gathers: proposal.gathers, overlap: proposal.overlap }))
        for (const ordinal of ordinals)
          assert.ok(
            Number.isInteger(ordinal) && ordinal >= 0 && ordinal < messages,
            `${field} names message ${ordinal}, which the thread does not have`,
          );
      return;
    default:
      assert.fail(`there is no action ${(proposal as { readonly action: unknown }).action}`);
  }
}

/** What a proposal frees, together with the proposals that drop the messages which its summary gathers. */
function freedBy(proposal: CompactionProposal, all: readonly CompactionProposal[]): number {
  const gathered = new Set(proposal.action === "summarize" ? proposal.gathers : []);
  return all
    .filter((one) => one === proposal || one.ordinals.some((ordinal) => gathered.has(ordinal)))
    .reduce((sum, { estimatedTokensFreed }) => sum + estimatedTokensFreed, 0);
}

/** A law whose assertions throw when it is broken. */
const check = (name: string, holds: (context: StrategyContext) => void): Law<StrategyContext> => ({
  name,
  broken: (context) => {
    holds(context);
    return null;
  },
});

/** Looks at all contexts together, because a strategy may have nothing to do in most of them. */
const makesProgress = (strategy: CompactionStrategy, inputs: fc.Arbitrary<StrategyContext>): Law => ({
  name: "folds something, somewhere",
  broken: () => {
    for (let seed = 1; seed <= 10; seed++) {
      const contexts = fc.sample(inputs, { numRuns: 20, seed });
      if (contexts.some((context) => strategy.analyze(context).length > 0)) return null;
    }
    return "it proposes nothing for any of 200 threads";
  },
});

/** Tokens of everything that a proposal takes, as the draft renders it now. */
function takenBy(proposal: CompactionProposal, { renderedTokens, shape }: StrategyContext): number {
  const gathered = proposal.action === "summarize" ? (proposal.gathers ?? []) : [];
  return [...gathered, ...proposal.ordinals].reduce((sum, ordinal) => sum + renderedTokens(shape.header(ordinal)), 0);
}

/** The same context, with its groups and configuration frozen. */
function frozen(context: StrategyContext): StrategyContext {
  for (const group of context.foldable) {
    Object.freeze(group.ordinals);
    Object.freeze(group);
  }
  Object.freeze(context.foldable);
  Object.freeze(context.config);
  return Object.freeze(context);
}
