import {
  AgentThread,
  asThreadId,
  type MessageInput,
  sha256,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { forkThread } from "@threadfold/session";
import { alignmentOf, contentOf, mirroredMessages, positionOf } from "./alignment.ts";
import { versionBefore } from "./divergence.ts";

/** The thread of a way that a conversation took. */
export interface Way {
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

/** The thread that the conversation began with, also when the session was opened on one of its forks. */
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
  // A thread without entries is none yet: it begins with the first append.
  if (atVersion === 0) return true;
  try {
    await forkThread(store, thread.id, { threadId, atVersion });
    return true;
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "VERSION_CONFLICT") return false;
    throw error;
  }
}
