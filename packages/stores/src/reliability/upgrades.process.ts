import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openPostgresStore } from "../postgres/postgres-store.ts";

// Opens a store when it gets a line, which brings its tables up to date, and lives until it is killed. Arguments: address
// and schema.
const [address = "", schema = ""] = process.argv.slice(2);
process.stdin.once("data", async () => {
  await openPostgresStore(address, { schema });
  writeSync(1, "opened\n");
});
// A process that is killed leaves no compile cache behind for the next one unless it says so.
flushCompileCache();
writeSync(1, "ready\n");
