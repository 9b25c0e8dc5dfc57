import type { ThreadfoldStore, ThreadId } from "@threadfold/core";
import { threadErased } from "./refuse-erased.ts";
import { isErasable } from "./store-eraser.ts";

/**
 * Asks a store whether a thread was erased, for who still has its content in memory. A store that cannot erase has erased
 * nothing.
 *
 * @throws ThreadfoldError `CONTENT_ERASED`.
 */
export async function refuseErasedThread(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  if (isErasable(store) && (await store.eraser.isErased(threadId))) throw threadErased(threadId);
}
