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

/** The sections that are trimmed when a summary is too long, in this order. Constraints are never trimmed. */
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

/** A narrative is shortened after this section has been trimmed and before those that follow it. */
const LAST_BEFORE_NARRATIVE: SummarySection = "facts";

/** Work whose outcome is not known yet stays, however little room there is. */
const isExpendable = (section: SummarySection, item: SummaryItem): boolean =>
  section === "openItems" ? !isUnsettled(item as OpenItem) : !isDeclared(section, item);

/** Key fields that a tool or its policy declared are removed only when everything else is gone. */
const isDeclared = (section: SummarySection, item: SummaryItem): boolean =>
  section === "toolOutcomes" && (item as ToolOutcome).declared === true;

/** What is removed, in this order: expendable items section by section, then declared key fields. */
const STEPS: readonly { readonly section: SummarySection; readonly goes: typeof isExpendable }[] = [
  ...EXPENDABLE.map((section) => ({ section, goes: isExpendable })),
  { section: "toolOutcomes", goes: isDeclared },
];

/** A summary that was trimmed to a token limit. */
export interface TrimmedSummary {
  readonly summary: StructuredSummary;
  /** Tokens of its rendered text. */
  readonly tokens: number;
  /** Items that were removed, each with the reason. */
  readonly resolved: readonly ResolvedItem[];
}

/**
 * Shortens a summary until its text takes at most `maxTokens`, starting with the oldest items of the least important
 * section. Removed items are returned, so that none disappears without a record. A narrative loses its beginning, with
 * a note that says so. References to artifacts are removed late, and declared key fields last. Constraints, open work
 * and the original task stay, even if they alone exceed the limit.
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

/** Roughly how many items from the front it takes to free this many tokens; at least one. */
function countOldest(items: readonly SummaryItem[], tokens: number, countTokens: (text: string) => number): number {
  let count = 0;
  for (let freed = 0; count < items.length && freed < tokens; count++) {
    const { id: _id, sources: _sources, ...content } = items[count] as SummaryItem;
    freed += Math.max(1, countTokens(canonicalJson(content)));
  }
  return count;
}

/** Replaces the part that was cut from a narrative. */
export const NARRATIVE_CUT = "[The beginning of this account was left out for want of room.]";

/** Where a text may be cut: after a line, or after the end of a sentence. */
const BORDER = /\n+|(?<=[.!?…])\s+|(?<=[。！？])/gu;

/**
 * Returns the end of a text that takes at most `maxTokens`, starting at a sentence or line and preceded by
 * {@link NARRATIVE_CUT}. Returns the text itself if it fits, and only `NARRATIVE_CUT` if not even one sentence does.
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

/** Returns a summary whose narrative is shortened until the whole summary fits; all else stays unchanged. */
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
  // Indenting lines takes tokens too, and the counts of the parts differ a little from the count of the whole.
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

/** One of the runs of messages that a summary is divided among. */
export interface SummaryPart {
  /** Which of how many runs this one is, counted from 0. */
  readonly index: number;
  readonly count: number;
  /** Returns the index of the run that a message is in; undefined when it is in none. */
  readonly runOf: (id: MessageId) => number | undefined;
}

/**
 * Returns the part of a summary that belongs to one of several runs of its span. Each item goes to the first run that
 * contains one of its sources; an item without a source in any run goes to the first, so that no item is lost or
 * appears twice.
 */
export function restrictSummary(summary: StructuredSummary, span: SpanReference, part: SummaryPart): StructuredSummary {
  const belongs = (item: SummaryItem): boolean => belongsTo(item, part);
  const sections = Object.fromEntries(
    SUMMARY_SECTIONS.map((section) => [section, summary[section].filter(belongs)]),
  ) as unknown as SummarySections;
  const last = part.index === part.count - 1;
  const { narrative, ...others } = summary;
  return {
    ...others,
    ...sections,
    span,
    ...(narrative !== undefined && belongs(narrative) && { narrative }),
    originalTask: summary.originalTask !== null && belongs(summary.originalTask) ? summary.originalTask : null,
    currentTask: last ? summary.currentTask : null,
    currentPlan: last ? summary.currentPlan : null,
  };
}

/** Checks whether an item goes to this run when its summary is divided: see {@link restrictSummary}. */
export function belongsTo({ sources }: SummaryItem, { index, runOf }: SummaryPart): boolean {
  const found = sources.map(runOf).filter((run) => run !== undefined);
  return index === (found.length === 0 ? 0 : found.reduce((first, run) => Math.min(first, run)));
}
