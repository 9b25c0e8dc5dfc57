import type { ThreadfoldStore } from "@threadfold/core";
import type { ErasableStore } from "../erasure/store-eraser.ts";
import { portInspector } from "../inspection/port-inspector.ts";
import { type InspectableStore, isInspectable } from "../inspection/stored-rows.ts";
import type { ClosableArtifacts } from "./object-artifacts.ts";

/**
 * A store whose artifacts are kept elsewhere. Closing it closes both. Objects elsewhere cannot be erased one by one, so
 * such a store cannot erase; seal it with `encryptedStore`, and destroying keys does.
 */
export function storeWithArtifacts(
  main: ThreadfoldStore,
  artifacts: ClosableArtifacts,
): ThreadfoldStore | InspectableStore {
  const { eraser: _eraser, ...store } = main as ThreadfoldStore & Partial<ErasableStore>;
  const close = async (): Promise<void> => {
    await store.close();
    await artifacts.close();
  };
  const composed: ThreadfoldStore = { ...store, artifacts, close };
  if (!isInspectable(store)) return Object.freeze(composed);
  const { inspector } = store;
  return Object.freeze({
    ...composed,
    inspector: {
      threadIds: () => inspector.threadIds(),
      entries: (threadId) => inspector.entries(threadId),
      plans: (threadId) => inspector.plans(threadId),
      journal: (threadId) => inspector.journal(threadId),
      // The store's own tables hold no artifacts; what may be read elsewhere is what there is to check.
      artifacts: (threadId) => portInspector(composed).artifacts(threadId),
      damage: () => inspector.damage(),
    },
  } satisfies InspectableStore);
}
