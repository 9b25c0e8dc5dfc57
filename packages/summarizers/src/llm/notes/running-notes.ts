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

/** Ranks a model's notes above what code finds, because the model chose them. */
const WORTH = 1_000;

/** The notes of a whole fold: items that compete for room, and changes that are made regardless of room. */
export interface NotesOutcome {
  readonly candidates: readonly Candidate[];
  readonly resolves: readonly (SummaryChange & { readonly op: "resolve" })[];
  readonly state: readonly SummaryChange[];
}

/**
 * The notes of one fold while it reads chunk by chunk. Each call sees the notes of the calls before it; in the end only
 * the difference from the previous summary counts, so that no change names an item unknown outside this fold.
 */
export class RunningNotes {
  readonly #previous: StructuredSummary | null;
  readonly #span: SpanReference;
  #current: StructuredSummary | null;
  /** For each item of this fold that replaces one of the previous summary: that item's id, by the new item's id. */
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

  /** Merges changes into the notes. Returns false when there are none. */
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

/** The notes so far in the form that a model reads, and their items by handle. */
export interface NotedItems {
  readonly text: string;
  readonly items: ReadonlyMap<string, NotedItem>;
}

/** The letter for each section in handles. Identifiers have none, because they are never changed individually. */
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

/** Lists the items of a summary, one line of JSON each, so that no content can pass for another item. */
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

/** Normalizes a handle as written by a model, which may add brackets, spaces or a capital. */
export const handleOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
