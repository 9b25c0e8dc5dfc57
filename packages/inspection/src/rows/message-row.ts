import type { CompactionAction, Role } from "@threadfold/core";

/** Where a message is now: what the newest plan does with it, or that it is on a side branch. */
export type MessageState = CompactionAction | "hidden-branch";

/** A message of the log. Its index in the table is its ordinal. */
export interface MessageRow {
  readonly id: string;
  readonly role: Role;
  readonly turn: number;
  readonly step: number;
  /** Milliseconds since the epoch; null where the log has no time that can be read. */
  readonly at: number | null;
  /** Tokens of the message as it is logged, by the thread's counter. */
  readonly tokens: number;
  /** Places in `InspectionIndex.tools` of the tools that it calls, or whose result it is, each once; empty for none. */
  readonly tools: readonly number[];
  /** True for a tool result that reports a failure. */
  readonly failed: boolean;
  /** What the newest plan does with it. */
  readonly state: MessageState;
  /** Place in `InspectionIndex.records` of the record that holds it now; -1 for none. */
  readonly record: number;
  /** The first call whose request showed it as it is; -1 for none. */
  readonly firstCall: number;
  /** The last one; -1 for none. */
  readonly lastCall: number;
  /** The beginning of its text on one line, redacted; empty where bodies are left out. */
  readonly title: string;
}
