import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freezeDeep } from "../json/freeze-deep.ts";
import { structuredSummaries, summaryAdditions, summaryChanges } from "../laws/summary-arbitrary.ts";
import { asMessageId, type MessageId } from "../model/ids.ts";
import {
  emptySummary,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  type SummarySection,
} from "./structured-summary.ts";
import {
  applySummaryChanges,
  mergeSummaries,
  resolvedItemSchema,
  type SummaryChange,
  summaryItemId,
} from "./summary-change.ts";

const span = { messageIds: ["m1", "m2", "m3", "m4"].map(asMessageId), firstTurn: 1, lastTurn: 4 };
const later = { messageIds: ["m5", "m6"].map(asMessageId), firstTurn: 5, lastTurn: 5 };
const first = structuredSummaries(span).map(freezeDeep);
const second = structuredSummaries(later).map(freezeDeep);
const withChanges = first.chain((previous) => fc.tuple(fc.constant(previous), summaryChanges(later, previous)));

type Filed = readonly [section: SummarySection, item: SummaryItem];
const itemsOf = (summary: StructuredSummary): readonly Filed[] =>
  SUMMARY_SECTIONS.flatMap((section) => summary[section].map((item): Filed => [section, item]));
const keysOf = (summary: StructuredSummary): readonly string[] =>
  itemsOf(summary).map(([section, { id }]) => `${section} ${id}`);
const addedBy = (changes: readonly SummaryChange[]): readonly string[] =>
  changes.flatMap((change) =>
    change.op === "add" ? [`${change.section} ${summaryItemId(change.section, change.item)}`] : [],
  );
const withoutRound = ({ round: _round, ...rest }: StructuredSummary) => rest;
const sourcesOf = (summary: StructuredSummary): ReadonlyMap<string, readonly MessageId[]> =>
  new Map(itemsOf(summary).map(([section, { id, sources }]) => [`${section} ${id}`, sources]));

describe("applySummaryChanges", () => {
  it("lets nothing disappear without a record: what was there or added is there, or was resolved by name", () => {
    fc.assert(
      fc.property(withChanges, ([previous, changes]) => {
        const { summary, resolved } = applySummaryChanges(previous, later, changes);
        const taken = new Set(resolved.map(({ section, item }) => `${section} ${item.id}`));
        const present = new Set(keysOf(summary));
        for (const key of [...keysOf(previous), ...addedBy(changes)])
          expect(present.has(key) || taken.has(key)).toBe(true);
        for (const record of resolved) expect(resolvedItemSchema.safeParse(record).success).toBe(true);
        const named = new Set(
          changes.flatMap((change) =>
            change.op === "resolve" || change.op === "supersede" ? [`${change.section} ${change.itemId}`] : [],
          ),
        );
        for (const key of taken) expect(named.has(key)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps every source of an item that no change took out", () => {
    fc.assert(
      fc.property(withChanges, ([previous, changes]) => {
        const { summary, resolved } = applySummaryChanges(previous, later, changes);
        const taken = new Set(resolved.map(({ section, item }) => `${section} ${item.id}`));
        const now = sourcesOf(summary);
        for (const [key, sources] of sourcesOf(previous)) {
          if (!taken.has(key)) expect(now.get(key)).toEqual(expect.arrayContaining([...sources]));
        }
        for (const sources of now.values()) expect(new Set(sources).size).toBe(sources.length);
      }),
      { numRuns: 200 },
    );
  });

  it("is idempotent for additions: adding once more changes nothing but the round", () => {
    fc.assert(
      fc.property(first, summaryAdditions(later), (previous, changes) => {
        const once = applySummaryChanges(previous, later, changes).summary;
        const twice = applySummaryChanges(once, later, changes).summary;
        const doubled = applySummaryChanges(previous, later, [...changes, ...changes]).summary;
        expect(withoutRound(twice)).toEqual(withoutRound(once));
        expect(doubled).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps old items in their order before new ones", () => {
    fc.assert(
      fc.property(first, summaryAdditions(later), (previous, changes) => {
        const { summary } = applySummaryChanges(previous, later, changes);
        for (const section of SUMMARY_SECTIONS) {
          const before = previous[section].map(({ id }) => id);
          expect(summary[section].map(({ id }) => id).slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("never overwrites the original task", () => {
    fc.assert(
      fc.property(first, summaryChanges(later), fc.string(), (previous, changes, text) => {
        const attack: SummaryChange = { op: "set-original-task", task: { text, sources: [] } };
        const { summary } = applySummaryChanges(previous, later, [...changes, attack]);
        if (previous.originalTask !== null) expect(summary.originalTask).toEqual(previous.originalTask);
        else expect(summary.originalTask).not.toBeNull();
        const again = applySummaryChanges(summary, later, [
          { op: "set-original-task", task: { text: `${text}!`, sources: [] } },
        ]);
        expect(again.summary.originalTask).toEqual(summary.originalTask);
      }),
      { numRuns: 200 },
    );
  });

  it("ignores changes of items that it does not know", () => {
    fc.assert(
      fc.property(first, (previous) => {
        const unknown = SUMMARY_SECTIONS.flatMap((section): SummaryChange[] => [
          { op: "resolve", section, itemId: "ffffffffffff", reason: "x" },
          {
            op: "supersede",
            section,
            itemId: "ffffffffffff",
            item: { text: "intruder", sources: [] },
          } as SummaryChange,
        ]);
        const { summary, resolved } = applySummaryChanges(previous, previous.span, unknown);
        expect(withoutRound(summary)).toEqual(withoutRound(previous));
        expect(resolved).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("puts a successor in the place of what it supersedes, and says so", () => {
    const open = {
      description: "run tests",
      context: "",
      priority: "high",
      status: "open",
      sources: span.messageIds,
    } as const;
    const before = applySummaryChanges(null, span, [{ op: "add", section: "openItems", item: open }]).summary;
    const itemId = before.openItems[0]?.id ?? "";
    const { summary, resolved } = applySummaryChanges(before, later, [
      { op: "supersede", section: "openItems", itemId, item: { ...open, status: "done" } },
    ]);
    expect(summary.openItems.map(({ status }) => status)).toEqual(["done"]);
    expect(resolved).toEqual([{ section: "openItems", item: before.openItems[0], reason: "superseded" }]);
  });

  it("leaves its input alone, and counts rounds from 1", () => {
    fc.assert(
      fc.property(withChanges, ([previous, changes]) => {
        const copy = structuredClone(previous);
        expect(applySummaryChanges(previous, later, freezeDeep(changes)).summary).toMatchObject({
          span: later,
          round: previous.round + 1,
        });
        expect(previous).toEqual(copy);
        expect(applySummaryChanges(null, span, changes).summary).toMatchObject({ span, round: 1 });
      }),
      { numRuns: 100 },
    );
  });

  it("loses no constraint and no open item in ten folds that only add", () => {
    fc.assert(
      fc.property(fc.array(summaryAdditions(span), { minLength: 10, maxLength: 10 }), (folds) => {
        const summary = folds.reduce<StructuredSummary | null>(
          (previous, changes) => applySummaryChanges(previous, span, changes).summary,
          null,
        );
        const kept = new Set(keysOf(summary as StructuredSummary));
        for (const key of folds.flatMap(addedBy)) expect(kept.has(key)).toBe(true);
        expect(summary?.round).toBe(10);
      }),
      { numRuns: 50 },
    );
  });
});

describe("summaryItemId", () => {
  it("depends on section and content, never on where it was seen or in which order its fields stand", () => {
    const item = { text: "a", sources: span.messageIds };
    expect(summaryItemId("facts", item)).toBe(summaryItemId("facts", { sources: [], text: "a" } as never));
    expect(summaryItemId("facts", item)).toMatch(/^[0-9a-f]{12}$/);
    const ids = [
      summaryItemId("facts", item),
      summaryItemId("constraints", item),
      summaryItemId("originalTask", item),
      summaryItemId("facts", { ...item, text: "b" } as never),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describe("mergeSummaries", () => {
  const both = { messageIds: [...span.messageIds, ...later.messageIds], firstTurn: 1, lastTurn: 5 };

  it("holds the items and sources of both, and of nobody else", () => {
    fc.assert(
      fc.property(first, second, (a, b) => {
        const merged = sourcesOf(mergeSummaries(a, b, both));
        const parts = [sourcesOf(a), sourcesOf(b)];
        expect(new Set(merged.keys())).toEqual(new Set(parts.flatMap((part) => [...part.keys()])));
        for (const [key, sources] of merged) {
          expect(new Set(sources)).toEqual(new Set(parts.flatMap((part) => part.get(key) ?? [])));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is associative, so that it does not matter which neighbours are folded first", () => {
    const third = structuredSummaries({ messageIds: [asMessageId("m7")], firstTurn: 6, lastTurn: 6 });
    fc.assert(
      fc.property(first, second, third, (a, b, c) => {
        const left = mergeSummaries(mergeSummaries(a, b, both), c, both);
        const right = mergeSummaries(a, mergeSummaries(b, c, both), both);
        expect(withoutRound(left)).toEqual(withoutRound(right));
      }),
      { numRuns: 150 },
    );
  });

  it("with itself or with an empty summary is itself", () => {
    fc.assert(
      fc.property(first, (a) => {
        for (const merged of [
          mergeSummaries(a, a, span),
          mergeSummaries(a, emptySummary(span), span),
          mergeSummaries(emptySummary(span), a, span),
        ]) {
          expect(withoutRound(merged)).toEqual(withoutRound(a));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("takes the first task, and the last state", () => {
    fc.assert(
      fc.property(first, second, (a, b) => {
        const merged = mergeSummaries(a, b, both);
        expect(merged.originalTask).toEqual(a.originalTask ?? b.originalTask);
        expect(merged.currentTask).toEqual(b.currentTask ?? a.currentTask);
        expect(merged.currentPlan).toEqual(b.currentPlan ?? a.currentPlan);
        expect([merged.span, merged.round]).toEqual([both, 2]);
      }),
      { numRuns: 150 },
    );
  });
});
