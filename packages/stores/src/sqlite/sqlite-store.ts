import { refuseErased } from "../erasure/refuse-erased.ts";
import type { ErasableStore } from "../erasure/store-eraser.ts";
import type { InspectableStore } from "../inspection/stored-rows.ts";
import type { StoreOptions } from "../store-options.ts";
import { systemClock } from "../system-clock.ts";
import { openConnection } from "./open-connection.ts";
import { SqliteArtifacts } from "./sqlite-artifacts.ts";
import { SqliteEraser } from "./sqlite-eraser.ts";
import { SqliteInspector } from "./sqlite-inspector.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import { SqlitePlans } from "./sqlite-plans.ts";
import { SqliteRanges } from "./sqlite-ranges.ts";
import { SqliteRecall } from "./sqlite-recall.ts";
import { SqliteThreads } from "./sqlite-threads.ts";

/**
 * Opens a store in one SQLite file and makes the file when it is not there. Several processes may use one file: writers
 * take turns, readers never wait. A call that returned has put its data on the disk (WAL, `synchronous=FULL`).
 *
 * @throws ThreadfoldError `STORE_FOREIGN` for a file of another program or a newer version, which is left as it is;
 * `STORE_UNAVAILABLE` when the path cannot be used; `STORE_CORRUPT` when the file is damaged.
 */
export async function openSqliteStore(
  path: string,
  options: StoreOptions = {},
): Promise<InspectableStore & ErasableStore> {
  const clock = options.clock ?? systemClock;
  const connection = await openConnection(path);
  const eraser = new SqliteEraser(connection);
  const parts = {
    threads: new SqliteThreads(connection, clock),
    plans: new SqlitePlans(connection, clock),
    artifacts: new SqliteArtifacts(connection, clock),
    ranges: new SqliteRanges(connection),
    recall: new SqliteRecall(connection),
    journal: new SqliteJournal(connection),
  };
  return Object.freeze({
    ...refuseErased(parts, (threadId) => eraser.isErasedNow(threadId), false),
    eraser,
    inspector: new SqliteInspector(connection),
    close: async () => connection.close(),
  });
}
