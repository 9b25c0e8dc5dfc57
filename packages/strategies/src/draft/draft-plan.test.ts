import {
  asArtifactId,
  asMessageId,
  type ClearTarget,
  emptySummary,
  type MessageHeader,
  NO_RECORDS,
  type PlanRecord,
  type PlanRecords,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import { scriptThread } from "../laws/script-thread.ts";
import { contextOf, strategyContexts } from "../laws/strategy-context-arbitrary.ts";
import {
  type CompactionProposal,
  PLACEHOLDER_TOKENS,
  POINTER_TOKENS,
  pointerTokens,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";
import { DraftPlan } from "./draft-plan.ts";
import { unreadProposals, unreadResults } from "./unread-results.ts";

const base = { strategy: "test", reason: "a test", estimatedTokensFreed: 1 };
const headersOf = ({ shape }: StrategyContext): readonly MessageHeader[] =>
  Array.from({ length: shape.length }, (_, ordinal) => shape.header(ordinal));
const draftOf = ({ shape }: StrategyContext, records: PlanRecords = NO_RECORDS): DraftPlan =>
  new DraftPlan(records, shape);

const SHARES: readonly [ClearTarget, keyof MessageHeader["shares"]][] = [
  ["tool-result", "toolResult"],
  ["tool-input", "toolInput"],
  ["reasoning", "reasoning"],
  ["media", "media"],
  ["text", "text"],
];

describe("a draft plan", () => {
  it("counts each message at its own size until something holds it", () => {
    fc.assert(
      fc.property(strategyContexts, (context) => {
        const draft = draftOf(context);
        expect(draft.isUnchanged).toBe(true);
        for (const header of headersOf(context)) expect(draft.renderedTokens(header)).toBe(header.tokens);
      }),
      runs(100, 2_000),
    );
  });

  it("counts nothing for a dropped message, and the placeholder and kept ends for a cleared one", () => {
    const targets = fc.subarray([...SHARES], { minLength: 1 });
    const ends = fc.option(fc.record({ headCharacters: fc.nat(900), tailCharacters: fc.nat(900) }), { nil: undefined });
    fc.assert(
      fc.property(strategyContexts, targets, ends, (context, cleared, keep) => {
        const [dropping, clearing] = [draftOf(context), draftOf(context)];
        for (const header of headersOf(context)) {
          const ordinals = [header.ordinal];
          dropping.choose({ ...base, action: "drop", ordinals });
          expect(dropping.renderedTokens(header)).toBe(0);
          const names = cleared.map(([target]) => target);
          clearing.choose({ ...base, action: "clear", ordinals, targets: names, ...(keep !== undefined && { keep }) });
          const gone = cleared.reduce((sum, [, share]) => sum + header.shares[share], 0);
          const kept = keep === undefined ? 0 : Math.ceil((keep.headCharacters + keep.tailCharacters) / 4);
          expect(clearing.renderedTokens(header) - PLACEHOLDER_TOKENS - kept).toBe(header.tokens - gone);
        }
      }),
      runs(100, 2_000),
    );
  });

  it("frees exactly what the proposal promised for an externalized body", () => {
    let seen = 0;
    fc.assert(
      fc.property(strategyContexts, (context) => {
        const draft = draftOf(context);
        for (const proposal of externalizeStrategy.analyze(context)) {
          const header = context.shape.header(proposal.ordinals[0] as number);
          draft.choose(proposal);
          expect(header.tokens - draft.renderedTokens(header)).toBe(proposal.estimatedTokensFreed);
          seen++;
        }
      }),
      { ...runs(200, 2_000), seed: 1 },
    );
    expect(seen).toBeGreaterThan(0);
  });

  it("gives each message to the proposal chosen last, and removes proposals that hold none", () => {
    const rungs = fc.shuffledSubarray([dropStrategy, summarizeStrategy, externalizeStrategy], { minLength: 1 });
    fc.assert(
      fc.property(strategyContexts, rungs, (context, ladder) => {
        const draft = draftOf(context);
        const last = new Map<number, CompactionProposal>();
        for (const proposal of ladder.flatMap((strategy) => strategy.analyze(context))) {
          draft.choose(proposal);
          for (const ordinal of proposal.ordinals) last.set(ordinal, proposal);
        }
        for (const header of headersOf(context)) expect(draft.heldBy(header.ordinal)).toBe(last.get(header.ordinal));
        const held = draft.proposals.flatMap(({ ordinals }) => ordinals);
        expect(held.toSorted((a, b) => a - b)).toEqual([...last.keys()].sort((a, b) => a - b));
        for (const { ordinals } of draft.proposals) expect(ordinals).not.toEqual([]);
        expect(draft.isUnchanged).toBe(last.size === 0);
      }),
      runs(100, 2_000),
    );
  });
});

const tokens = (label: string): number => (label.startsWith("t") ? 2_000 : 50);
const context = contextOf(scriptThread("s u1 a1 t1 a2 t2 u2 a3 t3", tokens), 1_000);
const headerOf = (id: string): MessageHeader => {
  const header = context.shape.headerOf(asMessageId(id));
  if (header === undefined) throw new Error(`There is no message ${id}.`);
  return header;
};

function recordOf<Rest extends object>(ids: readonly string[], rest: Rest) {
  const span = context.shape.spanOf(ids.map((id) => headerOf(id).ordinal));
  return { span, strategy: "test", reason: "a test", sincePlanVersion: 1, originalTokens: 2_000, ...rest };
}

const preview = { headCharacters: 1_200, tailCharacters: 300, leftOutTokens: 1_700 };
const cleared = recordOf(["t1"], { action: "clear", targets: ["tool-result"], preservedFields: {}, keep: preview });
const stored = recordOf(["t2"], {
  ...{ action: "externalize", form: "body", artifactId: asArtifactId("b".repeat(24)) },
  ...{ summary: emptySummary(context.shape.spanOf([headerOf("t2").ordinal])), rehydrateHint: "", preview },
});
const dropped = recordOf(["u1", "a1"], { action: "drop", keywords: [] });
const records = {
  ...NO_RECORDS,
  clearings: [cleared],
  externalizations: [stored],
  drops: [dropped],
} as unknown as PlanRecords;

describe("a draft plan of a thread that was folded before", () => {
  it("starts with the records of the plan, each holding its own messages", () => {
    const draft = draftOf(context, records);
    expect(draft.isUnchanged).toBe(true);
    expect(draft.heldBy(headerOf("u1").ordinal)).toBe(dropped);
    expect(draft.heldBy(headerOf("t2").ordinal)).toBe(stored);
    expect(draft.heldBy(headerOf("t3").ordinal)).toBeUndefined();
    expect(new Set(draft.keptRecords)).toEqual(new Set<unknown>([cleared, stored, dropped]));
    expect(draft.renderedTokens(headerOf("t1"))).toBe(headerOf("t1").tokens - 1_700 + POINTER_TOKENS);
  });

  it("shrinks the preview of a result once it was read, and returns the tokens freed", () => {
    const draft = draftOf(context, records);
    for (const id of ["t1", "t2"]) {
      const header = headerOf(id);
      const before = draft.renderedTokens(header);
      const freed = draft.shrinkRead(header.ordinal);
      expect(freed).toBeGreaterThan(0);
      expect(draft.renderedTokens(header)).toBe(before - freed);
      expect(draft.shrinkRead(header.ordinal)).toBe(0);
    }
    expect(draft.isUnchanged).toBe(false);
    const kept = draft.keptRecords as readonly (PlanRecord & { preview?: unknown; keep?: unknown })[];
    const of = (action: string) => kept.find((record) => record.action === action);
    expect(of("externalize")).toMatchObject({ artifactId: stored.artifactId });
    expect(of("externalize")).not.toHaveProperty("preview");
    expect(of("clear")?.keep).toEqual({ headCharacters: 400, tailCharacters: 300 });
  });

  it("frees nothing for messages without an unread result", () => {
    const draft = draftOf(context, records);
    for (const id of ["s", "u1", "a1", "t3"]) expect(draft.shrinkRead(headerOf(id).ordinal)).toBe(0);
    expect(draft.isUnchanged).toBe(true);
  });

  it("yields every few thousand messages while it applies a proposal for a hundred thousand", () => {
    const draft = draftOf(context);
    const ordinals = Array.from({ length: 100_000 }, (_, ordinal) => ordinal);
    const proposal: CompactionProposal = { ...base, action: "drop", ordinals };
    const taken: number[] = [];
    for (const _ of draft.chooseInSteps(proposal))
      taken.push(ordinals.findIndex((at) => draft.heldBy(at) === undefined));
    expect(taken.length).toBeGreaterThan(20);
    expect(Math.max(...taken.map((count, step) => count - (taken[step - 1] ?? 0)))).toBeLessThan(5_000);
    expect(ordinals.every((ordinal) => draft.heldBy(ordinal) === proposal)).toBe(true);
  });

  it("starts in steps with the same records, of however many messages", () => {
    const long = contextOf(scriptThread(Array.from({ length: 20_000 }, (_, at) => `u${at}`).join(" ")), 1);
    const record = { ...dropped, span: long.shape.spanOf(Array.from({ length: 19_000 }, (_, ordinal) => ordinal)) };
    const plan = { ...NO_RECORDS, drops: [record] } as unknown as PlanRecords;
    const steps = DraftPlan.inSteps(plan, long.shape);
    let [step, taken] = [steps.next(), 0];
    for (; step.done !== true; step = steps.next()) taken++;
    expect(taken).toBeGreaterThan(19_000 / 4_096);
    expect(step.value.keptRecords).toEqual([record]);
    expect(step.value.keptRecords).toEqual(draftOf(long, plan).keptRecords);
  });

  it("counts a summary at its first message, and a planned one as nothing yet", () => {
    const summary = recordOf(["u1", "a1", "t1"], { action: "summarize", summaryTokens: 33, absorbs: [] });
    const draft = draftOf(context, { ...NO_RECORDS, summarizations: [summary] } as unknown as PlanRecords);
    expect(["u1", "a1", "t1", "a2"].map((id) => draft.renderedTokens(headerOf(id)))).toEqual([
      ...[33, 0, 0, headerOf("a2").tokens],
    ]);
    const ordinals = ["a2", "t2"].map((id) => headerOf(id).ordinal);
    draft.choose({ ...base, action: "summarize", absorbs: [], ordinals });
    expect(["a2", "t2"].map((id) => draft.renderedTokens(headerOf(id)))).toEqual([0, 0]);
  });

  it("holds the messages it finds of a record whose span has missing or reordered messages", () => {
    const span = { ...dropped.span, messageIds: [asMessageId("a1"), asMessageId("gone"), asMessageId("u1")] };
    const draft = draftOf(context, { ...NO_RECORDS, drops: [{ ...dropped, span }] } as unknown as PlanRecords);
    expect(["u1", "a1", "t1"].map((id) => draft.heldBy(headerOf(id).ordinal) !== undefined)).toEqual([
      ...[true, true, false],
    ]);
  });

  it("keeps the messages of a record that no proposal took from it", () => {
    const draft = draftOf(context, records);
    draft.choose({ ...base, action: "drop", ordinals: [headerOf("t1").ordinal] });
    expect(new Set(draft.keptRecords.map(({ action }) => action))).toEqual(new Set(["externalize", "drop"]));
    draft.choose({ ...base, action: "clear", targets: ["text"], ordinals: [headerOf("u1").ordinal] });
    const rest = draft.keptRecords.find(({ action }) => action === "drop");
    expect(rest?.span.messageIds).toEqual(["a1"]);
  });
});

describe("tool results that no model has read", () => {
  it("are those after the last assistant message", () => {
    expect(unreadResults(context.shape)).toEqual([headerOf("t3").ordinal]);
    expect(unreadResults(contextOf(scriptThread("u1 a1 t1 t2"), 1).shape)).toEqual([2, 3]);
    expect(unreadResults(contextOf(scriptThread("u1 a1 t1 a2 u2"), 1).shape)).toEqual([]);
  });

  it("are externalized if storing is allowed, and otherwise cut to their two ends", () => {
    const { ordinal, shares } = headerOf("t3");
    const ask = (changes: object = {}) =>
      unreadProposals([ordinal], { ...context, heldBy: () => undefined, mayStore: () => true, ...changes });
    const freed = shares.toolResult - pointerTokens(shares.toolResult);
    expect(ask()).toMatchObject([{ action: "externalize", ordinals: [ordinal], estimatedTokensFreed: freed }]);
    const shortened = {
      ...{ action: "clear", targets: ["tool-result"], estimatedTokensFreed: shares.toolResult - PLACEHOLDER_TOKENS },
      keep: { headCharacters: 0, tailCharacters: 0, leftOutTokens: shares.toolResult },
    };
    expect(ask({ mayStore: () => false })).toMatchObject([shortened]);
    expect(ask({ config: { ...context.config, enableExternalization: false } })).toMatchObject([shortened]);
    expect(ask({ heldBy: () => dropped })).toEqual([]);
    expect(ask({ heldBy: () => cleared })).toHaveLength(1);
    expect(unreadProposals([headerOf("s").ordinal], { ...context, mayStore: () => true })).toEqual([]);
  });
});

describe("a long text pasted by a user", () => {
  it("is externalized only above four times the threshold for results", () => {
    const pasted = (size: number) => {
      const thread = scriptThread("u1 a1 u2 a2 u3", (label) => (label === "u1" ? size : 50));
      return externalizeStrategy
        .analyze(contextOf(thread, 100_000))
        .map(({ ordinals, reason }) => ({ ordinals, reason }));
    };
    expect(pasted(400)).toEqual([]);
    expect(pasted(600)).toEqual([
      { ordinals: [0], reason: expect.stringMatching(/^The user message takes 5\d\d tokens/) },
    ]);
  });
});
