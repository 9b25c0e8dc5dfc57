import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freezeDeep } from "../json/json-value.ts";
import { structuredSummaries, summaryAdditions, summaryChanges } from "../laws/plan-record-arbitrary.ts";
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
  summarySubject,
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
/** What each item is about; a later item on the same subject stands in its place. */
const subjectsOf = (summary: StructuredSummary): ReadonlyMap<string, SummaryItem> =>
  new Map(itemsOf(summary).map(([section, item]) => [`${section} ${summarySubject(section, item)}`, item]));
const addedBy = (changes: readonly SummaryChange[]): readonly string[] =>
  changes.flatMap((change) =>
    change.op === "add" ? [`${change.section} ${summaryItemId(change.section, change.item)}`] : [],
  );
type Subjects = ReturnType<typeof subjectsOf>;
const join = (...parts: Parameters<typeof mergeSummaries>): StructuredSummary => mergeSummaries(...parts).summary;
const withoutRound = ({ round: _round, ...rest }: StructuredSummary) => rest;
const sourcesOf = (summary: StructuredSummary): ReadonlyMap<string, readonly MessageId[]> =>
  new Map(itemsOf(summary).map(([section, { id, sources }]) => [`${section} ${id}`, sources]));

describe("applySummaryChanges", () => {
  it("loses no item without a record: each is still present or recorded as resolved", () => {
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
        const told = new Set([
          ...subjectsOf(summary).keys(),
          ...resolved.map(({ section, item }) => `${section} ${summarySubject(section, item)}`),
        ]);
        for (const { section, item, reason } of resolved) {
          if (named.has(`${section} ${item.id}`)) continue;
          expect(reason).toBe("superseded");
          expect(told.has(`${section} ${summarySubject(section, item)}`)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps every source of an item that was not resolved", () => {
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

  it("is idempotent for additions apart from the round", () => {
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

  it("keeps old items in order before new ones", () => {
    fc.assert(
      fc.property(first, summaryAdditions(later), (previous, changes) => {
        const { summary } = applySummaryChanges(previous, later, changes);
        for (const section of SUMMARY_SECTIONS) {
          const subjects = (items: readonly SummaryItem[]) => items.map((item) => summarySubject(section, item));
          const before = subjects(previous[section]);
          expect(subjects(summary[section]).slice(0, before.length)).toEqual(before);
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

  it("ignores changes to unknown items", () => {
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

  it("puts a successor in the place of the superseded item, and records it as resolved", () => {
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

  it("leaves its input unchanged, and counts rounds from 1", () => {
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

  it("spec-43 loses no constraint or open item in ten folds that only add", () => {
    fc.assert(
      fc.property(fc.array(summaryAdditions(span), { minLength: 10, maxLength: 10 }), (folds) => {
        const summary = folds.reduce<StructuredSummary | null>(
          (previous, changes) => applySummaryChanges(previous, span, changes).summary,
          null,
        );
        const kept = new Set(subjectsOf(summary as StructuredSummary).keys());
        const added = folds.flatMap((changes) => [
          ...subjectsOf(applySummaryChanges(null, span, changes).summary).keys(),
        ]);
        for (const subject of added) expect(kept.has(subject)).toBe(true);
        expect(summary?.round).toBe(10);
      }),
      { numRuns: 50 },
    );
  });
});

describe("summaryItemId", () => {
  it("depends only on section and content, not on sources or field order", () => {
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

  it("holds exactly the subjects and sources of both, and records superseded items", () => {
    fc.assert(
      fc.property(first, second, (a, b) => {
        const { summary, resolved } = mergeSummaries(a, b, both);
        const [merged, left, right] = [summary, a, b].map(subjectsOf) as [Subjects, Subjects, Subjects];
        expect(new Set(merged.keys())).toEqual(new Set([...left.keys(), ...right.keys()]));
        for (const [subject, item] of merged) {
          const parts = [left.get(subject), right.get(subject)].filter((part) => part !== undefined);
          // A file is told once, with the changes of both.
          if (!subject.startsWith("files ")) expect(item.id).toBe(parts.at(-1)?.id);
          expect(new Set(item.sources)).toEqual(new Set(parts.flatMap(({ sources }) => sources)));
        }
        const gone = new Set(resolved.map(({ section, item }) => `${section} ${item.id}`));
        const present = new Set(keysOf(summary));
        for (const key of [...keysOf(a), ...keysOf(b)]) expect(present.has(key)).toBe(!gone.has(key));
      }),
      { numRuns: 400 },
    );
  });

  it("joins differently spelled paths of one file, and keeps a command's newest run", () => {
    const [early, late] = [span.messageIds.slice(0, 1), later.messageIds.slice(0, 1)];
    const run = { toolName: "bash", outcome: "success", errorMessage: null } as const;
    const file = {
      path: "src/plan.ts",
      action: "created",
      description: "the plan",
      changes: 2,
      changed: ["seal"],
    } as const;
    const before = applySummaryChanges(null, span, [
      { op: "add", section: "files", item: { ...file, sources: early } },
      {
        op: "add",
        section: "toolOutcomes",
        item: { ...run, keyFields: { command: "npm test", result: "2 failed" }, sources: early },
      },
    ]).summary;
    const again = {
      path: "/home/me/app/src/plan.ts",
      action: "modified",
      description: "",
      changes: 3,
      changed: ["parse", "seal"],
    } as const;
    const after = applySummaryChanges(null, later, [
      { op: "add", section: "files", item: { ...again, sources: late } },
      {
        op: "add",
        section: "toolOutcomes",
        item: { ...run, keyFields: { command: "npm test", result: "9 passed" }, sources: late },
      },
    ]).summary;
    const { summary, resolved } = mergeSummaries(before, after, both);
    expect(summary.files).toMatchObject([
      {
        path: again.path,
        action: "created",
        description: "the plan",
        changes: 5,
        changed: ["parse", "seal"],
        sources: [...early, ...late],
      },
    ]);
    expect(summary.toolOutcomes.map(({ keyFields }) => keyFields["result"])).toEqual(["9 passed"]);
    expect(resolved.map(({ section, reason }) => [section, reason])).toEqual([
      ["files", "superseded"],
      ["files", "superseded"],
      ["toolOutcomes", "superseded"],
    ]);
  });

  it("moves a file to the position of its last touch, even if nothing else is new", () => {
    const read = (path: string, sources: readonly MessageId[]): SummaryChange => ({
      op: "add",
      section: "files",
      item: { path, action: "read", description: "", sources },
    });
    const [early, late] = [span.messageIds.slice(0, 1), later.messageIds.slice(0, 1)];
    const before = applySummaryChanges(null, span, [read("a.ts", early), read("b.ts", early)]).summary;
    const after = applySummaryChanges(null, later, [read("a.ts", late)]).summary;
    expect(mergeSummaries(before, after, both).summary.files).toMatchObject([
      { path: "b.ts", sources: early },
      { path: "a.ts", sources: [...early, ...late] },
    ]);
  });

  it("keeps finished work only as done, a repeated decision once, and an error with its resolution", () => {
    const [early, late] = [span.messageIds.slice(0, 1), later.messageIds.slice(0, 1)];
    const work = { description: "Write the manual", context: "", priority: "medium", status: "open" } as const;
    const choice = { decision: "Use SQLite", rationale: "one file", turn: 1 } as const;
    const trouble = { error: "port 80 is taken", resolution: null } as const;
    const before = applySummaryChanges(null, span, [
      { op: "add", section: "openItems", item: { ...work, sources: early } },
      { op: "add", section: "decisions", item: { ...choice, sources: early } },
      { op: "add", section: "errors", item: { ...trouble, sources: early } },
    ]).summary;
    const after = applySummaryChanges(null, later, [
      {
        op: "add",
        section: "openItems",
        item: { ...work, description: "Write  the manual", status: "done", sources: late },
      },
      { op: "add", section: "decisions", item: { ...choice, rationale: "no server", turn: 5, sources: late } },
      { op: "add", section: "errors", item: { ...trouble, resolution: "port 81", sources: late } },
    ]).summary;
    const { summary, resolved } = mergeSummaries(before, after, both);
    expect(summary.openItems).toMatchObject([{ status: "done", sources: [...early, ...late] }]);
    expect(summary.decisions).toMatchObject([{ rationale: "no server", turn: 5 }]);
    expect(summary.errors).toMatchObject([{ resolution: "port 81" }]);
    expect(resolved).toEqual([
      { section: "decisions", item: before.decisions[0], reason: "superseded" },
      { section: "openItems", item: before.openItems[0], reason: "superseded" },
      { section: "errors", item: before.errors[0], reason: "superseded" },
    ]);
  });

  it("is associative, so that the order of merging neighbors does not matter", () => {
    const third = structuredSummaries({ messageIds: [asMessageId("m7")], firstTurn: 6, lastTurn: 6 });
    // A file made, deleted and made again needs all three to be told right: two of them do not say whether it was there before.
    const nothingDeleted = (...summaries: readonly StructuredSummary[]): boolean =>
      summaries.every(({ files }) => files.every(({ action }) => action !== "deleted"));
    fc.assert(
      fc.property(first, second, third, (a, b, c) => {
        fc.pre(nothingDeleted(a, b, c));
        const left = join(join(a, b, both), c, both);
        const right = join(a, join(b, c, both), both);
        expect(withoutRound(left)).toEqual(withoutRound(right));
      }),
      { numRuns: 150 },
    );
  });

  it("leaves a summary unchanged when merged with itself or an empty one", () => {
    fc.assert(
      fc.property(first, (a) => {
        for (const merged of [join(a, a, span), join(a, emptySummary(span), span), join(emptySummary(span), a, span)]) {
          expect(withoutRound(merged)).toEqual(withoutRound(a));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the first original task and the last current task and plan", () => {
    fc.assert(
      fc.property(first, second, (a, b) => {
        const merged = join(a, b, both);
        expect(merged.originalTask).toEqual(a.originalTask ?? b.originalTask);
        expect(merged.currentTask).toEqual(b.currentTask ?? a.currentTask);
        expect(merged.currentPlan).toEqual(b.currentPlan ?? a.currentPlan);
        expect([merged.span, merged.round]).toEqual([both, 2]);
      }),
      { numRuns: 150 },
    );
  });
});
