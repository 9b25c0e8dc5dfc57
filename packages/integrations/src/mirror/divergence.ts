import { type AgentThread, ThreadfoldError } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import type { ContextSession } from "@threadfold/session";

/** Where a host's history parts from the thread that mirrors it. */
export interface Divergence {
  /** The session whose thread is no longer what the host's history begins with. */
  readonly session: ContextSession;
  /** Place of the first message in the host's list that is not what it was, or behind its end when it became shorter. */
  readonly position: number;
  /** How many of the thread's entries are common to both: what a fork begins with. */
  readonly atVersion: number;
}

/**
 * Gives the session to go on with, such as one on a fork: `session.fork({ threadId, atVersion })`, then
 * `ContextSession.open` on the fork's id.
 */
export type OnDiverged = (divergence: Divergence) => ContextSession | Promise<ContextSession>;

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
