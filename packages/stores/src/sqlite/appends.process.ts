import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { message, THREAD } from "../conformance/sample-data.ts";
import { openSqliteStore } from "./sqlite-store.ts";

// Appends to the store at the given path as fast as it can, and acknowledges each append on stdout once it returned.
// It starts when it gets a line, and lives until it is killed.
process.stdin.once("data", async () => {
  const store = await openSqliteStore(process.argv[2] as string);
  const first = (await store.threads.load(THREAD))?.version ?? 0;
  for (let version = first; ; version++) {
    await store.threads.append(
      THREAD,
      [{ type: "message", message: message(version, "x".repeat((version * 97) % 9_000)) }],
      {
        expectedVersion: version,
      },
    );
    writeSync(1, `${version + 1}\n`);
  }
});
// A process that is killed leaves no compile cache behind for the next one unless it says so.
flushCompileCache();
writeSync(1, "ready\n");
