import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { archiveThread, unarchiveThread } from "../archive-thread.ts";
import { THREAD } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

// Archives a thread and restores it, again and again, once it receives a line, until it is killed. Arguments: the
// folder for segments, the store's path or address, and for an address its schema.
const [to = "", address = "", schema] = process.argv.slice(2);
const postgres = schema === undefined ? undefined : await import("../postgres/postgres-store.ts");

process.stdin.once("data", async () => {
  const store = (await postgres?.openPostgresStore(address, { schema })) ?? (await openSqliteStore(address));
  writeSync(1, "begun\n");
  for (;;) {
    await archiveThread(store, THREAD, { to, stillForMs: 0 });
    writeSync(1, "out\n");
    await unarchiveThread(store, THREAD);
    writeSync(1, "back\n");
  }
});
// A process that is killed leaves no compile cache for the next one unless it is flushed.
flushCompileCache();
writeSync(1, "ready\n");
