import type { CompactionAction, Role } from "@threadfold/core";

/** The state of a message: what the newest plan does with it, or that it is on a side branch. */
export type MessageState = CompactionAction | "hidden-branch";

/** A message of the log. Its index in the table is its ordinal. */
export interface MessageRow extends LoggedMessage, MessagePlace {}

/** The message as logged. */
export interface LoggedMessage {
  readonly id: string;
  readonly role: Role;
  readonly turn: number;
  readonly step: number;
  /** Milliseconds since the epoch; null if the log has no readable time. */
  readonly at: number | null;
  /** Tokens of the message as logged, by the thread's counter. */
  readonly tokens: number;
  /** Indexes into `InspectionIndex.tools` of the tools that it calls or is the result of, each once; empty for none. */
  readonly tools: readonly number[];
  /** True for a tool result that reports a failure. */
  readonly failed: boolean;
  /** The beginning of its text on one line, redacted if requested; empty if bodies are left out. */
  readonly title: string;
}

/** What is done with a message. */
export interface MessagePlace {
  /** What the newest plan does with it. */
  readonly state: MessageState;
  /** Index into `InspectionIndex.records` of the record that covers it now; -1 for none. */
  readonly record: number;
  /** The first call whose request showed it unchanged; -1 for none. */
  readonly firstCall: number;
}

/** Checks whether a fold removed a message from the request, or changed it. */
export const isGone = (state: MessageState | undefined): boolean =>
  state !== undefined && state !== "include" && state !== "hidden-branch";

/** A message that the newest request does not show unchanged, and whether it was missed later. */
export interface GoneRow {
  /** Its ordinal. */
  readonly message: number;
  /** Tokens of the message as logged. */
  readonly tokens: number;
  /** Index into `InspectionIndex.records`. */
  readonly record: number;
  /** Calls made after it was folded whose arguments name something that is in it and was nowhere in their prompt. */
  readonly neededBy: readonly number[];
  /** The names that they used, each once, redacted if requested. */
  readonly needed: readonly string[];
}

/** The result of `search_thread` for a folded message. */
export interface GoneSearch {
  /** Its ordinal. */
  readonly message: number;
  /** False for a message without any word to search for. */
  readonly asked: boolean;
  /** The search query; empty if no search was made, and if bodies are left out. */
  readonly query: string;
  /** Its rank among the results of that query, from 1; null when it is not among the first ten. */
  readonly rank: number | null;
}
