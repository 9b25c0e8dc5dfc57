import { ThreadfoldError } from "@threadfold/core";
import { inSchema } from "./postgres-connection.ts";
import type { PostgresDriver, SqlSession } from "./postgres-driver.ts";
import { asStoreError } from "./postgres-errors.ts";
import { securedRoles, secureTables } from "./row-level-security.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";

/** Serializes migrations of all schemas of a database. The number is nobody else's: the first bytes of "threadfold". */
const MIGRATION_LOCK = "SELECT pg_advisory_xact_lock(8388080085728781935);";
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const ROLE_NAME = /^[^"\0]{1,63}$/;

/** How tables are made. */
export interface PostgresMigration {
  /** The schema to put the tables into; `threadfold` by default. */
  readonly schema?: string;
  /**
   * Turns row-level security on, also for the tables' owner, and grants this role what a store needs: to read and add
   * rows, and neither to change nor to delete what is logged. Once on, it stays on.
   */
  readonly applicationRole?: string;
}

/**
 * Brings the tables up to date in one transaction, and makes them when they are not there. Processes that do so at the
 * same time take turns. Call it as a role that may create them.
 *
 * @throws ThreadfoldError `STORE_FOREIGN` when the schema holds tables of another program or a newer version, which are
 * left as they are; `STORE_UNAVAILABLE`; `INVALID_CONFIG` for names that are none.
 */
export async function migratePostgres(driver: PostgresDriver, options: PostgresMigration = {}): Promise<void> {
  const schema = schemaName(options.schema);
  const { applicationRole } = options;
  if (applicationRole !== undefined && !ROLE_NAME.test(applicationRole)) {
    throw new ThreadfoldError("INVALID_CONFIG", "applicationRole has to be the name of a role.");
  }
  await guarded(() =>
    driver.transaction(
      MIGRATION_LOCK,
      async (session) => {
        await requireUtf8(session);
        const version = await readVersion(session, schema);
        if (version === null) await create(session, schema);
        await upgrade(session, schema, version ?? 0);
        // What was secured stays so: new tables and grants are there for the roles of before as well.
        const roles = new Set(version === SCHEMA_VERSION ? [] : await securedRoles(session, schema));
        if (applicationRole !== undefined) roles.add(applicationRole);
        for (const role of roles) await secureTables(session, schema, role);
      },
      true,
    ),
  );
}

/** The version of a schema's tables; null when it has none. */
export async function schemaVersionOf(driver: PostgresDriver, schema: string): Promise<number | null> {
  return guarded(() => readVersion(driver, schema));
}

/** Checks a schema's name. @throws ThreadfoldError `INVALID_CONFIG`. */
export function schemaName(schema = "threadfold"): string {
  if (SCHEMA_NAME.test(schema)) return schema;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    "schema has to be a name of lower-case letters, digits and _, at most 63.",
  );
}

async function create(session: SqlSession, schema: string): Promise<void> {
  const [found] = await session.query<{ exists: boolean; relations: number }>(
    `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS exists,
      (SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1) AS relations`,
    [schema],
  );
  if (found?.exists !== true) await session.query(`CREATE SCHEMA "${schema}"`);
  else if (found.relations > 0) throw foreign(schema, "it holds tables of another program");
  await session.query(`CREATE TABLE "${schema}".schema_versions (version integer PRIMARY KEY)`);
}

async function upgrade(session: SqlSession, schema: string, from: number): Promise<void> {
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < from) continue;
    await session.script(inSchema(migration, schema));
    await session.query(`INSERT INTO "${schema}".schema_versions (version) VALUES ($1)`, [index + 1]);
  }
}

async function readVersion(session: SqlSession, schema: string): Promise<number | null> {
  const [table] = await session.query<{ there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS there", [
    `"${schema}".schema_versions`,
  ]);
  if (table?.there !== true) return null;
  const [row] = await session.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM "${schema}".schema_versions`,
  );
  const version = row?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw foreign(schema, `a newer Threadfold wrote it (schema ${version}; this one knows up to ${SCHEMA_VERSION})`);
  }
  return version;
}

async function requireUtf8(session: SqlSession): Promise<void> {
  const [row] = await session.query<{ server_encoding: string }>("SHOW server_encoding");
  if (row?.server_encoding === "UTF8") return;
  throw new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `The database is encoded as ${row?.server_encoding} and not as UTF8.`,
    {
      hint: "Create the database with ENCODING 'UTF8'.",
    },
  );
}

function foreign(schema: string, reason: string): ThreadfoldError {
  return new ThreadfoldError("STORE_FOREIGN", `The schema ${schema} is not opened: ${reason}.`, {
    details: { schema },
  });
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw asStoreError(cause);
  }
}
