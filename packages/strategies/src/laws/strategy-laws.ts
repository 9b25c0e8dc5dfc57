import assert from "node:assert/strict";
import {
  type ArtifactId,
  applySummaryChanges,
  artifactIdOf,
  canonicalJson,
  clearTargetSchema,
  type KeptEnds,
  type Message,
  type MessageId,
  type SpanReference,
  sourcedItems,
  spanOf,
} from "@threadfold/core";
import { forAll, type Law, type Trials } from "@threadfold/core/laws";
import fc from "fast-check";
import { durableProposals } from "../durability/durability-policy.ts";
import type {
  CompactionProposal,
  CompactionStrategy,
  OwnRecord,
  StrategyContext,
} from "../strategy/compaction-strategy.ts";
import { strategyContexts, threadOf } from "./strategy-context-arbitrary.ts";

/**
 * Returns the laws that every strategy must obey: it only proposes and never acts, it touches only foldable messages,
 * and the same input yields the same proposals; if it makes its own records, they are those of its proposals. They are
 * checked on generated threads, or on contexts of your own; records only on threads that were generated here.
 */
export function strategyLaws(
  strategy: CompactionStrategy,
  { inputs = strategyContexts, times = 150 }: Trials<StrategyContext> = {},
): readonly Law[] {
  const given = strategy.keepsMessages === true ? inputs.map(inParts) : inputs;
  return [...forAll(given, strategyChecks(strategy), times), makesProgress(strategy, given)];
}

/**
 * The same context, in which the newest group lacks a message: a strategy that keeps every message in its place may be
 * given part of a group.
 */
function inParts(context: StrategyContext): StrategyContext {
  const newest = context.foldable.findLast(({ ordinals }) => ordinals.length > 1);
  const foldable = context.foldable.map((group) =>
    group === newest ? { ...group, ordinals: group.ordinals.slice(0, -1) } : group,
  );
  return { ...context, foldable };
}

function strategyChecks(strategy: CompactionStrategy): readonly Law<StrategyContext>[] {
  const keepsMessages = check("keeps every message in its place when it says so", (context) => {
    for (const { action } of strategy.analyze(context))
      assert.match(action, /^(?:clear|externalize)$/, `it keeps no message in its place by the action ${action}`);
  });
  return [
    // The first, and with a copy of its own: one that changes its input would change it for the other laws, too.
    check("changes nothing of what it is given", (context) => {
      const before = structuredClone({ foldable: context.foldable, config: context.config });
      const given = frozen({ ...context, ...structuredClone(before) });
      strategy.analyze(given);
      assert.deepEqual({ foldable: given.foldable, config: given.config }, before);
    }),
    check("says who it is, and what is to be done with which messages", (context) => {
      assert.ok(isText(strategy.name), "it has no name");
      assert.ok(Number.isFinite(strategy.aggressiveness), `its aggressiveness is ${strategy.aggressiveness}`);
      for (const proposal of strategy.analyze(context)) {
        const { name } = strategy;
        assert.equal(proposal.strategy, name, `a proposal of ${name} says that it is ${proposal.strategy}`);
        canBeDone(proposal, context);
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
        assert.ok(isText(proposal.reason), "a proposal has no reason");
        assert.ok(freedBy(proposal, proposals) > 0, "a proposal frees nothing");
      }
    }),
    check("frees no more than its messages take, by its own account", (context) => {
      for (const proposal of strategy.analyze(context))
        assert.ok(proposal.estimatedTokensFreed <= takenBy(proposal, context), "it promises more than there is");
    }),
    check("is deterministic", (context) => {
      assert.deepEqual(strategy.analyze(context), strategy.analyze(context));
    }),
    ...(strategy.execute === undefined ? [] : [makesRecords(strategy, strategy.execute)]),
  ];
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Checks what no type can: a strategy may be written without types, or read its proposals from a file. */
function canBeDone(proposal: CompactionProposal, context: StrategyContext): void {
  switch (proposal.action) {
    case "drop":
    case "externalize":
      return;
    case "clear":
      assert.ok((proposal.targets ?? []).length > 0, "it clears nothing of a message");
      for (const target of proposal.targets)
        assert.ok(clearTargetSchema.safeParse(target).success, `there is no target ${target}`);
      if (proposal.keep !== undefined) canBeKept(proposal.keep);
      return;
    case "summarize":
      canBeSummarized(proposal, context);
      return;
    default:
      assert.fail(`there is no action ${(proposal as { readonly action: unknown }).action}`);
  }
}

function canBeKept({ headCharacters: head, tailCharacters: tail }: KeptEnds): void {
  const areLengths = [head, tail].every((length) => Number.isSafeInteger(length) && length >= 0);
  assert.ok(areLengths, `it keeps ${head} and ${tail} characters`);
}

function canBeSummarized(
  { absorbs, gathers, overlap, ordinals }: CompactionProposal & { readonly action: "summarize" },
  { heldBy, shape }: StrategyContext,
): void {
  assert.ok(Array.isArray(absorbs), "a summary does not say what it absorbs");
  for (const [field, named = []] of Object.entries({ gathers, overlap })) {
    const isAscending = named.every((ordinal, index) => index === 0 || (named[index - 1] as number) < ordinal);
    for (const ordinal of named) {
      const isThere = Number.isInteger(ordinal) && ordinal >= 0 && ordinal < shape.length;
      assert.ok(isThere, `${field} names message ${ordinal}, which the thread does not have`);
      assert.ok(isAscending, `${field} names ${named.join(", ")} in this order`);
      assert.ok(!ordinals.includes(ordinal), `${field} names message ${ordinal}, which the summary stands for`);
    }
  }
  const holds = new Set([...(gathers ?? []), ...ordinals].map((ordinal) => heldBy(ordinal)));
  for (const summary of absorbs) assert.ok(holds.has(summary), "it absorbs a summary that holds none of its messages");
}

/** The number of proposals of one context that a strategy makes records of. */
const RECORDS = 4;

/** Asks for the records of proposals, as a fold would: each twice, and with the actions that durability leaves them. */
function makesRecords(
  strategy: CompactionStrategy,
  execute: NonNullable<CompactionStrategy["execute"]>,
): Law<StrategyContext> {
  return check("makes records of its proposals, or none", async (context) => {
    const thread = threadOf(context);
    if (thread === undefined) return;
    const proposals = strategy
      .analyze(context)
      .slice(0, RECORDS)
      .flatMap((made) => durableProposals(made, context.shape, () => "unverifiable", context.config));
    for (const proposal of [...proposals, ...proposals]) {
      const stored = new Set<ArtifactId>();
      const messages = proposal.ordinals.map((ordinal) => thread.messageAt(ordinal) as Message);
      const span = spanOf(messages);
      const record = await execute.call(strategy, proposal, {
        ...{ messages, span, maxTokens: context.summaryMaxTokens, countTokens: (text) => Math.ceil(text.length / 4) },
        store: async (text) => {
          const artifactId = artifactIdOf(thread.id, null, text);
          stored.add(artifactId);
          return artifactId;
        },
      });
      if (record !== null) isRecordOf(proposal, record, { stored, span });
    }
  });
}

function isRecordOf(
  { action }: CompactionProposal,
  record: OwnRecord,
  { stored, span }: { readonly stored: ReadonlySet<ArtifactId>; readonly span: SpanReference },
): void {
  assert.equal(record?.action, action, `its record says ${record?.action}, and the proposal ${action}`);
  switch (record.action) {
    case "externalize": {
      const isStored = record.artifactId === undefined ? record.form !== "span" : stored.has(record.artifactId);
      assert.ok(isStored, "its record points to an artifact that was not stored for it");
      return;
    }
    case "clear":
      assert.doesNotThrow(() => canonicalJson(record.preservedFields), "its record preserves what is no JSON");
      return;
    case "summarize": {
      assert.ok(Array.isArray(record.changes), "its record makes no changes to a summary");
      const { summary } = applySummaryChanges(null, span, record.changes);
      const known = new Set<MessageId>(span.messageIds);
      for (const source of sourcedItems(summary).flatMap(({ sources }) => sources))
        assert.ok(known.has(source), `its summary cites message ${source}, which it does not stand for`);
      return;
    }
    case "drop":
      assert.ok(Array.isArray(record.keywords) && record.keywords.every(isText), "its record names no keywords");
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
const check = (name: string, holds: (context: StrategyContext) => void | Promise<void>): Law<StrategyContext> => ({
  name,
  broken: async (context) => {
    await holds(context);
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
