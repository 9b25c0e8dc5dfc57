import { checkArgument, checkCalls, checkOptions, ThreadfoldError } from "@threadfold/core";
import { asStoreError, inSchema } from "./postgres-connection.ts";
import { checkDriver, type PostgresDriver, type SqlSession } from "./postgres-driver.ts";
import { MIGRATIONS, TENANT_TABLES } from "./schema.ts";

/** Options for a migration: the schema to bring up to date, and the role for which its rows are secured. */
export interface PostgresMigration {
  /** The schema that contains the tables; `threadfold` by default. */
  readonly schema?: string;
  /**
   * Turns row-level security on, for the tables' owner as well, and grants this role what a store needs: to read and
   * add rows, but not to change or delete what is logged. Once on, it stays on.
   */
  readonly applicationRole?: string;
}

/** Serializes migrations of all schemas of a database. The number is the first bytes of "threadfold", to be unique. */
const MIGRATION_LOCK = "SELECT pg_advisory_xact_lock(8388080085728781935);";

const ROLE_NAME = /^[^"\0]{1,63}$/;

/**
 * Brings the tables up to date in one transaction, and creates them if they do not exist. Processes that do so at the
 * same time take turns. Call it as a role that may create tables.
 *
 * @throws ThreadfoldError `STORE_FOREIGN` when the schema holds tables of another program or a newer version, which are
 * left unchanged; `STORE_UNAVAILABLE`; `INVALID_CONFIG` for an invalid name of a schema or role, or without a driver.
 */
export async function migratePostgres(driver: PostgresDriver, options: PostgresMigration = {}): Promise<void> {
  checkDriver("driver", driver);
  checkOptions("options", options, { schema: "any", applicationRole: "any" });
  return migrateBy(MIGRATIONS, driver, options);
}

/** Does what {@link migratePostgres} does with other migrations, such as those of a later version, to test upgrades. */
export async function migrateBy(
  migrations: readonly string[],
  driver: PostgresDriver,
  { schema: name, applicationRole }: PostgresMigration,
): Promise<void> {
  const schema = schemaName(name);
  if (applicationRole !== undefined && !ROLE_NAME.test(applicationRole)) {
    throw new ThreadfoldError("INVALID_CONFIG", "applicationRole has to be the name of a role.");
  }
  await guarded(() =>
    driver.transaction(
      MIGRATION_LOCK,
      async (session) => {
        await requireUtf8(session);
        const version = await readVersion(session, schema, migrations.length);
        if (version === null) await create(session, schema);
        await upgrade(session, schema, migrations, version ?? 0);
        // What was secured stays secured: roles from earlier migrations also get the new tables and grants.
        const roles = new Set(version === migrations.length ? [] : await securedRoles(session, schema));
        if (applicationRole !== undefined) roles.add(applicationRole);
        for (const role of roles) await secureTables(session, schema, role);
      },
      true,
    ),
  );
}

/**
 * Returns the version of a schema's tables; null when it has none.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a driver or the name of a schema; `STORE_UNAVAILABLE`.
 */
export async function schemaVersionOf(driver: PostgresDriver, schema: string): Promise<number | null> {
  checkDriver("driver", driver);
  checkArgument("schema", schema, "name");
  return guarded(() => readVersion(driver, schema, MIGRATIONS.length));
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

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

async function upgrade(
  session: SqlSession,
  schema: string,
  migrations: readonly string[],
  from: number,
): Promise<void> {
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    await session.script(inSchema(migration, schema));
    await session.query(`INSERT INTO "${schema}".schema_versions (version) VALUES ($1)`, [index + 1]);
  }
}

async function readVersion(session: SqlSession, schema: string, newest: number): Promise<number | null> {
  const [table] = await session.query<{ there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS there", [
    `"${schema}".schema_versions`,
  ]);
  if (table?.there !== true) return null;
  const [row] = await session.query<{ version: number | null }>(
    `SELECT max(version) AS version FROM "${schema}".schema_versions`,
  );
  const version = row?.version ?? 0;
  if (version > newest) {
    throw foreign(schema, `a newer Threadfold wrote it (schema ${version}; this one knows up to ${newest})`);
  }
  return version;
}

async function requireUtf8(session: SqlSession): Promise<void> {
  const [row] = await session.query<{ server_encoding: string }>("SHOW server_encoding");
  if (row?.server_encoding === "UTF8") return;
  throw new ThreadfoldError("STORE_UNAVAILABLE", `The database is encoded as ${row?.server_encoding}, not as UTF8.`, {
    hint: "Create the database with ENCODING 'UTF8'.",
  });
}

function foreign(schema: string, reason: string): ThreadfoldError {
  return new ThreadfoldError("STORE_FOREIGN", `The schema ${schema} was not opened: ${reason}.`, {
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

/** Matches rows of the tenant that the transaction names, and none when it names none. */
const OWN_ROWS = "tenant = (SELECT current_setting('threadfold.tenant', true))";

/** What an application may do besides reading and adding rows. The tables' guards restrict it further. */
const PRIVILEGES = [
  "UPDATE (created_at, ttl_seconds, sensitivity), DELETE ON @.artifacts",
  "UPDATE (content), DELETE ON @.artifact_contents",
  "UPDATE (body), DELETE ON @.entry_bodies",
  "UPDATE (body), DELETE ON @.plan_bodies",
  "UPDATE (request_digest), DELETE ON @.receipts",
  "DELETE ON @.entries",
  "DELETE ON @.plans",
  "DELETE ON @.journal",
  "UPDATE (is_cold, is_dropped), DELETE ON @.archives",
  "DELETE ON @.recall_passages",
];

/** Makes every table show and accept rows of one tenant at a time, and grants a role what a store needs. */
async function secureTables(session: SqlSession, schema: string, role: string): Promise<void> {
  await requireRole(session, role);
  const grantee = `"${role}"`;
  for (const name of TENANT_TABLES) {
    const table = `"${schema}".${name}`;
    await session.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    await session.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
    await session.query(`DROP POLICY IF EXISTS own_rows ON ${table}`);
    await session.query(`CREATE POLICY own_rows ON ${table} USING (${OWN_ROWS}) WITH CHECK (${OWN_ROWS})`);
    await session.query(`GRANT SELECT, INSERT ON ${table} TO ${grantee}`);
  }
  await session.query(`GRANT USAGE ON SCHEMA "${schema}" TO ${grantee}`);
  await session.query(`GRANT SELECT ON "${schema}".schema_versions TO ${grantee}`);
  for (const privilege of PRIVILEGES) await session.query(inSchema(`GRANT ${privilege} TO ${grantee}`, schema));
}

/** Returns the roles that a schema was secured for; none when it was not. */
async function securedRoles(session: SqlSession, schema: string): Promise<readonly string[]> {
  const rows = await session.query<{ role: string }>(
    `SELECT DISTINCT rolname AS role FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
      CROSS JOIN LATERAL aclexplode(relacl) AS granted JOIN pg_roles ON pg_roles.oid = grantee
      WHERE nspname = $1 AND relname = 'threads' AND relforcerowsecurity AND privilege_type = 'INSERT'
        AND grantee <> relowner`,
    [schema],
  );
  return rows.map(({ role }) => role);
}

/** What the server enforces for the role of this connection. */
export interface RowSecurity {
  /** True when every table shows and accepts rows of one tenant at a time. */
  readonly isOn: boolean;
  /** Why this role could bypass that; null when it cannot. */
  readonly loophole: string | null;
}

/**
 * Checks whether rows are secured, and whether this role is bound by that.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a session or the name of a schema.
 */
export async function readRowSecurity(session: SqlSession, schema: string): Promise<RowSecurity> {
  checkCalls("session", session, ["query"], "Pass connectPostgres(address).");
  checkArgument("schema", schema, "name");
  const [row] = await session.query<{ secured: number; owns: boolean; superuser: boolean; bypasses: boolean }>(
    `SELECT
      (SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname = $1 AND relname = ANY ($2::text[]) AND relrowsecurity AND relforcerowsecurity
        AND EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'own_rows')) AS secured,
      (SELECT coalesce(bool_or(pg_has_role(current_user, relowner, 'MEMBER')), false)
        FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1) AS owns,
      rolsuper AS superuser, rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user`,
    [schema, [...TENANT_TABLES]],
  );
  const isOn = Number(row?.secured) === TENANT_TABLES.length;
  if (row === undefined || row.superuser) return { isOn, loophole: "is a superuser" };
  if (row.bypasses) return { isOn, loophole: "bypasses row-level security (BYPASSRLS)" };
  return { isOn, loophole: row.owns ? "owns the tables, or may act as their owner" : null };
}

/** Refuses to start if one tenant's rows could be seen by another. @throws ThreadfoldError `STORE_UNSAFE_ROLE`. */
export function requireRowSecurity({ isOn, loophole }: RowSecurity, schema: string): void {
  if (isOn && loophole === null) return;
  const reason = loophole === null ? "the tables have no row-level security" : `the role ${loophole}`;
  throw new ThreadfoldError("STORE_UNSAFE_ROLE", `The schema ${schema} would not keep tenants apart: ${reason}.`, {
    hint:
      "As the owner: CREATE ROLE my_app LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS; then " +
      'migratePostgres(owner, { applicationRole: "my_app" }), and open the store as my_app.',
    details: { schema },
  });
}

async function requireRole(session: SqlSession, role: string): Promise<void> {
  const [row] = await session.query<{ rolname: string }>("SELECT rolname FROM pg_roles WHERE rolname = $1", [role]);
  if (row !== undefined) return;
  throw new ThreadfoldError("INVALID_CONFIG", "There is no role with the name in applicationRole.", {
    hint: "CREATE ROLE my_app LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS; then pass its name.",
  });
}
