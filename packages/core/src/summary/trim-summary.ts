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

/**
 * Shortens a summary until its text takes at most `maxTokens`, oldest items of the least telling section first. What
 * goes is returned, so that no item disappears without a record. Constraints, open work and the original task stay, even
 * when they alone exceed the limit.
 */
export function trimSummary(
  summary: StructuredSummary,
  maxTokens: number,
  countTokens: (text: string) => number,
): { readonly summary: StructuredSummary; readonly resolved: readonly ResolvedItem[] } {
  const resolved: ResolvedItem[] = [];
  let current = summary;
  for (const section of EXPENDABLE) {
    for (;;) {
      const items: readonly SummaryItem[] = current[section];
      const excess = countTokens(renderSummary(current)) - maxTokens;
      if (excess <= 0 || items.length === 0) break;
      const removed = items.slice(0, countOldest(items, excess, countTokens));
      current = { ...current, [section]: items.slice(removed.length) };
      resolved.push(...removed.map((item) => ({ section, item, reason: "the summary reached its token limit" })));
    }
  }
  return { summary: current, resolved };
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
