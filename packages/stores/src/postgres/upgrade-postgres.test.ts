import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { runs } from "@threadfold/core/laws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveThread, unarchiveThread } from "../archive-thread.ts";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject, sweepExpired } from "../erasure/erase-subject.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { dropPlan, message, OTHER_THREAD, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { onLanes } from "../reliability/rounds.ts";
import { childEnvironment, nodeArguments, removeCompiled, unlessEnded } from "../testing/child.ts";
import { folderIn } from "../testing/furnished.ts";
import { NEXT_POSTGRES_VERSION } from "../testing/next-version.ts";
import { connectForTests, createRole, findPostgres, freshSchema } from "../testing/services.ts";
import { migrateBy, migratePostgres, readRowSecurity } from "./migrate-postgres.ts";
import { inSchema } from "./postgres-connection.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { MIGRATIONS, SCHEMA_VERSION, TENANT_TABLES } from "./schema.ts";

const service = await findPostgres();
const fixtures = fileURLToPath(new URL("../reliability/fixtures", import.meta.url));
const versions = readdirSync(fixtures).flatMap((name) =>
  (/^postgres-(\d+)\.json\.gz$/.exec(name) ?? []).slice(1).map(Number),
);
/** Tables whose rows others refer to come first. */
const PARENTS = ["threads", "artifacts"];

/** The tables of an older version with their rows, as that version wrote them. */
interface Fixture {
  readonly migrations: readonly string[];
  readonly rows: Readonly<Record<string, readonly unknown[]>>;
  readonly exported: readonly string[];
}

const fixtureOf = (version: number): Fixture =>
  JSON.parse(gunzipSync(readFileSync(`${fixtures}/postgres-${version}.json.gz`)).toString()) as Fixture;

async function restore(owner: PostgresDriver, schema: string, { migrations, rows }: Fixture): Promise<void> {
  await owner.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.schema_versions (version integer PRIMARY KEY)`);
  for (const [index, migration] of migrations.entries()) {
    await owner.script(inSchema(migration, schema));
    await owner.query(`INSERT INTO ${schema}.schema_versions VALUES ($1)`, [index + 1]);
  }
  const tables = Object.keys(rows).sort((a, b) => Number(PARENTS.includes(b)) - Number(PARENTS.includes(a)));
  for (const table of tables)
    await owner.query(
      `INSERT INTO ${schema}.${table} OVERRIDING SYSTEM VALUE
        SELECT * FROM json_populate_recordset(NULL::${schema}.${table}, $1::json)`,
      [JSON.stringify(rows[table])],
    );
  for (const [table, column] of [
    ["threads", "thread_key"],
    ["artifacts", "artifact_key"],
    ["recall_passages", "passage_key"],
  ])
    await owner.query(`SELECT setval(pg_get_serial_sequence('${schema}.${table}', '${column}'), 1000)`);
}

describe.skipIf(!service.isThere)(`R33 PostgreSQL tables of another version${service.note}`, () => {
  let owner: PostgresDriver;
  beforeAll(() => void (owner = connectForTests(service.url, 4)));
  afterAll(() => {
    removeCompiled();
    return owner.close();
  });
  const versionsIn = async (schema: string): Promise<readonly number[]> => {
    const rows = await owner.query<{ version: number }>(
      `SELECT version FROM ${schema}.schema_versions ORDER BY version`,
    );
    return rows.map(({ version }) => version);
  };

  it("R33 exist as fixtures for every schema version so far", () => {
    const all = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
    expect(versions.sort((one, other) => one - other)).toEqual(all);
  });

  it.for(versions)("R33 of version %s are upgraded, export the same bytes and accept further work", async (version) => {
    const { schema, drop } = freshSchema(owner);
    const fixture = fixtureOf(version);
    await restore(owner, schema, fixture);
    const store = await openPostgresStore(owner, { schema });
    expect(await verifyStore(store)).toEqual([]);
    expect([await exportThread(store, THREAD), await exportThread(store, OTHER_THREAD)]).toEqual(fixture.exported);
    const again = { expectedVersion: 0, idempotencyKey: "key" };
    expect(await store.threads.append(THREAD, [...transcript(8), pin("p1")], again)).toEqual({
      version: 9,
      appended: 9,
    });
    const plan = dropPlan([{ id: message(4).id, turn: 2 }], { version: 2, threadVersion: 9 });
    expect((await store.plans.commitPlan(THREAD, plan, 1)).status).toBe("committed");
    await eraseSubject(store, OTHER_THREAD, { actor: "test", reason: "test", at: START });
    expect(await sweepExpired(store, Date.now())).toBe(0);
    await expect(store.threads.load(OTHER_THREAD)).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await drop();
  });

  it("R33 R20 keep row-level security after an upgrade, and their roles get the new version's rights", async () => {
    const { schema, drop } = freshSchema(owner);
    const role = await createRole(owner, service.url);
    await restore(owner, schema, fixtureOf(SCHEMA_VERSION));
    // As a version secured its tables in which an application could add rows and do nothing else.
    for (const table of TENANT_TABLES)
      await owner.script(`ALTER TABLE ${schema}.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        CREATE POLICY own_rows ON ${schema}.${table} USING (tenant = current_setting('threadfold.tenant', true));
        GRANT SELECT, INSERT ON ${schema}.${table} TO ${role.name}`);
    const maySweep = async (): Promise<boolean> => {
      const [found] = await owner.query<{ may: boolean }>("SELECT has_table_privilege($1, $2, 'DELETE') AS may", [
        role.name,
        `${schema}.artifacts`,
      ]);
      return found?.may === true;
    };
    expect(await maySweep()).toBe(false);
    await migrateBy([...MIGRATIONS, NEXT_POSTGRES_VERSION], owner, { schema });
    expect(await maySweep()).toBe(true);
    expect(await readRowSecurity(owner, schema)).toMatchObject({ isOn: true });
    const application = connectForTests(role.url, 2);
    await expect(openPostgresStore(application, { schema, rowLevelSecurity: true })).rejects.toMatchObject({
      code: "STORE_FOREIGN",
      message: expect.stringContaining("a newer Threadfold wrote it"),
    });
    await application.close();
    await drop();
    await role.drop();
  });

  it("R33 R20 from before archiving let the roles they were secured for archive threads once upgraded", async () => {
    const { schema, drop } = freshSchema(owner);
    const role = await createRole(owner, service.url);
    await restore(owner, schema, fixtureOf(1));
    for (const table of TENANT_TABLES.filter((name) => name !== "archives"))
      await owner.script(`ALTER TABLE ${schema}.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        CREATE POLICY own_rows ON ${schema}.${table} USING (tenant = current_setting('threadfold.tenant', true));
        GRANT SELECT, INSERT ON ${schema}.${table} TO ${role.name}`);
    await migratePostgres(owner, { schema });
    const application = connectForTests(role.url, 2);
    const store = await openPostgresStore(application, { schema, rowLevelSecurity: true });
    const open = async () => folderIn(objects);
    const objects = new Map<string, Uint8Array>();
    const exported = await exportThread(store, THREAD);
    await archiveThread(store, THREAD, { to: "/cold", open, stillForMs: 0 });
    expect(await verifyStore(store, undefined, { segments: open })).toEqual([]);
    await unarchiveThread(store, THREAD, { open });
    expect(await exportThread(store, THREAD)).toBe(exported);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await application.close();
    await drop();
    await role.drop();
  });

  it("R33 can only be upgraded by their owner where row-level security is on", async () => {
    const { schema, drop } = freshSchema(owner);
    const role = await createRole(owner, service.url);
    // The tables of a version before the first: none yet.
    await owner.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.schema_versions (version integer PRIMARY KEY);
      GRANT USAGE ON SCHEMA ${schema} TO ${role.name}; GRANT SELECT ON ${schema}.schema_versions TO ${role.name}`);
    const application = connectForTests(role.url, 2);
    const secured = { schema, rowLevelSecurity: true };
    await expect(openPostgresStore(application, secured)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      hint: expect.stringContaining("migratePostgres"),
    });
    await migratePostgres(owner, { schema, applicationRole: role.name });
    const store = await openPostgresStore(application, secured);
    await store.threads.append(THREAD, transcript(2), { expectedVersion: "no-thread" });
    await eraseSubject(store, THREAD, { actor: "test", reason: "test", at: START });
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await application.close();
    await drop();
    await role.drop();
  });

  it("R33 are completely old or completely new after the upgrading process is killed (20 kills)", async ({ task }) => {
    const kills = runs(20, 50).numRuns;
    const fixture = fixtureOf(SCHEMA_VERSION);
    const left = { old: 0, new: 0 };
    await onLanes(2, kills, async (round) => {
      const { schema, drop } = freshSchema(owner);
      await restore(owner, schema, fixture);
      await killWhileUpgrading([service.url, schema], (round * 13) % 160);
      await connectionsGone(schema);
      const isOld = (await versionsIn(schema)).length === SCHEMA_VERSION;
      left[isOld ? "old" : "new"]++;
      const [made] = await owner.query<{ copied: string | null }>("SELECT to_regclass($1)::text AS copied", [
        `${schema}.copied`,
      ]);
      expect(made?.copied === null).toBe(isOld);
      if (isOld) {
        const store = await openPostgresStore(owner, { schema });
        expect([await exportThread(store, THREAD), await exportThread(store, OTHER_THREAD)]).toEqual(fixture.exported);
        expect(await verifyStore(store)).toEqual([]);
        await store.close();
      } else await expect(openPostgresStore(owner, { schema })).rejects.toMatchObject({ code: "STORE_FOREIGN" });
      await drop();
    });
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", kills, ...left, half: 0 } });
  });

  /** The server ends what a killed process had asked for, and only then its connections. */
  async function connectionsGone(name: string): Promise<void> {
    for (;;) {
      const left = await owner.query("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", [name]);
      if (left.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

/** Starts a process that opens a store, and kills it so long after it began to. Its connections have the schema's name. */
async function killWhileUpgrading(address: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, nodeArguments("reliability/upgrades.process.ts", address), {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...childEnvironment(), PGAPPNAME: address[1] },
  });
  await unlessEnded(child, once(child.stdout, "data"));
  child.stdout.resume();
  child.stdin.write("go\n");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await once(child, "close");
}
