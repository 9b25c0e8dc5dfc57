import type { AgentThread, ArtifactId, CompactionPlan, JournalEntry, ThreadErasedRecord } from "@threadfold/core";
import type { StoreFinding } from "@threadfold/stores";

/**
 * Everything known about a thread: its log, its plans and its journal, wherever they were stored. Anything unreadable
 * is left out here and reported among the findings.
 */
export interface ThreadRecord {
  /** The log, as far as it can be read. */
  readonly thread: AgentThread;
  /** The journal, oldest first, as far as it can be read. */
  readonly journal: readonly JournalEntry[];
  /** Version of the newest plan; 0 for none. */
  readonly planVersion: number;
  /** Set if the thread was erased: then the log and the plans are empty. */
  readonly erased: { readonly at: string; readonly record: ThreadErasedRecord } | null;
  /** The title that it was last given; null if it has none, or if titles cannot be read. */
  readonly title: string | null;
  /** Number of artifacts that the thread had when its newest plan was read. */
  readonly artifacts: number;
  readonly findings: readonly StoreFinding[];
  /** Returns a plan by its version, from 1; null when there is no readable plan. */
  plan(version: number): Promise<CompactionPlan | null>;
  /** Returns the content of an artifact; null when it is gone. */
  content(id: ArtifactId): Promise<string | null>;
  /** Reads what was added since. Returns whether anything was. */
  refresh(): Promise<boolean>;
}

/** Returns the newest record of an erasure in a journal; null if there is none. */
export function erasureIn(journal: readonly JournalEntry[]): ThreadRecord["erased"] {
  const entry = journal.findLast(({ record }) => record.type === "thread-erased");
  return entry?.record.type === "thread-erased" ? { at: entry.at, record: entry.record } : null;
}
