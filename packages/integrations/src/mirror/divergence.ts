import {
  AgentThread,
  asThreadId,
  type MessageInput,
  sha256,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import { type ContextSession, forkThread } from "@threadfold/session";
import { alignmentOf, contentOf, mirroredMessages, positionOf } from "./alignment.ts";
import type { OnRequest } from "./ask-model.ts";

/** The point at which a host's history departs from the thread that mirrors it. */
export interface Divergence {
  /** The session whose thread is no longer a prefix of the host's history. */
  readonly session: ContextSession;
  /**
   * Position in the conversation of the first message that differs, or just past the end of the host's list when it
   * became shorter.
   */
  readonly position: number;
  /** How many of the thread's entries are common to both; a fork starts with these. */
  readonly atVersion: number;
}

/**
 * What an integration does when the host's history diverged: an answer was regenerated, a user message was edited, or
 * the user went back to an earlier branch.
 *
 * - `"fork"` continues in the thread of that branch: an existing one if there is one, otherwise a new fork of the
 *   common part.
 * - `"refuse"` throws `HISTORY_DIVERGED`.
 * - A function returns the session to continue with, such as one on a fork that it named itself.
 */
export type OnDiverged = "fork" | "refuse" | ((divergence: Divergence) => ContextSession | Promise<ContextSession>);

/** A switch of an integration from one thread to another. */
export interface ThreadSwitch {
  /** The session that continues, on the thread of the host's branch. */
  readonly session: ContextSession;
  /** The thread that was left; it stays unchanged. */
  readonly left: ThreadId;
  /** True for a fork that was just created, false for a thread that already existed, such as the earlier branch. */
  readonly isNew: boolean;
  /** Position in the conversation of the first message that differs. */
  readonly position: number;
}

/** How an integration follows its host's history. */
export interface DivergenceOptions {
  /** What happens when the host's history diverges; `"fork"` by default. */
  readonly onDiverged?: OnDiverged;
  /** Called at each switch to another thread. What it throws is ignored. */
  readonly onSwitch?: (change: ThreadSwitch) => void;
}

/** Returns how many of the thread's entries precede those made from the host's messages at or after a position. */
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
    `The host's history differs from what thread ${threadId} was made from, starting at its message ${position}.`,
    { details: { threadId, position } },
  );

/** Options that every integration with a host's own message list takes besides its session. */
export interface DoorOptions extends DivergenceOptions {
  /** Called with each prepared request. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/** Returns the options that were given, without undefined ones. */
export const givenDoorOptions = ({ onDiverged, onSwitch, onRequest }: DoorOptions): DoorOptions => ({
  ...(onDiverged !== undefined && { onDiverged }),
  ...(onSwitch !== undefined && { onSwitch }),
  ...(onRequest !== undefined && { onRequest }),
});

const current = new WeakMap<ContextSession, ContextSession>();

/**
 * Returns the session that an integration now uses instead of the one it was created with: a different one once the
 * host's conversation has diverged, otherwise the same one.
 */
export const currentSession = (session: ContextSession): ContextSession => current.get(session) ?? session;

/** Records which session an integration now uses. */
export function setCurrentSession(session: ContextSession, goesOn: ContextSession): void {
  current.set(session, goesOn);
}

/** The thread of one branch that a conversation took. */
interface Way {
  readonly threadId: ThreadId;
  readonly isNew: boolean;
}

/**
 * Finds the thread of the branch that a host's list is on, or creates it as a fork of the common part. All branches of
 * a conversation form a tree of forks below the thread that it began with. A fork's name is derived from the messages
 * before the point of divergence and a number, so that every process finds it again, in whatever order the host moved
 * between branches.
 *
 * @param read the messages of the list, with positions from 0.
 */
export async function wayOf(store: ThreadfoldStore, threadId: ThreadId, read: readonly MessageInput[]): Promise<Way> {
  const root = await rootOf(store, threadId);
  let thread = await load(store, root);
  for (;;) {
    const { partedAt } = alignmentOf(thread, read);
    if (partedAt === undefined) return { threadId: thread.id, isNew: false };
    const other = await otherWay(store, root, thread, partedAt, read);
    if (!(other instanceof AgentThread)) return other;
    thread = other;
  }
}

const SUFFIX = /(?:~\d+-[0-9a-f]{12})+$/;

/** The thread that the conversation began with, even when the session was opened on one of its forks. */
async function rootOf(store: ThreadfoldStore, threadId: ThreadId): Promise<ThreadId> {
  const root = asThreadId(threadId.replace(SUFFIX, ""));
  return root !== threadId && (await store.threads.load(root)) === null ? threadId : root;
}

const load = async (store: ThreadfoldStore, threadId: ThreadId): Promise<AgentThread> =>
  (await store.threads.load(threadId)) ?? AgentThread.empty(threadId);

/**
 * Looks through the branches that diverge at a position for one that matches more of the list; otherwise creates a new
 * fork.
 */
async function otherWay(
  store: ThreadfoldStore,
  root: ThreadId,
  thread: AgentThread,
  position: number,
  read: readonly MessageInput[],
): Promise<AgentThread | Way> {
  const common = mirroredMessages(thread).filter((message) => (positionOf(message) ?? 0) < position);
  const before = common.map(contentOf).join("\n");
  for (let number = 1; ; number++) {
    const threadId = asThreadId(`${root}~${position}-${sha256(`${number}\n${before}`).slice(0, 12)}`);
    if (threadId === thread.id) continue;
    const known = await store.threads.load(threadId);
    if (known === null) {
      if (await fork(store, thread, threadId, position)) return { threadId, isNew: true };
      // Another process created it just now.
      number--;
    } else if ((alignmentOf(known, read).partedAt ?? Number.POSITIVE_INFINITY) > position) return known;
  }
}

/** @returns false when the id was already taken. */
async function fork(
  store: ThreadfoldStore,
  thread: AgentThread,
  threadId: ThreadId,
  position: number,
): Promise<boolean> {
  const atVersion = versionBefore(thread, position);
  // A thread without entries does not exist yet: it begins with the first append.
  if (atVersion === 0) return true;
  try {
    await forkThread(store, thread.id, { threadId, atVersion });
    return true;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "VERSION_CONFLICT") return false;
    throw error;
  }
}
