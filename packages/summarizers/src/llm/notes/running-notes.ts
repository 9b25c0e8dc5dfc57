import {
  applySummaryChanges,
  canonicalJson,
  type NewItem,
  type SpanReference,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryChange,
  type SummaryItem,
  type SummarySection,
  summaryItemId,
} from "@threadfold/core";
import type { Candidate } from "../../extractive/collectors/span-collector.ts";

/** Above what code finds by itself: a model chose these. */
const WORTH = 1_000;

/** The notes of a whole fold: items that compete for room, and changes that are made whatever room there is. */
export interface NotesOutcome {
  readonly candidates: readonly Candidate[];
  readonly resolves: readonly (SummaryChange & { readonly op: "resolve" })[];
  readonly state: readonly SummaryChange[];
}

/**
 * The notes of one fold while it goes from chunk to chunk. Each call reads what the calls before it noted; in the end
 * only the difference to the summary before the fold counts, so that nothing names an item that nobody else knows.
 */
export class RunningNotes {
  readonly #previous: StructuredSummary | null;
  readonly #span: SpanReference;
  #current: StructuredSummary | null;
  /** Items of this fold that stand in the place of one of the summary before it, by their id. */
  readonly #origins = new Map<string, string>();
  readonly #reasons = new Map<string, string>();
  #state: readonly SummaryChange[] = [];

  constructor(previous: StructuredSummary | null, span: SpanReference) {
    this.#previous = previous;
    this.#current = previous;
    this.#span = span;
  }

  get current(): StructuredSummary | null {
    return this.#current;
  }

  /** Merges changes into the notes; false when there are none. */
  note(changes: readonly SummaryChange[]): boolean {
    const before = this.#current;
    const { summary } = applySummaryChanges(before, this.#span, changes);
    for (const change of changes) this.#follow(change);
    this.#current = { ...summary, round: before?.round ?? 1 };
    return changes.length > 0;
  }

  #follow(change: SummaryChange): void {
    if (change.op === "supersede") {
      const successor = summaryItemId(change.section, change.item);
      this.#origins.set(successor, this.#origins.get(change.itemId) ?? change.itemId);
    } else if (change.op === "resolve") {
      this.#reasons.set(this.#origins.get(change.itemId) ?? change.itemId, change.reason);
    } else if (change.op !== "add") this.#state = [...this.#state.filter(({ op }) => op !== change.op), change];
  }

  outcome(): NotesOutcome {
    const before = idsOf(this.#previous);
    const candidates: Candidate[] = [];
    const replaced = new Set<string>();
    for (const section of SUMMARY_SECTIONS) {
      for (const item of this.#current?.[section] ?? []) {
        if (before.has(item.id)) continue;
        const origin = this.#origins.get(item.id);
        const supersedes = origin !== undefined && before.has(origin) ? origin : undefined;
        if (supersedes !== undefined) replaced.add(supersedes);
        candidates.push(candidate(section, item, WORTH - candidates.length * 1e-3, supersedes));
      }
    }
    return { candidates, resolves: this.#resolves(replaced), state: this.#state };
  }

  #resolves(replaced: ReadonlySet<string>): NotesOutcome["resolves"] {
    const kept = idsOf(this.#current);
    return SUMMARY_SECTIONS.flatMap((section) =>
      (this.#previous?.[section] ?? [])
        .filter((item: SummaryItem) => !kept.has(item.id) && !replaced.has(item.id))
        .map(({ id }: SummaryItem) => ({
          op: "resolve" as const,
          section,
          itemId: id,
          reason: this.#reasons.get(id) ?? "superseded",
        })),
    );
  }
}

function candidate(
  section: Candidate["section"],
  { id: _id, ...item }: SummaryItem,
  worth: number,
  supersedes: string | undefined,
): Candidate {
  return {
    section,
    item: item as NewItem<typeof section>,
    worth,
    ...(supersedes !== undefined && { supersedes }),
  } as Candidate;
}

const idsOf = (summary: StructuredSummary | null): ReadonlySet<string> =>
  new Set(summary === null ? [] : SUMMARY_SECTIONS.flatMap((section) => summary[section].map(({ id }) => id)));

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
