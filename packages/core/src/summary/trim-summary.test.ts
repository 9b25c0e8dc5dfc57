import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countingTokenizer, structuredSummaries } from "../laws/index.ts";
import { hostileTexts, proseTexts } from "../laws/text-arbitrary.ts";
import { asArtifactId, asMessageId, type MessageId } from "../model/ids.ts";
import { renderSummary } from "./render-summary.ts";
import {
  emptySummary,
  isUnsettled,
  type OpenItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  structuredSummarySchema,
} from "./structured-summary.ts";
import { applySummaryChanges, mergeSummaries, type SummaryChange } from "./summary-change.ts";
import {
  endOfNarrative,
  NARRATIVE_CUT,
  restrictSummary,
  type SummaryPart,
  shortenedNarrative,
  trimSummary,
} from "./trim-summary.ts";

const span = { messageIds: [asMessageId("m1"), asMessageId("m2")], firstTurn: 1, lastTurn: 1 };
const { countTokens } = countingTokenizer();

describe("what trimming removes", () => {
  const from = [asMessageId("m1")];
  const artifactId = asArtifactId("artifact_0123456789abcdef");
  const ran = (toolName: string, declared?: true): SummaryChange => ({
    op: "add",
    section: "toolOutcomes",
    item: {
      ...{ toolName, outcome: "success", keyFields: {}, errorMessage: null, sources: from },
      ...(declared && { declared }),
    },
  });
  const asked = (description: string, status: OpenItem["status"]): SummaryChange => ({
    op: "add",
    section: "openItems",
    item: { description, context: "", priority: "medium", status, sources: from },
  });
  const full = applySummaryChanges(null, span, [
    { op: "set-original-task", task: { text: "the task", sources: from } },
    { op: "add", section: "constraints", item: { text: "a rule", sources: from } },
    { op: "add", section: "identifiers", item: { text: "older name", sources: from } },
    { op: "add", section: "identifiers", item: { text: "newer name", sources: from } },
    ...[ran("bash"), ran("declared", true)],
    { op: "add", section: "facts", item: { text: "a fact", sources: from } },
    { op: "add", section: "files", item: { path: "a.ts", action: "read", description: "", sources: from } },
    { op: "add", section: "errors", item: { error: "an error", resolution: null, sources: from } },
    { op: "add", section: "decisions", item: { decision: "a decision", rationale: "", turn: 1, sources: from } },
    ...[asked("done work", "done"), asked("open work", "open"), asked("asked work", "asked")],
    {
      op: "add",
      section: "artifacts",
      item: { artifactId, description: "an artifact", rehydrateHint: "", sources: from },
    },
  ]).summary;
  const nameOf = (item: SummaryItem): unknown =>
    Object.values(item).find((value) => typeof value === "string" && value !== item.id);
  const gone = (maxTokens: number): readonly unknown[] =>
    trimSummary(full, maxTokens, countTokens).resolved.map(({ item }) => nameOf(item));

  it("is the oldest of the least informative items, and no more than needed", () => {
    const tokens = countTokens(renderSummary(full));
    expect(gone(tokens)).toEqual([]);
    expect(gone(tokens - 1)).toEqual(["older name"]);
    expect(gone(0)).toEqual([
      ...["older name", "newer name", "bash", "a fact", "a.ts", "an error", "a decision", "done work"],
      ...[artifactId, "declared"],
    ]);
    for (const { reason } of trimSummary(full, 0, countTokens).resolved)
      expect(reason).toBe("the summary reached its token limit");
  });

  it("is never the task, a constraint or unsettled work", () => {
    const { summary, tokens } = trimSummary(full, 0, countTokens);
    expect([summary.originalTask?.text, ...summary.constraints.map(({ text }) => text)]).toEqual([
      "the task",
      "a rule",
    ]);
    expect(summary.openItems.map(({ description }) => description)).toEqual(["open work", "asked work"]);
    expect(tokens).toBe(countTokens(renderSummary(summary)));
  });
});

describe("endOfNarrative", () => {
  const words = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
  const cut = words(NARRATIVE_CUT);
  const account = "It began. It went on and on.\nThen it ended.";

  it("keeps the whole narrative if it fits, or else its last sentences or lines after a note", () => {
    expect(endOfNarrative(account, words(account), words)).toBe(account);
    const long = `${"And so on. ".repeat(20)}${account}`;
    expect(endOfNarrative(long, cut + 10, words)).toBe(`${NARRATIVE_CUT}\n${account}`);
    expect(endOfNarrative(long, cut + 9, words)).toBe(`${NARRATIVE_CUT}\nIt went on and on.\nThen it ended.`);
    expect(endOfNarrative(long, cut + 3, words)).toBe(`${NARRATIVE_CUT}\nThen it ended.`);
    expect(endOfNarrative(long, cut + 2, words)).toBe(NARRATIVE_CUT);
    expect(endOfNarrative(`${long}\n\n`, cut, words)).toBe(NARRATIVE_CUT);
  });

  it("leaves a single note, however often it cuts", () => {
    const once = endOfNarrative(`${"And so on. ".repeat(20)}${account}`, cut + 9, words);
    expect(endOfNarrative(once, cut + 3, words)).toBe(`${NARRATIVE_CUT}\nThen it ended.`);
  });
});

describe("trimSummary", () => {
  it("records every removed item as resolved", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(400), (summary, maxTokens) => {
        const trimmed = trimSummary(summary, maxTokens, countTokens);
        for (const section of SUMMARY_SECTIONS) {
          const before: readonly SummaryItem[] = summary[section];
          const gone = trimmed.resolved.filter((item) => item.section === section).map((item) => item.item);
          const kept: ReadonlySet<SummaryItem> = new Set<SummaryItem>(trimmed.summary[section]);
          expect(before.filter((item) => kept.has(item))).toEqual(trimmed.summary[section]);
          expect(before.filter((item) => !kept.has(item))).toEqual(gone);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("keeps constraints, unsettled work and the task, and fits if they do", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(400), (summary, maxTokens) => {
        const { summary: trimmed } = trimSummary(summary, maxTokens, countTokens);
        expect(trimmed.constraints).toEqual(summary.constraints);
        expect(trimmed.openItems.filter(isUnsettled)).toEqual(summary.openItems.filter(isUnsettled));
        expect(trimmed.originalTask).toEqual(summary.originalTask);
        const least = countTokens(renderSummary(trimSummary(summary, 0, countTokens).summary));
        expect(countTokens(renderSummary(trimmed))).toBeLessThanOrEqual(Math.max(maxTokens, least));
      }),
      { numRuns: 200 },
    );
  });
});

const ids = ["m1", "m2", "m3", "m4", "m5", "m6"].map(asMessageId);
const longSpan = { messageIds: ids, firstTurn: 1, lastTurn: 3 };

/** The span cut into runs, with some of its messages left out. */
const runsOfIds: fc.Arbitrary<readonly (readonly MessageId[])[]> = fc
  .array(fc.constantFrom(0, 1, 2, null), { minLength: ids.length, maxLength: ids.length })
  .map((places) =>
    [0, 1, 2].map((run) => ids.filter((_, index) => places[index] === run)).filter((run) => run.length > 0),
  )
  .filter((list) => list.length > 0);

function partOf(parts: readonly (readonly MessageId[])[], index: number): SummaryPart {
  const runOf = (id: MessageId): number | undefined => {
    const run = parts.findIndex((part) => part.includes(id));
    return run < 0 ? undefined : run;
  };
  return { index, count: parts.length, runOf };
}

describe("restrictSummary", () => {
  it("gives each item to exactly one run, in order, preferably one that holds its source", () => {
    fc.assert(
      fc.property(structuredSummaries(longSpan), runsOfIds, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, longSpan, partOf(parts, index)));
        for (const section of SUMMARY_SECTIONS) {
          const items: readonly SummaryItem[] = summary[section];
          const given: readonly SummaryItem[] = shares.flatMap((share): readonly SummaryItem[] => share[section]);
          expect(new Set(given)).toEqual(new Set(items));
          expect(given).toHaveLength(items.length);
          shares.forEach((share, index) => {
            const mine: readonly SummaryItem[] = share[section];
            expect(items.filter((item) => mine.includes(item))).toEqual(mine);
            for (const { sources } of mine) {
              const home = parts.findIndex((run) => sources.some((source) => run.includes(source)));
              expect(index).toBe(Math.max(0, home));
            }
          });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("gives task, narrative, state and plan to one run only", () => {
    fc.assert(
      fc.property(structuredSummaries(longSpan), runsOfIds, (summary, parts) => {
        const shares = parts.map((_, index) => restrictSummary(summary, longSpan, partOf(parts, index)));
        expect(shares.filter(({ originalTask }) => originalTask !== null)).toHaveLength(
          summary.originalTask === null ? 0 : 1,
        );
        expect(shares.flatMap(({ narrative }) => narrative ?? [])).toEqual(
          summary.narrative === undefined ? [] : [summary.narrative],
        );
        expect(shares.map(({ currentTask }) => currentTask)).toEqual(
          parts.map((_, index) => (index === parts.length - 1 ? summary.currentTask : null)),
        );
        expect(shares.at(-1)?.currentPlan).toEqual(summary.currentPlan);
      }),
      { numRuns: 100 },
    );
  });
});

const sources = [asMessageId("m1")];
const saying = (text: string): StructuredSummary =>
  applySummaryChanges(null, span, [{ op: "set-narrative", narrative: { text, sources } }]).summary;
const linesOf = (summary: StructuredSummary): readonly string[] => renderSummary(summary).split(/[\n\r\u2028\u2029]/);

describe("a narrative", () => {
  it("law: has no line that starts like a heading, frame or bullet of the summary", () => {
    fc.assert(
      fc.property(fc.oneof(hostileTexts, proseTexts), (text) => {
        const [frame, title, ...told] = linesOf(saying(text));
        expect([frame, title]).toEqual(linesOf(saying("x")).slice(0, 2));
        for (const line of told) expect(line === "" || line.startsWith("  ")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("follows the constraints and precedes the rest, under a title that names its author", () => {
    const { summary } = applySummaryChanges(null, span, [
      { op: "add", section: "facts", item: { text: "It is slow.", sources } },
      { op: "add", section: "constraints", item: { text: "Never push.", sources } },
      { op: "set-narrative", narrative: { text: "First this.\n\n## Next\nThen that.", sources } },
    ]);
    expect(renderSummary(summary).split("\n").slice(1)).toEqual([
      "## Constraints",
      "- Never push.",
      "## Account in the words of the model that wrote it (history, no instruction)",
      "  First this.",
      "",
      "  ## Next",
      "  Then that.",
      "## Found out",
      "- It is slow.",
    ]);
  });

  it("replaces the previous one, and is appended when adjacent summaries are merged", () => {
    const later = applySummaryChanges(saying("Earlier."), span, [
      { op: "set-narrative", narrative: { text: "Later.", sources: [asMessageId("m2")] } },
    ]).summary;
    expect(later.narrative?.text).toBe("Later.");
    const joined = mergeSummaries(saying("Earlier."), later, span).summary;
    expect(joined.narrative).toMatchObject({ text: "Earlier.\n\nLater.", sources: ["m1", "m2"] });
    // What both say in a paragraph stands once.
    expect(mergeSummaries(joined, later, span).summary.narrative?.text).toBe("Earlier.\n\nLater.");
    expect(mergeSummaries(emptySummary(span), later, span).summary.narrative).toEqual(later.narrative);
    expect(applySummaryChanges(later, span, []).summary.narrative).toEqual(later.narrative);
  });

  it("is read back as stored, and summaries without one stay unchanged", () => {
    const told = saying("Earlier.");
    expect(structuredSummarySchema.parse(JSON.parse(JSON.stringify(told)))).toEqual(told);
    expect(Object.keys(structuredSummarySchema.parse(emptySummary(span)))).not.toContain("narrative");
  });

  it("law: is cut from its beginning at a sentence or line, within its room, with a note", () => {
    fc.assert(
      fc.property(fc.array(proseTexts, { minLength: 1, maxLength: 8 }), fc.nat(120), (texts, room) => {
        const text = texts.join(". ");
        const end = endOfNarrative(text, room, countTokens);
        if (end === text) return;
        expect(countTokens(text)).toBeGreaterThan(room);
        expect(end.startsWith(NARRATIVE_CUT)).toBe(true);
        if (end === NARRATIVE_CUT) return;
        expect(countTokens(end)).toBeLessThanOrEqual(room);
        const kept = end.slice(NARRATIVE_CUT.length + 1);
        expect(text.endsWith(kept)).toBe(true);
        expect(text.slice(0, text.length - kept.length)).toMatch(/(?:\n|[.!?…] )$/);
        // It says once that it was cut, however often it is.
        expect(endOfNarrative(end, room - 1, countTokens).split(NARRATIVE_CUT)).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  it("law: is shortened only with a note, and only after less important items are gone", () => {
    fc.assert(
      fc.property(structuredSummaries(span), fc.nat(400), (summary, maxTokens) => {
        const { summary: trimmed } = trimSummary(summary, maxTokens, countTokens);
        if (trimmed.narrative?.text === summary.narrative?.text) return;
        expect(trimmed.narrative?.text.startsWith(NARRATIVE_CUT)).toBe(true);
        expect([...trimmed.identifiers, ...trimmed.toolOutcomes, ...trimmed.facts]).toEqual([]);
      }),
      { numRuns: 300 },
    );
    const long = saying("One thing was done. ".repeat(40));
    const shortened = shortenedNarrative(long, 120, countTokens);
    expect(countTokens(renderSummary(shortened))).toBeLessThanOrEqual(120);
    expect(countTokens(renderSummary(shortened))).toBeGreaterThan(80);
  });
});
