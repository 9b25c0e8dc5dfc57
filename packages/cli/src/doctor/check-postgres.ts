import type { PostgresDriver } from "@threadfold/stores/postgres";
import { type Checkup, checkup } from "./checkup.ts";

const SCHEMA = "threadfold";
const LEAST_VERSION = 140_000;

/** The server of a PostgreSQL store, its tables, and whether it would keep tenants apart. */
export async function checkPostgres(address: string): Promise<readonly Checkup[]> {
  const { connectPostgres, readRowSecurity, schemaVersionOf } = await import("@threadfold/stores/postgres");
  const driver = connectPostgres(address, { maxConnections: 1 });
  try {
    const server = await checkServer(driver);
    const version = await schemaVersionOf(driver, SCHEMA);
    const tables =
      version === null
        ? checkup("postgres.tables", "missing", `no tables in the schema ${SCHEMA}`, "migratePostgres makes them.")
        : checkup("postgres.tables", "ok", `the schema ${SCHEMA} is at version ${version}`);
    const { isOn, loophole } = await readRowSecurity(driver, SCHEMA);
    const role =
      loophole === null
        ? checkup("postgres.role", "ok", "row-level security binds this role")
        : checkup("postgres.role", "warning", `this role ${loophole}`, "Serve several tenants as a role of its own.");
    const security = isOn
      ? checkup("postgres.row-level-security", "ok", "on for all tables")
      : checkup("postgres.row-level-security", "warning", "off", "migratePostgres with applicationRole turns it on.");
    return [...server, tables, role, security];
  } finally {
    await driver.close();
  }
}

async function checkServer(driver: PostgresDriver): Promise<readonly Checkup[]> {
  const [row] = await driver.query<Record<"number" | "version" | "encoding" | "fsync" | "synchronous", string>>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS synchronous`,
  );
  const { number = "0", version = "unknown", encoding = "unknown", fsync, synchronous } = row ?? {};
  const isKnown = Number(number) >= LEAST_VERSION;
  const isDurable = fsync === "on" && synchronous !== "off";
  return [
    isKnown
      ? checkup("postgres", "ok", `PostgreSQL ${version}`)
      : checkup("postgres", "warning", `PostgreSQL ${version}`, "It is older than what the tests run with."),
    encoding === "UTF8"
      ? checkup("postgres.encoding", "ok", encoding)
      : checkup("postgres.encoding", "failed", encoding, "Create the database with ENCODING 'UTF8'."),
    isDurable
      ? checkup("postgres.durability", "ok", `fsync ${fsync}, synchronous_commit ${synchronous}`)
      : checkup(
          "postgres.durability",
          "warning",
          `fsync ${fsync}, synchronous_commit ${synchronous}`,
          "What was acknowledged may be gone after the server crashed.",
        ),
  ];
}
