import { type AgentThread, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { ContextSession } from "@threadfold/session";

/** Where a host's history parts from the thread that mirrors it. */
export interface Divergence {
  /** The session whose thread is no longer what the host's history begins with. */
  readonly session: ContextSession;
  /** Place in the conversation of the first message that is not what it was, or behind its end when it became shorter. */
  readonly position: number;
  /** How many of the thread's entries are common to both: what a fork begins with. */
  readonly atVersion: number;
}

/**
 * What a door does when the host's history took another way: an answer that is given anew, a message of the user that was
 * edited, a branch that the user went back to.
 *
 * - `"fork"` goes on in the thread of that way: in the one that has it already, else in a new fork of what is common.
 * - `"refuse"` throws `HISTORY_DIVERGED`.
 * - A function gives the session to go on with, such as one on a fork of its own naming.
 */
export type OnDiverged = "fork" | "refuse" | ((divergence: Divergence) => ContextSession | Promise<ContextSession>);

/** The thread that a door left and the one that it goes on with. */
export interface ThreadSwitch {
  /** The session that goes on, on the thread of the way that the host took. */
  readonly session: ContextSession;
  /** The thread that was left; it stays as it is. */
  readonly left: ThreadId;
  /** True for a fork that was made just now, false for a thread that was there, such as the earlier branch. */
  readonly isNew: boolean;
  /** Place in the conversation of the first message that is another one. */
  readonly position: number;
}

/** How a door follows its host's history. */
export interface DivergenceOptions {
  /** What happens when the host's history takes another way; `"fork"` by default. */
  readonly onDiverged?: OnDiverged;
  /** Hears of each change to another thread. What it throws is ignored. */
  readonly onSwitch?: (change: ThreadSwitch) => void;
}

/** How many of the thread's entries come before what was made of the host's messages from a position on. */
export function versionBefore(thread: AgentThread, position: number): number {
  const entries = thread.entriesBetween(0);
  const parted = entries.findIndex(
    (entry) => entry.type === "message" && livePositions(entry.message).some((place) => place >= position),
  );
  return parted === -1 ? thread.version : parted;
}

export const historyDiverged = (threadId: string, position: number): ThreadfoldError =>
  new ThreadfoldError(
    "HISTORY_DIVERGED",
    `The host's history is not what thread ${threadId} was made of, from its message ${position} on.`,
    { details: { threadId, position } },
  );
