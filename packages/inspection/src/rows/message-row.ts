import type { CompactionAction, Role } from "@threadfold/core";

/** Where a message is now: what the newest plan does with it, or that it is on a side branch. */
export type MessageState = CompactionAction | "hidden-branch";

/** A message of the log. Its index in the table is its ordinal. */
export interface MessageRow extends LoggedMessage, MessagePlace {}

/** What a message is. */
export interface LoggedMessage {
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
  /** The beginning of its text on one line, redacted; empty where bodies are left out. */
  readonly title: string;
}

/** What becomes of a message. */
export interface MessagePlace {
  /** What the newest plan does with it. */
  readonly state: MessageState;
  /** Place in `InspectionIndex.records` of the record that holds it now; -1 for none. */
  readonly record: number;
  /** The first call whose request showed it as it is; -1 for none. */
  readonly firstCall: number;
}

/** True for a message that a fold took out of the request, or changed. */
export const isGone = (state: MessageState | undefined): boolean =>
  state !== undefined && state !== "include" && state !== "hidden-branch";

/** A message that the newest request does not show as it is, and whether that was a pity. */
export interface GoneRow {
  /** Its ordinal. */
  readonly message: number;
  /** Tokens of the message as it is logged. */
  readonly tokens: number;
  /** Place in `records`. */
  readonly record: number;
  /** Calls made after it was folded whose arguments name something that stands in it and stood nowhere in their prompt. */
  readonly neededBy: readonly number[];
  /** What they named, each once, redacted. */
  readonly needed: readonly string[];
}

/** What `search_thread` gives for a message that is gone. */
export interface GoneSearch {
  /** Its ordinal. */
  readonly message: number;
  /** False for a message that has no word to ask with. */
  readonly asked: boolean;
  /** Words that it was asked with; empty where it was not, and where bodies are left out. */
  readonly query: string;
  /** Its place among the answers to that query, from 1; null when it is not among the first ten. */
  readonly rank: number | null;
}
