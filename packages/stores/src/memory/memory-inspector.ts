import type { ThreadfoldStore, ThreadId } from "@threadfold/core";
import { portInspector } from "../inspection/port-inspector.ts";
import type { StoreInspector } from "../inspection/stored-rows.ts";
import type { MemoryState } from "./memory-state.ts";

/** Shows what a memory store holds: values as rows, and the rows that stayed of what was erased. */
export function memoryInspector(state: MemoryState, store: Omit<ThreadfoldStore, "close">): StoreInspector {
  const ports = portInspector({ ...store, close: async () => undefined });
  const erasedOf = (threadId: ThreadId) => state.threads.get(threadId)?.erased ?? null;
  return {
    ...ports,
    entries: (threadId) => rowsOf(erasedOf(threadId)?.entries) ?? ports.entries(threadId),
    plans: (threadId) => rowsOf(erasedOf(threadId)?.plans) ?? ports.plans(threadId),
    artifacts: (threadId) => rowsOf(erasedOf(threadId)?.artifacts) ?? ports.artifacts(threadId),
    isErased: async (threadId) => erasedOf(threadId) !== null,
  };
}

function rowsOf<Row>(rows: readonly Row[] | undefined): AsyncIterable<Row> | undefined {
  return rows === undefined
    ? undefined
    : (async function* () {
        yield* rows;
      })();
}
