import { asThreadId } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { dropPlan, metadata, OTHER_THREAD, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { furnishedSegments, MOVED, moveOut } from "../testing/furnished.ts";
import { connectForTests, createRole, findPostgres, freshSchema, type TestRole } from "../testing/services.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { openPostgresStore, type PostgresStore } from "./postgres-store.ts";
import { TENANT_TABLES } from "./schema.ts";

const service = await findPostgres();

describe.skipIf(!service.isThere)(`R20 row-level security in one PostgreSQL schema${service.note}`, () => {
  let owner: PostgresDriver;
  let role: TestRole;
  /** One connection, so that every tenant gets the one that another tenant just used. */
  let shared: PostgresDriver;
  let place: ReturnType<typeof freshSchema>;
  const open = (tenantId: string | null): Promise<PostgresStore> =>
    openPostgresStore(shared, { schema: place.schema, tenantId, rowLevelSecurity: true });

  beforeAll(async () => {
    owner = connectForTests(service.url);
    role = await createRole(owner, service.url);
    place = freshSchema(owner);
    await migratePostgres(owner, { schema: place.schema, applicationRole: role.name });
    shared = connectForTests(role.url, 1);
    for (const tenant of ["one", "two", null]) await fill(await open(tenant), tenant ?? "nobody");
  });
  afterAll(async () => {
    await shared.close();
    await place.drop();
    await role.drop();
    await owner.close();
  });

  /** Puts a row into every table. */
  async function fill(store: PostgresStore, secret: string): Promise<void> {
    await store.threads.append(THREAD, [...transcript(4), pin("p", "user", secret)], {
      expectedVersion: 0,
      idempotencyKey: "key",
    });
    await store.plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 4, author: secret }), 0);
    await store.artifacts.store(secret, metadata());
    const record = {
      type: "usage-reported",
      requestSequence: 1,
      usage: { inputTokens: 1, outputTokens: 1 },
    } as const;
    await store.journal.append(THREAD, record, START);
    await store.recall?.index(THREAD, (await store.threads.load(THREAD))?.messages ?? []);
    await store.threads.append(OTHER_THREAD, transcript(1), { expectedVersion: 0 });
    await eraseSubject(store, OTHER_THREAD, { actor: "test", reason: "test", at: START });
    await store.threads.append(MOVED, [pin("p", "user", secret)], { expectedVersion: 0 });
    await moveOut(store, MOVED);
  }

  /** What SQL without any condition sees in the tenant's transaction, as text. */
  const everything = (tenant: string): Promise<string> =>
    shared.transaction("", async (session) => {
      await session.query("SELECT set_config('threadfold.tenant', $1, true)", [JSON.stringify(tenant)]);
      const tables: string[] = [];
      for (const table of TENANT_TABLES) {
        const rows = await session.query<{ tenant: string }>(`SELECT * FROM ${place.schema}.${table}`);
        expect(rows.length, table).toBeGreaterThan(0);
        tables.push(...rows.map((row) => row.tenant));
      }
      return [...new Set(tables)].join();
    });

  it("shows SQL without WHERE only the rows of the transaction's tenant, and none without a tenant, on a reused connection", async () => {
    for (let round = 0; round < runs(20, 2_000).numRuns; round++) {
      expect(await everything("one")).toBe('"one"');
      expect(await everything("two")).toBe('"two"');
      for (const table of TENANT_TABLES)
        expect(await shared.query(`SELECT 1 FROM ${place.schema}.${table}`), table).toEqual([]);
      await expect(
        shared.transaction("SELECT set_config('threadfold.tenant', '\"two\"', true);", async () => {
          throw new Error("stopped in the middle");
        }),
      ).rejects.toThrow("stopped");
    }
  });

  it("blocks UPDATE, DELETE, TRUNCATE and INSERT on another tenant's rows in every table", async () => {
    const as = (sql: string): Promise<unknown> =>
      shared.transaction("SELECT set_config('threadfold.tenant', '\"one\"', true);", (session) => session.query(sql));
    const count = async (table: string): Promise<unknown> =>
      owner.query(`SELECT count(*) FROM ${place.schema}.${table} WHERE tenant <> '"one"'`);
    for (const table of TENANT_TABLES) {
      const before = await count(table);
      const name = `${place.schema}.${table}`;
      for (const sql of [
        `UPDATE ${name} SET tenant = tenant WHERE tenant <> '"one"'`,
        `DELETE FROM ${name}`,
        `TRUNCATE ${name}`,
      ])
        if (!(table === "recall_passages" && sql.startsWith("DELETE"))) await expect(as(sql), sql).rejects.toThrow();
      expect(await count(table)).toEqual(before);
    }
    const forged = `INSERT INTO ${place.schema}.threads (tenant, thread_id) VALUES ('"two"', 'forged')`;
    await expect(as(forged)).rejects.toMatchObject({ code: "42501" });
    const [foreign] = await owner.query<{ thread_key: number }>(
      `SELECT thread_key FROM ${place.schema}.threads WHERE tenant = '"two"'`,
    );
    const hung = `INSERT INTO ${place.schema}.receipts VALUES (${foreign?.thread_key}, 'fresh', '"one"', '', 1, 1)`;
    await expect(as(hung)).rejects.toMatchObject({ code: "23503" });
  });

  it("R19 returns nothing of another tenant's for any id", async () => {
    const [one, two] = [await open("one"), await open("two")];
    const receipts = [await one.archiver.receiptOf(MOVED), await two.archiver.receiptOf(MOVED)];
    expect(receipts.map((receipt) => receipt?.tenant)).toEqual(['"one"', '"two"']);
    expect(receipts[0]?.key).not.toBe(receipts[1]?.key);
    const [own] = await two.artifacts.list(THREAD);
    expect(own).toBeDefined();
    expect(await one.artifacts.retrieve(own as never)).toBeNull();
    expect(await one.artifacts.getMetadata(own as never)).toBeNull();
    await two.threads.append(asThreadId("only two's"), transcript(1), { expectedVersion: 0 });
    expect(await one.threads.load(asThreadId("only two's"))).toBeNull();
    expect((await one.threads.list()).items.map(({ threadId }) => threadId)).toEqual([THREAD, OTHER_THREAD, MOVED]);
    const texts = [...((await one.threads.load(THREAD))?.livePins.values() ?? [])].map(({ text }) => text);
    expect(texts).toEqual(["one"]);
  });

  it("may hide rows moved to another tenant from the tenant's verify, but the owner's verify finds them all", async () => {
    const hidden: string[] = [];
    const byOwner = await openPostgresStore(owner, { schema: place.schema, tenantId: "one" });
    for (const table of TENANT_TABLES.filter((name) => name !== "threads")) {
      const name = `${place.schema}.${table}`;
      const move = (from: string, to: string) =>
        owner.script(`SET session_replication_role = replica;
          UPDATE ${name} SET tenant = '"${to}"' WHERE tenant = '"${from}"';
          SET session_replication_role = DEFAULT`);
      await move("one", "three");
      const opened = await open("one");
      if ((await verifyStore(opened, undefined, { segments: furnishedSegments })).length === 0) hidden.push(table);
      const problem = `rows of ${table} belong to another tenant than their thread`;
      const byAll = await verifyStore(byOwner, undefined, { segments: furnishedSegments });
      expect(byAll, table).toContainEqual(expect.objectContaining({ family: "file", problem }));
      await move("three", "one");
    }
    // What nobody misses: the journal names none of them.
    expect(hidden).toEqual(["receipts", "plans", "artifacts", "recall_passages", "archives"]);
    expect(await verifyStore(byOwner, undefined, { segments: furnishedSegments })).toEqual([]);
  });

  it("refuses to open as the owner, a superuser or a role that bypasses it, and where it is off", async () => {
    const refusal = { code: "STORE_UNSAFE_ROLE", hint: expect.stringContaining("CREATE ROLE") };
    const secured = { schema: place.schema, rowLevelSecurity: true };
    await expect(openPostgresStore(owner, secured)).rejects.toMatchObject(refusal);
    await owner.script(`ALTER ROLE ${role.name} BYPASSRLS`);
    await expect(openPostgresStore(shared, secured)).rejects.toMatchObject(refusal);
    await owner.script(
      `ALTER ROLE ${role.name} NOBYPASSRLS; ALTER TABLE ${place.schema}.journal OWNER TO ${role.name}`,
    );
    await expect(openPostgresStore(shared, secured)).rejects.toMatchObject(refusal);
    await owner.script(`ALTER TABLE ${place.schema}.journal OWNER TO CURRENT_USER;
      ALTER TABLE ${place.schema}.journal NO FORCE ROW LEVEL SECURITY`);
    await expect(openPostgresStore(shared, secured)).rejects.toMatchObject(refusal);
    await owner.script(`ALTER TABLE ${place.schema}.journal FORCE ROW LEVEL SECURITY`);
    await owner.script(`GRANT SELECT, INSERT ON ${place.schema}.journal TO ${role.name}`);
    await (await openPostgresStore(shared, secured)).close();
  });

  it("refuses to open where there are no tables yet, and says that migratePostgres creates them", async () => {
    await expect(
      openPostgresStore(shared, { schema: "threadfold_test_none", rowLevelSecurity: true }),
    ).rejects.toMatchObject({ code: "STORE_UNAVAILABLE", hint: expect.stringContaining("migratePostgres") });
    await expect(openPostgresStore(shared, { schema: "threadfold_test_none" })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
  });

  it("lets a role bound to one tenant read and write no other tenant's rows, whichever tenant its SQL names", async () => {
    const bound = await createRole(owner, service.url);
    await migratePostgres(owner, { schema: place.schema, applicationRole: bound.name });
    for (const table of TENANT_TABLES)
      await owner.script(`CREATE POLICY of_one_${bound.name} ON ${place.schema}.${table} AS RESTRICTIVE TO ${bound.name}
        USING (tenant = '"one"')`);
    // Migrating again, as a new version does, leaves what binds it.
    await migratePostgres(owner, { schema: place.schema, applicationRole: bound.name });
    const connection = connectForTests(bound.url, 1);
    const named = (sql: string): Promise<unknown> =>
      connection.transaction("SELECT set_config('threadfold.tenant', '\"two\"', true);", (session) =>
        session.query(sql),
      );
    try {
      for (const table of TENANT_TABLES)
        expect(await named(`SELECT 1 FROM ${place.schema}.${table}`), table).toEqual([]);
      const forged = `INSERT INTO ${place.schema}.threads (tenant, thread_id) VALUES ('"two"', 'forged')`;
      await expect(named(forged)).rejects.toMatchObject({ code: "42501" });
      const secured = { schema: place.schema, rowLevelSecurity: true };
      const [one, two] = [
        await openPostgresStore(connection, { ...secured, tenantId: "one" }),
        await openPostgresStore(connection, { ...secured, tenantId: "two" }),
      ];
      expect((await one.threads.load(THREAD))?.version).toBe(5);
      const bornHere = asThreadId("of the bound role");
      await one.threads.append(bornHere, transcript(2), { expectedVersion: 0 });
      expect((await one.threads.load(bornHere))?.version).toBe(2);
      expect(await two.threads.load(THREAD)).toBeNull();
      const refused = await two.threads.append(bornHere, transcript(1), { expectedVersion: 0 }).catch(String);
      await expect(two.threads.append(bornHere, transcript(1), { expectedVersion: 0 })).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        retryable: false,
        message: expect.stringMatching(/row-level security policy.*42501/),
        hint: expect.stringMatching(/tenant(?!.*migratePostgres)/),
        details: { sqlState: "42501" },
      });
      expect(refused).not.toContain(bornHere);
      // A grant that is missing is something else.
      await owner.script(`REVOKE INSERT ON ${place.schema}.entries FROM ${bound.name}`);
      await expect(one.threads.append(bornHere, transcript(3).slice(2), { expectedVersion: 2 })).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        hint: expect.stringContaining("migratePostgres"),
      });
      await owner.script(`ALTER ROLE ${bound.name} NOLOGIN`);
      await expect(openPostgresStore(bound.url, { ...secured, tenantId: "one" })).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringMatching(/role log in.*28000/),
        hint: expect.stringContaining("LOGIN"),
      });
    } finally {
      await connection.close();
      await bound.drop();
    }
  });
});
