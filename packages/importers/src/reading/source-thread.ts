import type { SourceRecord } from "./source-records.ts";

/** One of the threads of a source that holds several. */
export interface SourceThread {
  /** What the source calls it: the id of a session or of a task. Absent when it has no name. */
  readonly name?: string;
  readonly records: readonly SourceRecord[];
}
