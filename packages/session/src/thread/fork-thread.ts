import {
  type AgentThread,
  type Clock,
  type CompactionPlan,
  checkOptions,
  groupRecords,
  type MessageId,
  type MessageInput,
  type OptionKinds,
  planRecords,
  refuseArgument,
  sealPlan,
  type ThreadCopiedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { refuseSealedThread, threadTitle, titleThread } from "@threadfold/stores";
import { checkNewThread } from "../host/checked-options.ts";
import { systemClock } from "../host/session-parts.ts";

/** Options of a fork. */
export interface ForkOptions {
  /** Id of the fork, whose thread must not exist yet. */
  readonly threadId: ThreadId;
  /**
   * Number of entries that the fork starts with; all of them by default, or if there are fewer. See `atMessage` and
   * `beforeMessage` to fork at a message.
   */
  readonly atVersion?: number;
  /** The last message to copy, instead of `atVersion`: restores the conversation as it was then. */
  readonly atMessage?: MessageId;
  /** The first message not to copy, instead of `atVersion`: together with `append`, this edits the message. */
  readonly beforeMessage?: MessageId;
  /** Messages to append to the fork. */
  readonly append?: readonly MessageInput[];
  /** Clock that dates the fork's record in the source's journal. The system clock by default. */
  readonly clock?: Clock;
}

const FORK_OPTIONS: OptionKinds<ForkOptions> = {
  threadId: "any",
  atVersion: "any",
  atMessage: "text",
  beforeMessage: "text",
  append: "any",
  clock: "object",
};

/** A fork as stored. */
export interface ForkedThread {
  readonly thread: AgentThread;
  /** The plan that the fork starts with; null when the source was not folded yet at that point. */
  readonly plan: CompactionPlan | null;
}

/**
 * Creates a separate thread from a thread's first entries, as Amp's fork, edit and restore do. A fork after a fold
 * starts with that fold, so that it shows the same prompt; a fork before it starts unfolded, which undoes the fold (L8,
 * L9). It gets the source's newest title. The source is not changed, and externalized content stays in the source's
 * artifacts.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an empty id or an invalid place; `THREAD_NOT_FOUND` or
 * `MESSAGE_NOT_FOUND` when the source or the message does not exist; `VERSION_CONFLICT` when the fork's id is taken;
 * `KEY_MISSING` for a sealed source in a store without keys.
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

/** Forks like {@link forkThread}, but without the title: for a thread that is different work. */
export async function forkEntries(
  store: ThreadfoldStore,
  source: ThreadId,
  options: ForkOptions,
): Promise<ForkedThread> {
  const { threadId, atVersion } = options ?? {};
  checkNewThread(threadId);
  checkOptions("options", options, FORK_OPTIONS);
  if (atVersion !== undefined && !(Number.isInteger(atVersion) && atVersion >= 0)) {
    throw new ThreadfoldError("INVALID_CONFIG", `atVersion: a fork cannot begin with ${atVersion} entries.`, {
      hint: "Give a whole number of at least 0; a version beyond the thread's end means all of it.",
      details: { name: "atVersion" },
    });
  }
  const original = await store.threads.load(source);
  if (original === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${source} to fork.`);
  await refuseSealedThread(store, original);
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
 * Records in a thread's journal that another thread is about to start with its content, so that erasing the first finds
 * the second.
 *
 * @throws ThreadfoldError `VERSION_CONFLICT` when the other thread already exists.
 */
export async function recordCopy(
  store: ThreadfoldStore,
  source: ThreadId,
  copy: Omit<ThreadCopiedRecord, "type">,
  clock: Clock = systemClock,
): Promise<void> {
  if ((await store.threads.load(copy.to)) !== null)
    throw new ThreadfoldError("VERSION_CONFLICT", `Thread ${copy.to} already exists.`, {
      hint: "Give the new thread a new id.",
    });
  await store.journal.append(source, { type: "thread-copied", ...copy }, new Date(clock.now()).toISOString());
}

/**
 * Returns the number of entries that a fork starts with.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`; `MESSAGE_NOT_FOUND`.
 */
function versionOf(thread: AgentThread, { atVersion, atMessage, beforeMessage }: ForkOptions): number {
  const places = [atVersion, atMessage, beforeMessage].filter((place) => place !== undefined);
  if (places.length > 1)
    refuseArgument("atVersion", "a fork begins in one place.", "Give one of atVersion, atMessage and beforeMessage.");
  const messageId = atMessage ?? beforeMessage;
  if (messageId === undefined) return Math.min(atVersion ?? thread.version, thread.version);
  // Pins are separate entries between messages, so a message's ordinal does not say which version it made.
  const entries = thread.entriesBetween(0);
  const index = entries.findIndex((entry) => entry.type === "message" && entry.message.id === messageId);
  if (index < 0) throw new ThreadfoldError("MESSAGE_NOT_FOUND", `Thread ${thread.id} has no message ${messageId}.`);
  return beforeMessage === undefined ? index + 1 : index;
}

/** Returns the newest plan that covers no more of the source than the fork has. */
async function planAt(store: ThreadfoldStore, source: ThreadId, version: number): Promise<CompactionPlan | null> {
  const plans = await store.plans.listPlans(source);
  const newest = plans.findLast(({ threadVersion }) => threadVersion <= version);
  return newest === undefined ? null : store.plans.getPlan(source, newest.version);
}

/** Converts a plan to the first plan of another thread, with the same records. */
function planFor(threadId: ThreadId, plan: CompactionPlan): CompactionPlan {
  const records = planRecords(plan).map((record) => ({ ...record, sincePlanVersion: 1 }));
  return sealPlan({ ...plan, ...groupRecords(records), threadId, version: 1 });
}
