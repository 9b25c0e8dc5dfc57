import { ThreadfoldError } from "@threadfold/core";
import { inSchema } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { TENANT_TABLES } from "./schema.ts";

/** Rows of the tenant that the transaction names, and none when it names none. */
const OWN_ROWS = "tenant = (SELECT current_setting('threadfold.tenant', true))";

/** What an application may do beside reading and adding rows. The tables' guards narrow it further. */
const PRIVILEGES = [
  "UPDATE (created_at, ttl_seconds, sensitivity), DELETE ON @.artifacts",
  "UPDATE (content), DELETE ON @.artifact_contents",
  "UPDATE (body) ON @.entry_bodies",
  "UPDATE (body) ON @.plan_bodies",
  "UPDATE (request_digest) ON @.receipts",
  "DELETE ON @.recall_passages",
];

/** Lets every table show and take rows of one tenant at a time, and grants a role what a store needs. */
export async function secureTables(session: SqlSession, schema: string, role: string): Promise<void> {
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

/** The roles that a schema was secured for; none when it was not. */
export async function securedRoles(session: SqlSession, schema: string): Promise<readonly string[]> {
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
  /** True when every table shows and takes rows of one tenant at a time. */
  readonly isOn: boolean;
  /** Why it could be got round by this role; null when it cannot. */
  readonly loophole: string | null;
}

/** Looks up whether rows are secured, and whether this role is bound by that. */
export async function readRowSecurity(session: SqlSession, schema: string): Promise<RowSecurity> {
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
  return { isOn, loophole: row.owns ? "owns the tables, or may act as who does" : null };
}

/** Refuses to start where one tenant's rows could be seen by another. @throws ThreadfoldError `STORE_UNSAFE_ROLE`. */
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
  throw new ThreadfoldError("INVALID_CONFIG", "There is no role of the name that applicationRole gives.", {
    hint: "CREATE ROLE my_app LOGIN PASSWORD '…' NOSUPERUSER NOBYPASSRLS; and give its name.",
  });
}
