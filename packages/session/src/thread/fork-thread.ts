import {
  type AgentThread,
  type Clock,
  type CompactionPlan,
  groupRecords,
  type MessageId,
  type MessageInput,
  planRecords,
  sealPlan,
  type ThreadCopiedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { threadTitle, titleThread } from "@threadfold/stores";
import { checkNewThread, refuseArgument } from "../host/checked-options.ts";
import { systemClock } from "../host/session-parts.ts";

/** Where a fork begins and what it is called. */
export interface ForkOptions {
  /** Id of the fork; nothing may be there yet. */
  readonly threadId: ThreadId;
  /**
   * How many entries the fork begins with; all of them by default, and when there are fewer. See `atMessage` and
   * `beforeMessage` for places by message.
   */
  readonly atVersion?: number;
  /** The message that the fork ends with, in the place of `atVersion`: restores the conversation as it was then. */
  readonly atMessage?: MessageId;
  /** The message that the fork ends before, in the place of `atVersion`: with `append` it is edited. */
  readonly beforeMessage?: MessageId;
  /** What the fork goes on with. */
  readonly append?: readonly MessageInput[];
  /** Dates the source's record of the fork. The machine's clock by default. */
  readonly clock?: Clock;
}

/** A fork as the store has it. */
export interface ForkedThread {
  readonly thread: AgentThread;
  /** The plan that the fork begins with; null when the source was not folded yet at that point. */
  readonly plan: CompactionPlan | null;
}

/**
 * Makes a thread of its own from a thread's first entries, as Amp's fork, edit and restore do. A fork after a fold
 * begins with that fold, so that it shows the same prompt; a fork before it begins unfolded, which undoes the fold (L8,
 * L9). It has the title that the source was given last. The source stays as it is, and externalized content stays in the source's artifacts.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an empty id or an impossible place; `THREAD_NOT_FOUND`; `MESSAGE_NOT_FOUND`; `VERSION_CONFLICT`
 * when the fork's id is taken.
 */
export async function forkThread(
  store: ThreadfoldStore,
  source: ThreadId,
  options: ForkOptions,
): Promise<ForkedThread> {
  const forked = await forkEntries(store, source, options);
  const title = await threadTitle(store, source);
  if (title !== null) await titleThread(store, forked.thread.id, title, options.clock ?? systemClock);
  return forked;
}

/** As {@link forkThread}, without the title: for a thread that is other work. */
export async function forkEntries(
  store: ThreadfoldStore,
  source: ThreadId,
  options: ForkOptions,
): Promise<ForkedThread> {
  const { threadId, atVersion } = options ?? {};
  checkNewThread(threadId);
  if (atVersion !== undefined && !(Number.isInteger(atVersion) && atVersion >= 0)) {
    throw new ThreadfoldError("INVALID_CONFIG", `atVersion: a fork cannot begin with ${atVersion} entries.`, {
      hint: "Give a whole number from 0 on; a version beyond the thread's end means all of it.",
      details: { name: "atVersion" },
    });
  }
  const original = await store.threads.load(source);
  if (original === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${source} to fork.`);
  const forked = original.fork(threadId, versionOf(original, options));
  const added = options.append ?? [];
  const thread = added.length === 0 ? forked : forked.append(added);
  await recordCopy(store, source, { to: threadId, as: "fork" }, options.clock);
  await store.threads.append(threadId, thread.entriesBetween(0), { expectedVersion: "no-thread" });
  const former = await planAt(store, source, forked.version);
  if (former === null) return { thread, plan: null };
  const plan = planFor(threadId, former);
  await store.plans.commitPlan(threadId, plan, 0);
  return { thread, plan };
}

/**
 * Writes into a thread's journal that another one is about to begin with its content, so that an erasure of the one finds
 * the other.
 *
 * @throws ThreadfoldError `VERSION_CONFLICT` when the other one is there already.
 */
export async function recordCopy(
  store: ThreadfoldStore,
  source: ThreadId,
  copy: Omit<ThreadCopiedRecord, "type">,
  clock: Clock = systemClock,
): Promise<void> {
  if ((await store.threads.load(copy.to)) !== null)
    throw new ThreadfoldError("VERSION_CONFLICT", `Thread ${copy.to} is there already.`, {
      hint: "Give the new thread an id of its own.",
    });
  await store.journal.append(source, { type: "thread-copied", ...copy }, new Date(clock.now()).toISOString());
}

/** How many entries a fork begins with. @throws ThreadfoldError `INVALID_CONFIG`; `MESSAGE_NOT_FOUND`. */
function versionOf(thread: AgentThread, { atVersion, atMessage, beforeMessage }: ForkOptions): number {
  const places = [atVersion, atMessage, beforeMessage].filter((place) => place !== undefined);
  if (places.length > 1)
    refuseArgument("atVersion", "a fork begins in one place.", "Give one of atVersion, atMessage and beforeMessage.");
  const messageId = atMessage ?? beforeMessage;
  if (messageId === undefined) return Math.min(atVersion ?? thread.version, thread.version);
  // Pins stand between messages as entries of their own, so that no place of a message says which version it made.
  const entries = thread.entriesBetween(0);
  const index = entries.findIndex((entry) => entry.type === "message" && entry.message.id === messageId);
  if (index < 0) throw new ThreadfoldError("MESSAGE_NOT_FOUND", `Thread ${thread.id} has no message ${messageId}.`);
  return beforeMessage === undefined ? index + 1 : index;
}

/** The newest plan that covers no more of the source than the fork has. */
async function planAt(store: ThreadfoldStore, source: ThreadId, version: number): Promise<CompactionPlan | null> {
  const plans = await store.plans.listPlans(source);
  const newest = plans.findLast(({ threadVersion }) => threadVersion <= version);
  return newest === undefined ? null : store.plans.getPlan(source, newest.version);
}

/** The same records as the first plan of another thread. */
function planFor(threadId: ThreadId, plan: CompactionPlan): CompactionPlan {
  const records = planRecords(plan).map((record) => ({ ...record, sincePlanVersion: 1 }));
  return sealPlan({ ...plan, ...groupRecords(records), threadId, version: 1 });
}
