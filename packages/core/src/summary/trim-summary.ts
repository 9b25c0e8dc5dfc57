import { canonicalJson } from "../json/canonical-json.ts";
import { renderSummary } from "./render-summary.ts";
import type { StructuredSummary, SummaryItem, SummarySection } from "./structured-summary.ts";
import type { ResolvedItem } from "./summary-change.ts";

/** The sections that give way when a summary is too long, first to go first. Constraints and open work are not among them. */
const EXPENDABLE: readonly SummarySection[] = [
  "identifiers",
  "toolOutcomes",
  "facts",
  "files",
  "errors",
  "decisions",
  "artifacts",
];

/** A summary within a limit. */
export interface TrimmedSummary {
  readonly summary: StructuredSummary;
  /** Tokens of its text. */
  readonly tokens: number;
  /** What had to go. */
  readonly resolved: readonly ResolvedItem[];
}

/**
 * Shortens a summary until its text takes at most `maxTokens`, oldest items of the least telling section first. What
 * goes is returned, so that no item disappears without a record. Constraints, open work and the original task stay, even
 * when they alone exceed the limit.
 */
export function trimSummary(
  summary: StructuredSummary,
  maxTokens: number,
  countTokens: (text: string) => number,
): TrimmedSummary {
  const resolved: ResolvedItem[] = [];
  let current = summary;
  let tokens = countTokens(renderSummary(current));
  for (const section of EXPENDABLE) {
    while (tokens > maxTokens && current[section].length > 0) {
      const items: readonly SummaryItem[] = current[section];
      const removed = items.slice(0, countOldest(items, tokens - maxTokens, countTokens));
      current = { ...current, [section]: items.slice(removed.length) };
      tokens = countTokens(renderSummary(current));
      resolved.push(...removed.map((item) => ({ section, item, reason: "the summary reached its token limit" })));
    }
  }
  return { summary: current, tokens, resolved };
}

/** About how many items from the front take so many tokens; at least one. */
function countOldest(items: readonly SummaryItem[], tokens: number, countTokens: (text: string) => number): number {
  let count = 0;
  for (let freed = 0; count < items.length && freed < tokens; count++) {
    const { id: _id, sources: _sources, ...content } = items[count] as SummaryItem;
    freed += Math.max(1, countTokens(canonicalJson(content)));
  }
  return count;
}
