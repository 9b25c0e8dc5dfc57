import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { dropPlan, metadata, OTHER_THREAD, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { connectForTests, findPostgres, freshSchema, type TestSchema } from "../testing/services.ts";
import { migratePostgres, readRowSecurity, schemaVersionOf } from "./migrate-postgres.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { listenToPlans } from "./postgres-plans.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { APPEND_ONLY_TABLES, MIGRATIONS, textKey, textOfKey } from "./schema.ts";

const service = await findPostgres();

describe.skipIf(!service.isThere)(`the tables of a PostgreSQL store${service.note}`, () => {
  let owner: PostgresDriver;
  let place: TestSchema;
  beforeAll(() => void (owner = connectForTests(service.url)));
  beforeEach(() => {
    place = freshSchema(owner);
    return () => place.drop();
  });
  afterAll(() => owner.close());

  it("R33 are created once by concurrent migrations and left alone when they are up to date", async () => {
    await Promise.all(Array.from({ length: 6 }, () => migratePostgres(owner, { schema: place.schema })));
    await migratePostgres(owner, { schema: place.schema });
    expect(await owner.query(`SELECT version FROM ${place.schema}.schema_versions`)).toEqual(
      MIGRATIONS.map((_, index) => ({ version: index + 1 })),
    );
  });

  it("are not created in a schema of another program or a newer version, which stays as it is", async () => {
    await owner.script(`CREATE SCHEMA ${place.schema}; CREATE TABLE ${place.schema}.theirs (id int)`);
    await expect(openPostgresStore(owner, { schema: place.schema })).rejects.toMatchObject({ code: "STORE_FOREIGN" });
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = '${place.schema}'::regnamespace`;
    expect(await owner.query(tables)).toEqual([{ relname: "theirs" }]);
    await owner.script(`DROP TABLE ${place.schema}.theirs`);
    await migratePostgres(owner, { schema: place.schema });
    await owner.query(`INSERT INTO ${place.schema}.schema_versions VALUES (99)`);
    await expect(openPostgresStore(owner, { schema: place.schema })).rejects.toMatchObject({ code: "STORE_FOREIGN" });
  });

  it("are created in one transaction: a failure in the middle leaves nothing", async () => {
    const breaking: PostgresDriver = {
      ...owner,
      transaction: (opening, work) =>
        owner.transaction(opening, async (session) => {
          await work(session);
          throw new Error("the connection is lost");
        }),
    };
    await expect(migratePostgres(breaking, { schema: place.schema })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    const schemas = `SELECT 1 FROM pg_namespace WHERE nspname = '${place.schema}'`;
    expect(await owner.query(schemas)).toEqual([]);
  });

  it("R10 refuse UPDATE, DELETE and TRUNCATE of logged rows even to a superuser, and verify reports a disabled guard", async () => {
    const store = await openPostgresStore(owner, { schema: place.schema });
    await store.threads.append(THREAD, [...transcript(4), pin("p1")], { expectedVersion: 0, idempotencyKey: "key" });
    await store.plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 4 }), 0);
    await store.artifacts.store("content", metadata());
    const record = { type: "usage-reported", requestSequence: 1, usage: { inputTokens: 1, outputTokens: 1 } } as const;
    await store.journal.append(THREAD, record, START);
    await store.threads.append(OTHER_THREAD, transcript(1), { expectedVersion: 0 });
    await eraseSubject(store, OTHER_THREAD, { actor: "test", reason: "test", at: START });
    for (const name of APPEND_ONLY_TABLES) {
      const table = `${place.schema}.${name}`;
      const before = await owner.query(`SELECT * FROM ${table}`);
      expect(before.length, name).toBeGreaterThan(0);
      const changes = Object.keys(before[0] as object)
        .filter((column) => !(column === "thread_key" && name === "threads"))
        .map((column) => `UPDATE ${table} SET ${column} = ${column}`);
      for (const sql of [...changes, `DELETE FROM ${table}`, `TRUNCATE ${table} CASCADE`])
        await expect(owner.query(sql), sql).rejects.toThrow(/append-only|are kept/);
      expect(await owner.query(`SELECT * FROM ${table}`)).toEqual(before);
    }
    const again = `INSERT INTO ${place.schema}.entries SELECT thread_key, 9, tenant, kind, 'm9', pin_id, messages, turn, step,
      digest, link, appended_at FROM ${place.schema}.entries WHERE version = 4`;
    await expect(owner.query(again)).rejects.toThrow("grows by one");
    for (const column of ["tenant", "artifact_id", "thread_key", "tenant_id", "media_type", "bytes"])
      await expect(
        owner.query(
          `UPDATE ${place.schema}.artifacts SET ${column} = ${column === "bytes" ? 9 : column === "thread_key" ? 99 : "'x'"}`,
        ),
      ).rejects.toThrow("keep what they are");
    expect(await verifyStore(store)).toEqual([]);
    await owner.script(`ALTER TABLE ${place.schema}.journal DISABLE TRIGGER journal_no_update_or_delete`);
    expect((await verifyStore(store)).map(({ problem }) => problem)).toEqual([
      "the triggers that guard journal are missing or turned off",
    ]);
    await store.close();
  });

  it("R11 reveal tampering: verify names the first bad item of each family", async () => {
    const store = await openPostgresStore(owner, { schema: place.schema });
    await store.threads.append(THREAD, transcript(6), { expectedVersion: 0 });
    await store.plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 4 }), 0);
    await store.artifacts.store("content", metadata());
    await owner.script(`SET session_replication_role = replica;
      UPDATE ${place.schema}.entry_bodies SET body = replace(body, '"', ' "') WHERE version = 3;
      UPDATE ${place.schema}.plans SET plan_id = 'other';
      UPDATE ${place.schema}.artifact_contents SET content = '\\x00';
      SET session_replication_role = DEFAULT`);
    expect((await verifyStore(store)).map(({ family, at }) => [family, at])).toEqual([
      ["entries", 3],
      ["plans", 1],
      ["artifacts", expect.stringMatching(/^artifact_/)],
    ]);
    await expect(store.threads.load(THREAD)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await store.close();
  });
});

describe("a PostgreSQL store that cannot be opened", () => {
  it("fails with STORE_UNAVAILABLE and keeps the password out of the message", async () => {
    for (const address of ["postgres://me:secret@127.0.0.1:1/db", "postgres://me:secret@name.invalid/db"]) {
      await expect(openPostgresStore(address)).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.not.stringContaining("secret"),
      });
    }
  });

  it("refuses invalid schema and tenant names before it connects", async () => {
    for (const options of [{ schema: 'a"b' }, { schema: "" }, { tenantId: "" }, { tenantId: "\0" }]) {
      await expect(openPostgresStore("postgres://127.0.0.1:1/db", options)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
      });
    }
  });
});

describe("PostgreSQL without what it needs", () => {
  const nobody = undefined as never;
  const silent = async () => [];
  const driver = { query: silent, script: silent, transaction: silent, listen: silent } as never;

  it.each<[string, () => Promise<unknown>]>([
    ["server.query", () => openPostgresStore(nobody)],
    ["server.transaction", () => openPostgresStore({ query: silent, script: silent } as never)],
    ["options", () => openPostgresStore(driver, null as never)],
    ["rowLevelSecurty", () => openPostgresStore(driver, { rowLevelSecurty: true } as never)],
    ["driver.query", () => migratePostgres(nobody)],
    ["options", () => migratePostgres(driver, null as never)],
    ["driver.query", () => schemaVersionOf(nobody, "s")],
    ["schema", () => schemaVersionOf(driver, nobody)],
    ["session.query", () => readRowSecurity(nobody, "s")],
    ["schema", () => readRowSecurity(driver, nobody)],
    ["connection.listen", () => listenToPlans(nobody, () => undefined)],
    ["listener", () => listenToPlans(driver, nobody)],
  ])("refuses %s", async (name, call) => {
    await expect(call()).rejects.toMatchObject({ code: "INVALID_CONFIG", details: { name } });
  });
});

describe("ids in PostgreSQL", () => {
  it("come back as they were, and different ids stay different", () => {
    const ids = ["a", "\0", "\\0", "\\", "\\\\", "a\0b", "a\\0b", "\\\0"];
    expect(ids.map(textKey).map(textOfKey)).toEqual(ids);
    expect(new Set(ids.map(textKey)).size).toBe(ids.length);
  });
});
