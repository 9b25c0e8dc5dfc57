import type { ThreadfoldStore } from "@threadfold/core";
import type { StoreOptions } from "../store-options.ts";
import { systemClock } from "../system-clock.ts";
import { MemoryArtifacts } from "./memory-artifacts.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { MemoryPlans } from "./memory-plans.ts";
import { MemoryState } from "./memory-state.ts";
import { MemoryThreads } from "./memory-threads.ts";

/** A store that lives as long as the process, or until it is closed. */
export function createMemoryStore(options: StoreOptions = {}): ThreadfoldStore {
  const state = new MemoryState(options.clock ?? systemClock);
  return Object.freeze({
    threads: new MemoryThreads(state),
    plans: new MemoryPlans(state),
    artifacts: new MemoryArtifacts(state),
    journal: new MemoryJournal(state),
    close: async () => state.close(),
  });
}
