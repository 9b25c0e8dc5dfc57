import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { NEXT_POSTGRES_VERSION, NEXT_SQLITE_VERSION } from "../testing/next-version.ts";

// Brings a store's tables to the next version when it gets a line, and lives until it is killed. Arguments: path or
// address, and the schema of the latter.
const [address = "", schema] = process.argv.slice(2);
// Only what is needed is loaded, and before the line: what is killed is the upgrade.
const upgrade = await (schema === undefined ? ofSqlite() : ofPostgres(schema));

async function ofSqlite(): Promise<() => Promise<unknown>> {
  const { openConnection } = await import("../sqlite/open-connection.ts");
  const { MIGRATIONS } = await import("../sqlite/schema.ts");
  return () => openConnection(address, [...MIGRATIONS, NEXT_SQLITE_VERSION]);
}

async function ofPostgres(place: string): Promise<() => Promise<unknown>> {
  const { connectPostgres } = await import("../postgres/postgres-driver.ts");
  const { migrateBy } = await import("../postgres/migrate-postgres.ts");
  const { MIGRATIONS } = await import("../postgres/schema.ts");
  return () => migrateBy([...MIGRATIONS, NEXT_POSTGRES_VERSION], connectPostgres(address), { schema: place });
}

process.stdin.once("data", async () => {
  await upgrade();
  writeSync(1, "upgraded\n");
});
// A process that is killed leaves no compile cache behind for the next one unless it says so.
flushCompileCache();
writeSync(1, "ready\n");
