import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { dropPlan, message, THREAD } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

// Appends and commits as fast as it can, and acknowledges each on stdout once it has returned: `append 7`, `commit 2`.
// It starts when it receives a line, and lives until it is killed. Arguments: the store's path or address, and for an
// address its schema.
const [address = "", schema] = process.argv.slice(2);
// Only what is needed is loaded: starting is most of the cost of a process that is killed.
const postgres = schema === undefined ? undefined : await import("../postgres/postgres-store.ts");

process.stdin.once("data", async () => {
  const store = (await postgres?.openPostgresStore(address, { schema })) ?? (await openSqliteStore(address));
  let version = (await store.threads.load(THREAD))?.version ?? 0;
  let planVersion = (await store.plans.getCurrentPlan(THREAD)).version;
  for (;;) {
    const text = "x".repeat((version * 97) % 9_000);
    const entry = { type: "message" as const, message: message(version, text) };
    await store.threads.append(THREAD, [entry], { expectedVersion: version });
    writeSync(1, `append ${++version}\n`);
    if (version % 3 !== 0) continue;
    const plan = dropPlan([{ id: message(0).id, turn: 1 }], { version: planVersion + 1, threadVersion: version });
    const result = await store.plans.commitPlan(THREAD, plan, planVersion);
    if (result.status !== "committed") throw new Error(`the only committer met ${result.status}`);
    writeSync(1, `commit ${++planVersion}\n`);
  }
});
// A process that is killed leaves no compile cache for the next one unless it is flushed.
flushCompileCache();
writeSync(1, "ready\n");
