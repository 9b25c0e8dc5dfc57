import type { AgentThread, ArtifactId, CompactionPlan, JournalEntry, ThreadErasedRecord } from "@threadfold/core";
import type { StoreFinding } from "@threadfold/stores";

/**
 * All that is known of a thread: its log, its plans and its journal, from wherever they were kept. What cannot be read is
 * left out here and stands among the findings.
 */
export interface ThreadRecord {
  /** The log, as far as it can be read. */
  readonly thread: AgentThread;
  /** The journal, oldest first, as far as it can be read. */
  readonly journal: readonly JournalEntry[];
  /** Version of the newest plan; 0 for none. */
  readonly planVersion: number;
  /** Set where the thread was erased: then the log and the plans are empty. */
  readonly erased: { readonly at: string; readonly record: ThreadErasedRecord } | null;
  /** The title that it was given last; null for one that was given none, and where titles cannot be read. */
  readonly title: string | null;
  /** How many artifacts the thread had when its newest plan was read. */
  readonly artifacts: number;
  readonly findings: readonly StoreFinding[];
  /** A plan by its version, from 1; null when there is none that can be read. */
  plan(version: number): Promise<CompactionPlan | null>;
  /** A kept content; null when it is gone. */
  content(id: ArtifactId): Promise<string | null>;
  /** Reads what was added since. True when something was. */
  refresh(): Promise<boolean>;
}

/** The record of an erasure, when a journal ends in one. */
export function erasureIn(journal: readonly JournalEntry[]): ThreadRecord["erased"] {
  const entry = journal.findLast(({ record }) => record.type === "thread-erased");
  return entry?.record.type === "thread-erased" ? { at: entry.at, record: entry.record } : null;
}
