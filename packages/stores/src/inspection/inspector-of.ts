import { setImmediate as nextTurn } from "node:timers/promises";
import { ThreadfoldError, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { portInspector } from "./port-inspector.ts";
import { isInspectable, type StoreInspector } from "./stored-rows.ts";

/** Rows after which a reader lets go: signals and everybody else in this process have their turn then. */
const ROWS_AT_A_STRETCH = 16;

/**
 * What a store really holds where it shows that, else what it hands out. However much that is, the process goes on
 * meanwhile, and an aborted signal ends the reading.
 *
 * @throws ThreadfoldError `ABORTED` while rows are read.
 */
export function inspectorOf(store: ThreadfoldStore, signal?: AbortSignal): StoreInspector {
  const inspector = isInspectable(store) ? store.inspector : portInspector(store);
  const { isErased } = inspector;
  const ofThread =
    <Row>(read: (threadId: ThreadId) => AsyncIterable<Row>) =>
    (threadId: ThreadId): AsyncIterable<Row> =>
      inTurns(read(threadId), signal);
  return {
    threadIds: () => inTurns(inspector.threadIds(), signal),
    entries: ofThread((threadId) => inspector.entries(threadId)),
    plans: ofThread((threadId) => inspector.plans(threadId)),
    journal: ofThread((threadId) => inspector.journal(threadId)),
    artifacts: ofThread((threadId) => inspector.artifacts(threadId)),
    ...(isErased !== undefined && { isErased: (threadId) => isErased.call(inspector, threadId) }),
    damage: async () => {
      refuseAborted(signal);
      return inspector.damage();
    },
  };
}

async function* inTurns<Row>(rows: AsyncIterable<Row>, signal: AbortSignal | undefined): AsyncGenerator<Row> {
  let read = 0;
  for await (const row of rows) {
    if (read++ % ROWS_AT_A_STRETCH === 0) await nextTurn();
    refuseAborted(signal);
    yield row;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ThreadfoldError("ABORTED", "The reading of the store was aborted.");
}
