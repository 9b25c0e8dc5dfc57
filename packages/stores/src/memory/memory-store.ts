import { refuseErased } from "../erasure/refuse-erased.ts";
import type { ErasableStore } from "../erasure/store-eraser.ts";
import type { InspectableStore } from "../inspection/stored-rows.ts";
import type { StoreOptions } from "../store-options.ts";
import { systemClock } from "../system-clock.ts";
import { MemoryArtifacts } from "./memory-artifacts.ts";
import { MemoryEraser } from "./memory-eraser.ts";
import { memoryInspector } from "./memory-inspector.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { MemoryPlans } from "./memory-plans.ts";
import { MemoryRanges } from "./memory-ranges.ts";
import { MemoryState } from "./memory-state.ts";
import { MemoryThreads } from "./memory-threads.ts";

/** A store that lives as long as the process, or until it is closed. */
export function createMemoryStore(options: StoreOptions = {}): InspectableStore & ErasableStore {
  const state = new MemoryState(options.clock ?? systemClock);
  const parts = {
    threads: new MemoryThreads(state),
    plans: new MemoryPlans(state),
    artifacts: new MemoryArtifacts(state),
    journal: new MemoryJournal(state),
    ranges: new MemoryRanges(state),
  };
  const eraser = new MemoryEraser(state, parts);
  return Object.freeze({
    ...parts,
    ...refuseErased(parts, (threadId) => eraser.isErasedNow(threadId), true),
    inspector: memoryInspector(state, parts),
    eraser,
    close: async () => state.close(),
  });
}
