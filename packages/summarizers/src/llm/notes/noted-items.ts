import {
  canonicalJson,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryItem,
  type SummarySection,
} from "@threadfold/core";

/** The letter of a section in handles. Identifiers have none: they are never changed one by one. */
const LETTERS: Readonly<Record<Exclude<SummarySection, "identifiers">, string>> = {
  constraints: "c",
  facts: "f",
  decisions: "d",
  openItems: "o",
  files: "p",
  toolOutcomes: "t",
  errors: "e",
  artifacts: "a",
};

/** An item that a model may name by its handle. */
export interface NotedItem {
  readonly section: SummarySection;
  readonly item: SummaryItem;
}

/** What is noted so far as a model reads it, and its items by handle. */
export interface NotedItems {
  readonly text: string;
  readonly items: ReadonlyMap<string, NotedItem>;
}

/** One line of JSON per item, so that no content can pass for another item. */
export function notedItems(summary: StructuredSummary | null): NotedItems {
  const items = new Map<string, NotedItem>();
  const lines: string[] = [];
  for (const section of summary === null ? [] : SUMMARY_SECTIONS) {
    if (section === "identifiers") continue;
    for (const item of (summary as StructuredSummary)[section]) {
      const handle = `${LETTERS[section]}${items.size + 1}`;
      const { id: _id, sources: _sources, ...content } = item;
      items.set(handle, { section, item });
      lines.push(`[${handle}] ${section} ${canonicalJson(content)}`);
    }
  }
  if (summary !== null && summary.identifiers.length > 0)
    lines.push(`identifiers ${canonicalJson(summary.identifiers.map(({ text }) => text))}`);
  if (summary?.currentTask != null) lines.push(`currentTask ${canonicalJson(summary.currentTask)}`);
  if (summary?.currentPlan != null) lines.push(`currentPlan ${canonicalJson(summary.currentPlan)}`);
  return { text: lines.join("\n"), items };
}

/** A handle as a model may write it: with brackets, spaces or a capital. */
export const handleOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
