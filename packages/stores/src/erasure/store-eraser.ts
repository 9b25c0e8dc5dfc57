import type { ThreadfoldStore, ThreadId } from "@threadfold/core";

/** Takes content away for good. Only what proves that it was there stays: ids, versions, digests, times and figures. */
export interface StoreEraser {
  /** The threads of a subject, whether they are erased or not. Without keys each thread is a subject, by its own id. */
  threadsOf(subject: string): Promise<readonly ThreadId[]>;
  isErased(threadId: ThreadId): Promise<boolean>;
  /**
   * Erases a subject's content; doing so again is nothing, and finishes what was cut off. Gives whether a key was
   * destroyed for it; false where the content itself was overwritten.
   */
  erase(subject: string): Promise<boolean>;
  /** Removes artifacts that have expired by this time (milliseconds since the epoch), and gives how many. */
  sweep(nowMs: number): Promise<number>;
}

/** A store that can forget. */
export interface ErasableStore extends ThreadfoldStore {
  readonly eraser: StoreEraser;
}

/** Says whether a store can forget. */
export function isErasable(store: ThreadfoldStore): store is ErasableStore {
  return "eraser" in store;
}
