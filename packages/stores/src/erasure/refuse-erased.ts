import {
  type ArtifactStore,
  type AuditJournal,
  type CompactionStore,
  type ErrorCode,
  type RecallIndex,
  type SummaryCacheStore,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadRanges,
  type ThreadStore,
} from "@threadfold/core";
import { threadArchived } from "../audit/archive-receipt.ts";
import type { StoreArchiver } from "../audit/segment.ts";
import type { StoreInspector } from "../inspection/inspector.ts";
import { currentVersion } from "../shared/plans.ts";
import { isErasable } from "./erase-subject.ts";

type GuardedParts = Pick<ThreadfoldStore, "threads" | "plans" | "artifacts" | "recall" | "journal"> & {
  readonly ranges: ThreadRanges;
};
type IsErased = (threadId: ThreadId) => boolean | Promise<boolean>;

type Guard = <Result>(threadId: ThreadId, work: () => Promise<Result>) => Promise<Result>;

/**
 * Makes every read of an erased thread's content, and every addition to it, fail with `CONTENT_ERASED` instead of
 * looking like damage.
 *
 * @param asksFirst false for a store in which such calls fail anyway: whether the thread was erased is then checked
 * only after a failure, at no cost when nothing was erased.
 */
export function refuseErased(parts: GuardedParts, isErased: IsErased, asksFirst: boolean): GuardedParts {
  const guard = guardBy(isErased, asksFirst);
  const { threads, plans, artifacts, ranges, recall, journal } = parts;
  return {
    threads: {
      append: (id, entries, options) => guard(id, () => threads.append(id, entries, options)),
      load: (id, options) => guard(id, () => threads.load(id, options)),
      list: (options) => threads.list(options),
    } satisfies ThreadStore,
    plans: {
      getCurrentPlan: (id) => guard(id, () => plans.getCurrentPlan(id)),
      getCurrentVersion: (id) => guard(id, () => currentVersion(plans, id)),
      getPlan: (id, version) => guard(id, () => plans.getPlan(id, version)),
      listPlans: (id) => plans.listPlans(id),
      commitPlan: (id, plan, expected) => guard(id, () => plans.commitPlan(id, plan, expected)),
    } satisfies CompactionStore,
    artifacts: guardedArtifacts(artifacts, isErased, guard),
    journal: guardedJournal(journal, guardBy(isErased, true)),
    ranges: {
      resume: (id) =>
        guard(id, async () => {
          const resumed = await ranges.resume(id);
          if (resumed === null && (await isErased(id))) throw threadErased(id);
          return resumed;
        }),
      loadPlan: (id, version) => guard(id, () => ranges.loadPlan(id, version)),
      loadRange: (id, range) => guard(id, () => ranges.loadRange(id, range)),
      findMessages: (id, ids) => guard(id, () => ranges.findMessages(id, ids)),
    },
    ...(recall !== undefined && { recall: guardedRecall(recall, guardBy(isErased, true)) }),
  };
}

/** A session that was open when its thread was erased still has the text, and would index it again. */
function guardedRecall(recall: RecallIndex, guard: Guard): RecallIndex {
  return {
    index: (id, messages) => guard(id, () => recall.index(id, messages)),
    search: (id, request) => guard(id, () => recall.search(id, request)),
    remove: (id) => recall.remove(id),
  };
}

/**
 * A session that was open when its thread was erased can still render it, but it hands out no request that is not
 * recorded. All other records are accepted, including the proof of the erasure.
 */
function guardedJournal(journal: AuditJournal, guard: Guard): AuditJournal {
  return {
    append: (id, record, at) => {
      const append = () => journal.append(id, record, at);
      return record.type === "request-rendered" ? guard(id, append) : append();
    },
    read: (id, options) => journal.read(id, options),
  };
}

function guardedArtifacts(artifacts: ArtifactStore, isErased: IsErased, guard: Guard): ArtifactStore {
  return {
    store: async (content, metadata) => {
      // Content that already exists is not stored again, so nothing would fail.
      if (await isErased(metadata.threadId)) throw threadErased(metadata.threadId);
      return artifacts.store(content, metadata);
    },
    getMetadata: (id, requester) => artifacts.getMetadata(id, requester),
    retrieve: async (id, requester) => {
      const metadata = await artifacts.getMetadata(id, requester);
      return metadata === null ? null : guard(metadata.threadId, () => artifacts.retrieve(id, requester));
    },
    list: (id, requester, mediaType) => artifacts.list(id, requester, mediaType),
  };
}

/**
 * How reads of an erased thread fail without a prior check: its bodies do not match their digests, and its receipts are
 * empty. Empty bodies are not JSON either, and that error may arrive unwrapped.
 */
const LOOKS_ERASED: ReadonlySet<ErrorCode> = new Set(["STORE_CORRUPT", "IDEMPOTENCY_MISMATCH"]);

function guardBy(isErased: IsErased, asksFirst: boolean): Guard {
  return async (threadId, work) => {
    if (asksFirst && (await isErased(threadId))) throw threadErased(threadId);
    try {
      return await work();
    } catch (error) {
      const mayBeErased = !ThreadfoldError.isInstance(error) || LOOKS_ERASED.has(error.code);
      throw mayBeErased && (await isErased(threadId)) ? threadErased(threadId) : error;
    }
  };
}

/** The error for calls that ask for the content of an erased thread. */
export function threadErased(threadId: ThreadId): ThreadfoldError {
  return new ThreadfoldError("CONTENT_ERASED", `The content of thread ${threadId} was erased.`, {
    details: { threadId },
  });
}

/**
 * Checks with the store whether a thread was erased, for callers that still have its content in memory. A store that
 * cannot erase has erased nothing.
 *
 * @throws ThreadfoldError `CONTENT_ERASED` when it was.
 */
export async function refuseErasedThread(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  if (isErasable(store) && (await store.eraser.isErased(threadId))) throw threadErased(threadId);
}

/**
 * Wraps a summary cache next to a store whose content is not encrypted: a session that was open when its thread was
 * erased still makes summaries of it, and none of them is kept.
 */
export function unerasedSummaries(
  cache: SummaryCacheStore & Required<Pick<SummaryCacheStore, "forget">>,
  store: ThreadfoldStore,
): SummaryCacheStore {
  const isErased = async (threadId: ThreadId | undefined): Promise<boolean> =>
    threadId !== undefined && isErasable(store) && (await store.eraser.isErased(threadId));
  return {
    get: (key, threadId) => cache.get(key, threadId),
    async set(key, entry, threadId) {
      if (await isErased(threadId)) return;
      await cache.set(key, entry, threadId);
      // It may have been erased between the two.
      if (threadId !== undefined && (await isErased(threadId))) await cache.forget(threadId);
    },
    forget: (threadId) => cache.forget(threadId),
  };
}

/**
 * Makes every read of an archived thread, and every addition to it, fail with `THREAD_ARCHIVED` instead of looking as
 * if the thread never existed. Its rows are gone from the tables, so the receipt is looked up only if nothing was found
 * or the call was refused; an artifact requested by its id alone is not found, because nothing says whose it was.
 */
export function refuseArchived(parts: GuardedParts, { receiptOf }: Pick<StoreArchiver, "receiptOf">): GuardedParts {
  const { threads, plans, artifacts, ranges, recall, journal } = parts;
  const refuse = async (threadId: ThreadId): Promise<void> => {
    const receipt = await receiptOf(threadId);
    if (receipt?.isCold === true) throw threadArchived(receipt);
  };
  const guard = async <Result>(
    threadId: ThreadId,
    work: () => Promise<Result>,
    isNothing: (result: Result) => boolean,
  ): Promise<Result> => {
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      if (ThreadfoldError.isInstance(error) && error.code !== "STORE_UNAVAILABLE") await refuse(threadId);
      throw error;
    }
    if (isNothing(result)) await refuse(threadId);
    return result;
  };
  return {
    threads: {
      append: (id, entries, options) => guard(id, () => threads.append(id, entries, options), isNoEntry),
      load: (id, options) => guard(id, () => threads.load(id, options), isNull),
      list: (options) => threads.list(options),
    },
    plans: {
      getCurrentPlan: (id) => guard(id, () => plans.getCurrentPlan(id), isUnversioned),
      getCurrentVersion: (id) => guard(id, () => currentVersion(plans, id), isZero),
      getPlan: (id, version) => guard(id, () => plans.getPlan(id, version), isNull),
      listPlans: (id) => guard(id, () => plans.listPlans(id), isEmpty),
      commitPlan: (id, plan, expected) => guard(id, () => plans.commitPlan(id, plan, expected), isConflict),
    },
    artifacts: {
      store: (content, metadata) => guard(metadata.threadId, () => artifacts.store(content, metadata), isNever),
      getMetadata: (id, requester) => artifacts.getMetadata(id, requester),
      retrieve: (id, requester) => artifacts.retrieve(id, requester),
      list: (id, requester, mediaType) => guard(id, () => artifacts.list(id, requester, mediaType), isEmpty),
    },
    journal: {
      append: (id, record, at) => guard(id, () => journal.append(id, record, at), isNever),
      read: (id, options) => guard(id, () => journal.read(id, options), isEmpty),
    },
    ranges: {
      resume: (id) => guard(id, () => ranges.resume(id), isNull),
      loadPlan: (id, version) => guard(id, () => ranges.loadPlan(id, version), isNull),
      loadRange: (id, range) => guard(id, () => ranges.loadRange(id, range), isEmpty),
      findMessages: (id, ids) => guard(id, () => ranges.findMessages(id, ids), isEmpty),
    },
    ...(recall !== undefined && {
      recall: {
        // SQLite creates the index tables on first use, so the schema's guards for archived threads miss them.
        index: async (id, messages) => {
          await refuse(id);
          await recall.index(id, messages);
        },
        search: (id, request) => guard(id, () => recall.search(id, request), hasNoHit),
        remove: (id) => recall.remove(id),
      },
    }),
  };
}

const isNull = (result: unknown): boolean => result === null;
const isEmpty = (result: { readonly length: number }): boolean => result.length === 0;
const isZero = (version: number): boolean => version === 0;
const isUnversioned = ({ version }: { readonly version: number }): boolean => version === 0;
const isConflict = ({ status }: { readonly status: string }): boolean => status === "conflict";
const isNoEntry = ({ appended }: { readonly appended: number }): boolean => appended === 0;
const hasNoHit = ({ total }: { readonly total: number }): boolean => total === 0;
const isNever = (): boolean => false;

/**
 * Makes an inspector report an archived thread instead of showing one without rows. Artifacts may be kept elsewhere.
 */
export function inspectArchived(
  inspector: StoreInspector,
  { receiptOf }: Pick<StoreArchiver, "receiptOf">,
): StoreInspector {
  const shown = async function* <Row>(threadId: ThreadId, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    let isEmpty = true;
    for await (const row of rows) {
      isEmpty = false;
      yield row;
    }
    const receipt = isEmpty ? await receiptOf(threadId) : null;
    if (receipt?.isCold === true) throw threadArchived(receipt);
  };
  return {
    threadIds: () => inspector.threadIds(),
    entries: (threadId) => shown(threadId, inspector.entries(threadId)),
    plans: (threadId) => shown(threadId, inspector.plans(threadId)),
    journal: (threadId) => shown(threadId, inspector.journal(threadId)),
    artifacts: (threadId) => inspector.artifacts(threadId),
    isErased: async (threadId) => (await inspector.isErased?.(threadId)) ?? false,
    damage: () => inspector.damage(),
  };
}
