import {
  type AgentThread,
  asThreadId,
  type CompactionPlan,
  emptyPlan,
  type RequestRenderedRecord,
  type ThreadErasedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadInfo,
} from "@threadfold/core";
import { EMPTY_FRAME, parseFrame, type RequestFrame } from "@threadfold/session";
import { isSealedThread, listedThreads } from "@threadfold/stores";

/** Maximum number of ids that a hint lists. */
const MOST_HINTED = 5;

/**
 * Returns a thread of a store to read what it says, by its id or by a unique prefix of it.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, listing threads that the store has; `KEY_MISSING` for a sealed one, or
 * `CONTENT_ERASED` when it was erased, too.
 */
export async function storedThread(store: ThreadfoldStore, threadId: string): Promise<AgentThread> {
  const thread = await maybeSealedThread(store, threadId);
  if (!(await isSealedThread(store, thread))) return thread;
  const erasure = await erasureOf(store, thread.id);
  throw erasure === null ? sealedThread(thread.id) : erasedThread(thread.id, erasure);
}

/**
 * Returns the same for a command that does not read what the thread says.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, listing threads that the store has.
 */
export async function maybeSealedThread(store: ThreadfoldStore, threadId: string): Promise<AgentThread> {
  const thread = await store.threads.load(asThreadId(threadId));
  if (thread !== null) return thread;
  const found = await store.threads.load(await storedThreadId(store, threadId));
  if (found !== null) return found;
  throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in this store.`);
}

/** Checks whether what a thread says is sealed, by its beginning. @throws ThreadfoldError what reading it throws. */
export async function isSealed(store: ThreadfoldStore, threadId: ThreadId): Promise<boolean> {
  const beginning = await store.threads.load(threadId, { atVersion: 1 });
  return beginning !== null && (await isSealedThread(store, beginning));
}

/** Returns what was read; undefined for an erased thread, of which the record is still there. */
export async function unlessErased<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "CONTENT_ERASED") return undefined;
    throw error;
  }
}

/** When, by whom and why a thread was erased, and whether a key was destroyed for it. */
export type Erasure = Pick<ThreadErasedRecord, "actor" | "reason" | "keyShredded"> & { readonly at: string };

/**
 * Returns the newest erasure in a thread's journal; null for none. If only the key was destroyed, nothing else in the
 * store tells an erased thread from a sealed one.
 */
export async function erasureOf(store: ThreadfoldStore, threadId: ThreadId): Promise<Erasure | null> {
  const entries = await store.journal.read(threadId);
  const entry = entries.findLast(({ record }) => record.type === "thread-erased");
  return entry?.record.type === "thread-erased" ? { ...entry.record, at: entry.at } : null;
}

/** The error for a command that would read what an erased thread said. */
export const erasedThread = (
  threadId: string,
  { at, actor, reason }: Pick<Erasure, "at" | "actor" | "reason">,
): ThreadfoldError =>
  new ThreadfoldError(
    "CONTENT_ERASED",
    `The content of thread ${threadId} was erased at ${at} by ${actor} (${reason}).`,
    {
      details: { threadId },
    },
  );

/** The error for a command that would read what a sealed thread says. */
export const sealedThread = (threadId: ThreadId): ThreadfoldError =>
  new ThreadfoldError("KEY_MISSING", `Thread ${threadId} is sealed, and the command has no keys.`, {
    hint: "Read it in a program that opens the store with its keys: openStore(address, { encryption: { keys } }).",
    details: { threadId },
  });

/**
 * Returns the id of a thread of a store, including archived ones, given the id or a unique prefix of it.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, listing threads that the store has.
 */
export async function storedThreadId(store: ThreadfoldStore, threadId: string): Promise<ThreadId> {
  const all = (await storedThreads(store)).map((info) => info.threadId);
  const begun = threadId === "" ? [] : all.filter((id) => id.startsWith(threadId));
  const found = begun.find((id) => id === threadId) ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  const problem = begun.length > 1 ? `${begun.length} threads begin with` : "There is no thread";
  throw new ThreadfoldError("THREAD_NOT_FOUND", `${problem} ${threadId} in this store.`, {
    hint:
      all.length === 0 ? "The store holds no thread." : `The store holds ${listed(begun.length > 1 ? begun : all)}.`,
  });
}

/**
 * Runs work on a thread of a store, given its id or a unique prefix of it. What lists no longer name, because it was
 * erased or is damaged, is still found by its whole id.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`, listing threads that the store has, and what the work throws.
 */
export async function onStoredThread<Result>(
  store: ThreadfoldStore,
  threadId: string,
  work: (id: ThreadId) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(asThreadId(threadId));
  } catch (error) {
    if (!ThreadfoldError.isInstance(error) || error.code !== "THREAD_NOT_FOUND") throw error;
    const begun = await storedThreadId(store, threadId);
    if (begun === threadId) throw error;
    return work(begun);
  }
}

const listed = (ids: readonly ThreadId[]): string =>
  `${ids.slice(0, MOST_HINTED).join(", ")}${ids.length > MOST_HINTED ? ", …" : ""}`;

/** Returns the information about every thread, in the store's order. */
export async function storedThreads(store: ThreadfoldStore): Promise<readonly ThreadInfo[]> {
  const threads: ThreadInfo[] = [];
  for await (const info of listedThreads(store)) threads.push(info);
  return threads;
}

/**
 * Returns a plan of a thread by version; 0 is the plan that folds nothing. @throws ThreadfoldError `PLAN_NOT_FOUND`.
 */
export async function storedPlan(
  store: ThreadfoldStore,
  threadId: ThreadId,
  version: number | "newest",
): Promise<CompactionPlan> {
  const newest = await store.plans.getCurrentPlan(threadId);
  const wanted = version === "newest" ? newest.version : version;
  if (wanted === 0) return emptyPlan(threadId, "none");
  const plan = wanted === newest.version ? newest.plan : await store.plans.getPlan(threadId, wanted);
  if (plan !== null) return plan;
  throw new ThreadfoldError("PLAN_NOT_FOUND", `Thread ${threadId} has no plan ${wanted}.`, {
    hint:
      newest.version === 0 ? "It was never folded; plan 0 shows everything." : `Its plans are 0 to ${newest.version}.`,
  });
}

/**
 * Returns the newest recorded request of a thread with its system text and tools; no record and an empty frame if there
 * is none.
 */
export async function newestRequest(
  store: ThreadfoldStore,
  threadId: ThreadId,
): Promise<{ readonly record: RequestRenderedRecord | null; readonly frame: RequestFrame }> {
  const entries = await store.journal.read(threadId);
  const entry = entries.findLast(({ record }) => record.type === "request-rendered");
  if (entry?.record.type !== "request-rendered") return { record: null, frame: EMPTY_FRAME };
  const frame = await store.artifacts.retrieve(entry.record.frame);
  if (frame === null)
    throw new ThreadfoldError("ARTIFACT_NOT_FOUND", "The newest request's system text and tools are gone.");
  return { record: entry.record, frame: parseFrame(frame.content) };
}
