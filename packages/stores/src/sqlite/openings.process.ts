import { openSqliteStore } from "./sqlite-store.ts";

// Opens the stores that are named on the command line, one after the other, as fast as it can.
for (const path of process.argv.slice(2)) await (await openSqliteStore(path)).close();
