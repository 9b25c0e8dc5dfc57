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
 * What an integration does when the host's history diverged: an answer that is made anew, a message of the user that
 * was edited, a branch that the user went back to.
 *
 * - `"fork"` goes on in the thread of that way: in the one that has it already, else in a new fork of what is common.
 * - `"refuse"` throws `HISTORY_DIVERGED`.
 * - A function returns the session to go on with, such as one on a fork that it named itself.
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
  /** What happens when the host's history diverges; `"fork"` by default. */
  readonly onDiverged?: OnDiverged;
  /** Called at each switch to another thread. What it throws is ignored. */
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

/** What every door to a host's own list of messages takes besides its session. */
export interface DoorOptions extends DivergenceOptions {
  /** Called with each request that is prepared. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/** The options that are given: one that is undefined is left out. */
export const givenDoorOptions = ({ onDiverged, onSwitch, onRequest }: DoorOptions): DoorOptions => ({
  ...(onDiverged !== undefined && { onDiverged }),
  ...(onSwitch !== undefined && { onSwitch }),
  ...(onRequest !== undefined && { onRequest }),
});

const current = new WeakMap<ContextSession, ContextSession>();

/**
 * The session that a door goes on with in the place of the one that it was made with: another one since the host's
 * conversation diverged, the same one as long as it did not.
 */
export const currentSession = (session: ContextSession): ContextSession => current.get(session) ?? session;

/** Notes which session goes on. */
export function setCurrentSession(session: ContextSession, goesOn: ContextSession): void {
  current.set(session, goesOn);
}

/** The thread of a way that a conversation took. */
interface Way {
  readonly threadId: ThreadId;
  readonly isNew: boolean;
}

/**
 * Finds the thread of the way that a host's list is on, or makes it: a fork of what is common. All ways of a conversation
 * hang together in a tree of forks below the thread that it began with. A fork is named after the messages before the
 * parting and numbered there, so that it is found again by every process, however the host went from way to way.
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

/** Goes through the ways that part at a place: one that goes further with the list, or a new one behind them. */
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
      // Somebody else made it just now.
      number--;
    } else if ((alignmentOf(known, read).partedAt ?? Number.POSITIVE_INFINITY) > position) return known;
  }
}

/** @returns false when the id was taken. */
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
