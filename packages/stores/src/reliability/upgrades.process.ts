import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { NEXT_POSTGRES_VERSION, NEXT_SQLITE_VERSION } from "../testing/next-version.ts";

// Upgrades a store's tables to the next version once it receives a line, and lives until it is killed. Arguments: the
// store's path or address, and for an address its schema.
const [address = "", schema] = process.argv.slice(2);
// Only what is needed is loaded, and before the line arrives: the upgrade is what is to be killed.
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
// A process that is killed leaves no compile cache for the next one unless it is flushed.
flushCompileCache();
writeSync(1, "ready\n");
