import type { SummaryCacheStore, ThreadfoldStore, ThreadId } from "@threadfold/core";
import { isErasable } from "./store-eraser.ts";

/**
 * A summary cache beside a store that keeps its content in the clear: a session that was open when its thread was erased
 * still makes summaries of it, and none of them stays.
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
