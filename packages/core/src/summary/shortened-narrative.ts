import { renderSummary } from "./render-summary.ts";
import type { StructuredSummary, TextItem } from "./structured-summary.ts";
import { summaryItemId } from "./summary-change.ts";

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

/** A summary whose narrative is as long as the summary's limit allows beside the rest, which stays as it is. */
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
