import {
  applySummaryChanges,
  type NewItem,
  type SpanReference,
  type StructuredSummary,
  SUMMARY_SECTIONS,
  type SummaryChange,
  type SummaryItem,
  summaryItemId,
} from "@threadfold/core";
import type { Candidate } from "../../extractive/selection/candidate.ts";

/** Above what code finds by itself: a model chose these. */
const WORTH = 1_000;

/** What the notes came to: items that want room, and changes that stand whatever room there is. */
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

  /** Takes changes in; false when they changed nothing. */
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
