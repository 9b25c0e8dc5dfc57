import { asThreadId, type ThreadfoldStore, type ThreadId, type UnsourcedItem, unsourcedInPlan } from "@threadfold/core";

/** An item of a thread's newest plan that reads as a user's word and is borne out by none. */
export interface UnsourcedNote {
  readonly threadId: ThreadId;
  readonly planVersion: number;
  readonly section: UnsourcedItem["section"];
  readonly itemId: string;
  readonly text: string;
  /** The messages that the item names. */
  readonly sources: readonly string[];
}

/** The unsourced items of the newest plan of each thread. @throws what the store throws. */
export async function unsourcedInStore(
  store: ThreadfoldStore,
  threads: readonly string[],
  signal?: AbortSignal,
): Promise<readonly UnsourcedNote[]> {
  const notes: UnsourcedNote[] = [];
  for (const id of threads) {
    signal?.throwIfAborted();
    const threadId = asThreadId(id);
    const { plan, version } = await store.plans.getCurrentPlan(threadId);
    const thread = plan === null || plan.summarizations.length === 0 ? null : await store.threads.load(threadId);
    if (plan === null || thread === null) continue;
    const unsourced = unsourcedInPlan(plan, (messageId) => thread.message(messageId));
    notes.push(...unsourced.map((item) => noteOf(item, threadId, version)));
  }
  return notes;
}

function noteOf(unsourced: UnsourcedItem, threadId: ThreadId, planVersion: number): UnsourcedNote {
  const { section, item } = unsourced;
  const text = unsourced.section === "openItems" ? unsourced.item.description : unsourced.item.text;
  return { threadId, planVersion, section, itemId: item.id, text, sources: item.sources };
}
