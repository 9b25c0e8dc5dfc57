import { canonicalJson } from "../json/canonical-json.ts";
import type { MessageId } from "../model/ids.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import { renderSummary } from "./render-summary.ts";
import {
  isUnsettled,
  type OpenItem,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  type SummarySection,
  type SummarySections,
  type TextItem,
  type ToolOutcome,
} from "./structured-summary.ts";
import { type ResolvedItem, summaryItemId } from "./summary-change.ts";

/** The sections that give way when a summary is too long, first to go first. Constraints are not among them. */
const EXPENDABLE: readonly SummarySection[] = [
  "identifiers",
  "toolOutcomes",
  "facts",
  "files",
  "errors",
  "decisions",
  "openItems",
  "artifacts",
];

/** A narrative is shortened behind this section and before those that follow it. */
const LAST_BEFORE_NARRATIVE: SummarySection = "facts";

/** Work whose outcome is not known yet stays, whatever the room. */
const isExpendable = (section: SummarySection, item: SummaryItem): boolean =>
  section === "openItems" ? !isUnsettled(item as OpenItem) : !isDeclared(section, item);

/** Key fields that a tool or its policy declared go when all else is gone. */
const isDeclared = (section: SummarySection, item: SummaryItem): boolean =>
  section === "toolOutcomes" && (item as ToolOutcome).declared === true;

/** What goes, in this order: sections of what is expendable, then what was declared. */
const STEPS: readonly { readonly section: SummarySection; readonly goes: typeof isExpendable }[] = [
  ...EXPENDABLE.map((section) => ({ section, goes: isExpendable })),
  { section: "toolOutcomes", goes: isDeclared },
];

/** A summary within a limit. */
export interface TrimmedSummary {
  readonly summary: StructuredSummary;
  /** Tokens of its text. */
  readonly tokens: number;
  /** Items that had to go, each with the reason. */
  readonly resolved: readonly ResolvedItem[];
}

/**
 * Shortens a summary until its text takes at most `maxTokens`, oldest items of the least telling section first. What
 * goes is returned, so that no item disappears without a record. A narrative loses its beginning, and says so. References to
 * artifacts and then declared key fields go last. Constraints, open work and the original task stay, even when they alone
 * exceed the limit.
 */
export function trimSummary(
  summary: StructuredSummary,
  maxTokens: number,
  countTokens: (text: string) => number,
): TrimmedSummary {
  const resolved: ResolvedItem[] = [];
  let current = summary;
  let tokens = countTokens(renderSummary(current));
  for (const { section, goes } of STEPS) {
    const all: readonly SummaryItem[] = current[section];
    let expendable = all.filter((item) => goes(section, item));
    while (tokens > maxTokens && expendable.length > 0) {
      const removed = new Set(expendable.slice(0, countOldest(expendable, tokens - maxTokens, countTokens)));
      expendable = expendable.slice(removed.size);
      const items: readonly SummaryItem[] = current[section];
      current = { ...current, [section]: items.filter((item) => !removed.has(item)) };
      tokens = countTokens(renderSummary(current));
      for (const item of removed) resolved.push({ section, item, reason: "the summary reached its token limit" });
    }
    if (section !== LAST_BEFORE_NARRATIVE || tokens <= maxTokens) continue;
    current = shortenedNarrative(current, maxTokens, countTokens);
    tokens = countTokens(renderSummary(current));
  }
  return { summary: current, tokens, resolved };
}

/** About how many items from the front take this many tokens; at least one. */
function countOldest(items: readonly SummaryItem[], tokens: number, countTokens: (text: string) => number): number {
  let count = 0;
  for (let freed = 0; count < items.length && freed < tokens; count++) {
    const { id: _id, sources: _sources, ...content } = items[count] as SummaryItem;
    freed += Math.max(1, countTokens(canonicalJson(content)));
  }
  return count;
}

/** Stands in a narrative for what it lost. */
export const NARRATIVE_CUT = "[The beginning of this account was left out for want of room.]";

/** Where a text may be cut: behind a line, or behind the end of a sentence. */
const BORDER = /\n+|(?<=[.!?…])\s+|(?<=[。！？])/gu;

/**
 * The end of a text that takes at most `maxTokens`, from the beginning of a sentence or line on, behind a line that says
 * that more stood before it. The text itself when it fits, and that line alone when no sentence does.
 */
export function endOfNarrative(text: string, maxTokens: number, countTokens: (text: string) => number): string {
  if (countTokens(text) <= maxTokens) return text;
  const rest = text.startsWith(NARRATIVE_CUT) ? text.slice(NARRATIVE_CUT.length).trimStart() : text;
  const starts = [...rest.matchAll(BORDER)].map(({ index, 0: border }) => index + border.length);
  const from = (at: number): string => `${NARRATIVE_CUT}\n${rest.slice(starts[at])}`;
  let [fits, low] = [starts.length, 0];
  while (low < fits) {
    const middle = (low + fits) >> 1;
    if (countTokens(from(middle)) <= maxTokens) fits = middle;
    else low = middle + 1;
  }
  return fits < starts.length && rest.slice(starts[fits]).trim() !== "" ? from(fits) : NARRATIVE_CUT;
}

/** A summary whose narrative is as long as the summary's limit allows with the rest, which stays as it is. */
export function shortenedNarrative(
  summary: StructuredSummary,
  maxTokens: number,
  countTokens: (text: string) => number,
): StructuredSummary {
  if (summary.narrative === undefined) return summary;
  const told = summary.narrative.text;
  const shortened = (tokens: number): StructuredSummary => withText(summary, endOfNarrative(told, tokens, countTokens));
  const most = countTokens(told);
  let room = Math.min(most, maxTokens - (countTokens(renderSummary(summary)) - most));
  let result = shortened(room);
  // Indenting lines takes tokens of its own, and counts of parts differ a little from the count of the whole.
  for (let excess = excessOf(result); excess > 0 && room > 0; excess = excessOf(result)) {
    room = Math.min(room, countTokens(result.narrative?.text ?? "")) - excess;
    result = shortened(room);
  }
  return result;

  function excessOf(candidate: StructuredSummary): number {
    return countTokens(renderSummary(candidate)) - maxTokens;
  }
}

function withText(summary: StructuredSummary, text: string): StructuredSummary {
  const narrative: TextItem = { id: "", text, sources: summary.narrative?.sources ?? [] };
  return { ...summary, narrative: { ...narrative, id: summaryItemId("narrative", narrative) } };
}

/**
 * The share of a summary that belongs to one of several runs of its span. Each item goes to the first run that holds one
 * of its sources; an item without a source in any run goes to the first, so that nothing is lost and nothing stands twice.
 */
export function restrictSummary(
  summary: StructuredSummary,
  span: SpanReference,
  runs: readonly (readonly MessageId[])[],
  index: number,
): StructuredSummary {
  const sets = runs.map((run) => new Set(run));
  const runOf = (item: SummaryItem): number =>
    Math.max(
      0,
      sets.findIndex((run) => item.sources.some((source) => run.has(source))),
    );
  const sections = Object.fromEntries(
    SUMMARY_SECTIONS.map((section) => [section, summary[section].filter((item: SummaryItem) => runOf(item) === index)]),
  ) as unknown as SummarySections;
  const last = index === runs.length - 1;
  const { narrative, ...others } = summary;
  return {
    ...others,
    ...sections,
    span,
    ...(narrative !== undefined && runOf(narrative) === index && { narrative }),
    originalTask: summary.originalTask !== null && runOf(summary.originalTask) === index ? summary.originalTask : null,
    currentTask: last ? summary.currentTask : null,
    currentPlan: last ? summary.currentPlan : null,
  };
}
