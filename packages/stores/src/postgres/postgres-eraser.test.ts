import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { eraseSubject, sweepExpired } from "../erasure/erase-subject.ts";
import { entry, metadata, START, START_MS, THREAD, transcript } from "../laws/sample-data.ts";
import { onLanes } from "../reliability/rounds.ts";
import { simulate } from "../reliability/simulation.ts";
import { CANARIES, canary, plant, threadOf } from "../testing/canaries.ts";
import { connectForTests, createRole, findPostgres, freshSchema, type TestRole } from "../testing/services.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import type { PostgresDriver } from "./postgres-driver.ts";
import { openPostgresStore, type PostgresStore } from "./postgres-store.ts";
import { TENANT_TABLES } from "./schema.ts";

const service = await findPostgres();
const SUBJECTS = 20;
const WHY = { actor: "operator-1", reason: "user-request", at: START } as const;
const MARK = (thread: string, tenant: string): string =>
  `SELECT thread_key, tenant FROM @.threads WHERE tenant = '"${tenant}"' AND thread_id = '${thread}'`;

/** One schema, an application's role that row-level security binds, and a superuser who may look at everything. */
describe.skipIf(!service.isThere)(`erasing in PostgreSQL${service.note}`, () => {
  let owner: PostgresDriver;
  let application: PostgresDriver;
  let role: TestRole;
  let place: ReturnType<typeof freshSchema>;
  const opened: PostgresStore[] = [];
  const open = async (tenantId: string, driver = application): Promise<PostgresStore> => {
    const clock = { now: () => START_MS };
    const rowLevelSecurity = driver === application;
    const store = await openPostgresStore(driver, { schema: place.schema, tenantId, rowLevelSecurity, clock });
    opened.push(store);
    return store;
  };
  const sql = <Row>(text: string, values: readonly (string | number)[] = []): Promise<readonly Row[]> =>
    owner.query<Row>(text.replaceAll("@.", `${place.schema}.`), values);
  /** What one tenant's role may do by SQL of its own. */
  const as = (tenant: string, ...statements: readonly string[]): Promise<void> =>
    application.transaction(`SELECT set_config('threadfold.tenant', '"${tenant}"', true);`, async (session) => {
      for (const text of statements) await session.query(text.replaceAll("@.", `${place.schema}.`));
    });

  beforeAll(async () => {
    owner = connectForTests(service.url);
    role = await createRole(owner, service.url);
    place = freshSchema(owner);
    await migratePostgres(owner, { schema: place.schema, applicationRole: role.name });
    application = connectForTests(role.url);
  });
  afterAll(async () => {
    for (const store of opened) await store.close();
    await application.close();
    await place.drop();
    await role.drop();
    await owner.close();
  });

  const CANARY = /canary([0-9]+)x([0-9]+)zq/g;
  const counted = (text: string): ReadonlyMap<number, number> => {
    const words = new Set(text.toLowerCase().match(CANARY));
    const found = new Map<number, number>();
    for (const word of words) {
      const subject = Number(new RegExp(CANARY).exec(word)?.[1]);
      found.set(subject, (found.get(subject) ?? 0) + 1);
    }
    return found;
  };
  /** Canaries of each subject in all rows of all tables, also in what is kept as bytes. */
  const inTables = async (): Promise<ReadonlyMap<number, number>> => {
    const texts = await Promise.all(
      [...TENANT_TABLES, "schema_versions"].map(async (table) => {
        const rows = await sql<{ row: string }>(`SELECT to_json(kept)::text AS row FROM @.${table} AS kept`);
        return rows.map(({ row }) => row).join("\n");
      }),
    );
    const contents = await sql<{ content: Uint8Array }>("SELECT content FROM @.artifact_contents");
    return counted(
      texts.join("\n") + contents.map(({ content }) => Buffer.from(content).toString("latin1")).join("\n"),
    );
  };
  /** The same in the files of all tables, their overflow and their indexes, as they are on the server's disk. */
  const inFiles = async (): Promise<ReadonlyMap<number, number>> => {
    await sql("CHECKPOINT");
    const files = await sql<{ bytes: Uint8Array }>(
      `SELECT pg_read_binary_file(pg_relation_filepath(part.oid)) AS bytes
        FROM pg_class AS kept JOIN pg_class AS part ON part.oid IN (kept.oid, kept.reltoastrelid)
          OR part.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = kept.oid)
        WHERE kept.relnamespace = $1::regnamespace AND kept.relkind = 'r' AND pg_relation_filepath(part.oid) IS NOT NULL`,
      [place.schema],
    );
    return counted(Buffer.concat(files.map(({ bytes }) => Buffer.from(bytes))).toString("latin1"));
  };

  it(`R23 reaches every row, and after VACUUM FULL every file: ${SUBJECTS} subjects with ${CANARIES} canaries each`, async ({
    task,
  }) => {
    const store = await open("r23");
    for (let subject = 0; subject < SUBJECTS; subject++) await plant(store, subject);
    const planted = await inTables();
    for (let subject = 0; subject < SUBJECTS; subject++) expect(planted.get(subject)).toBe(CANARIES - 5);
    const last = SUBJECTS - 1;
    for (let subject = 0; subject < last; subject++) {
      const report = await eraseSubject(store, threadOf(subject), WHY);
      expect(report).toMatchObject({
        keyShredded: false,
        threads: [{ entries: 70, plans: 5, artifacts: 15, wasErased: false }],
      });
    }
    expect([...(await inTables()).entries()]).toEqual([[last, CANARIES - 5]]);
    expect(await verifyStore(store)).toEqual([]);
    const left = async (): Promise<number> =>
      [...(await inFiles()).keys()].filter((subject) => subject !== last).length;
    const figures = {
      subjects: SUBJECTS,
      "in files before VACUUM": await left(),
      "after VACUUM": 0,
      "after VACUUM FULL": 0,
    };
    // What docs/operations.md tells operators: a plain VACUUM makes room and overwrites nothing.
    for (const table of TENANT_TABLES) await sql(`VACUUM @.${table}`);
    figures["after VACUUM"] = await left();
    await sql(
      `VACUUM FULL ${["entry_bodies", "plan_bodies", "receipts", "artifact_contents", "recall_passages"].map((table) => `@.${table}`).join()}`,
    );
    figures["after VACUUM FULL"] = await left();
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", ...figures } });
    expect(figures).toMatchObject({ "in files before VACUUM": last, "after VACUUM FULL": 0 });
    // The one that nobody erased is whole, and found.
    expect((await store.threads.load(threadOf(last)))?.version).toBe(70);
    const found = await store.recall?.search(threadOf(last), { text: canary(last, 3), limit: 1 });
    expect(found?.hits[0]?.excerpt).toContain(canary(last, 3));
  });

  it("R23 leaves nothing that was being added meanwhile, and refuses later writes (30 races)", async () => {
    const [store, other] = [await open("race"), await open("race")];
    const refused = new Set<string>();
    const tell = (error: { readonly code: string }): void => void refused.add(error.code);
    for (let round = 0; round < 30; round++) {
      const threadId = asThreadId(`race ${round}`);
      await store.threads.append(threadId, transcript(2), { expectedVersion: 0 });
      const messages = (await store.threads.load(threadId))?.messages ?? [];
      await Promise.all([
        ...[2, 3, 4].map((number) =>
          other.threads.append(threadId, [entry(number, canary(99, number))], { expectedVersion: "any" }).catch(tell),
        ),
        other.artifacts.store(canary(99, 10), metadata({ threadId })).catch(tell),
        other.recall?.index(threadId, messages).catch(tell),
        eraseSubject(store, threadId, WHY),
      ]);
      await other.recall?.index(threadId, messages).catch(tell);
      expect(await verifyStore(store, threadId)).toEqual([]);
    }
    expect((await inTables()).has(99)).toBe(false);
    expect([...refused]).toEqual(["CONTENT_ERASED"]);
    const passages = `SELECT 1 FROM @.recall_passages JOIN @.threads USING (thread_key) WHERE thread_id LIKE 'race %'`;
    expect(await sql(passages)).toEqual([]);
  });

  it("R10 R20 leaves the append-only guards in force for the application's role, the owner and a superuser", async () => {
    const [mine, theirs] = [await open("mine"), await open("theirs")];
    for (const store of [mine, theirs]) {
      await plant(store, 0);
      await plant(store, 1);
      await store.artifacts.store("for a while", metadata({ ttlSeconds: 1e10 }));
    }
    await eraseSubject(mine, threadOf(0), WHY);
    const [live] = await sql<{ thread_key: number }>(MARK("person 1", "mine"));
    const [gone] = await sql<{ thread_key: number }>(MARK("person 0", "mine"));
    const [foreign] = await sql<{ thread_key: number; tenant: string }>(MARK("person 1", "theirs"));
    const [liveKey, goneKey, foreignKey] = [live, gone, foreign].map((row) => row?.thread_key as number);
    const mineArtifacts = `(SELECT artifact_key FROM @.artifacts WHERE thread_key = ${liveKey})`;
    const refusedToAll = [
      // Of a thread that is not erased nothing is emptied, and of an erased one nothing is written.
      `UPDATE @.entry_bodies SET body = '' WHERE thread_key = ${liveKey}`,
      `UPDATE @.plan_bodies SET body = '' WHERE thread_key = ${liveKey}`,
      `UPDATE @.receipts SET request_digest = '' WHERE thread_key = ${liveKey}`,
      `UPDATE @.artifact_contents SET content = '' WHERE artifact_key IN ${mineArtifacts}`,
      `UPDATE @.entry_bodies SET body = 'forged' WHERE thread_key = ${goneKey}`,
      `UPDATE @.entry_bodies SET body = '', version = version + 100 WHERE thread_key = ${goneKey}`,
      `DELETE FROM @.entry_bodies WHERE thread_key = ${goneKey}`,
      `UPDATE @.entries SET digest = '' WHERE thread_key = ${goneKey}`,
      "DELETE FROM @.erasures",
      "UPDATE @.erasures SET tenant = tenant",
      "TRUNCATE @.erasures",
      // What has not expired stays, and its time is not cut short.
      "DELETE FROM @.artifact_contents",
      "DELETE FROM @.artifacts",
      "UPDATE @.artifacts SET ttl_seconds = 0",
      "UPDATE @.artifacts SET created_at = '1999-01-01T00:00:00.000Z', ttl_seconds = coalesce(ttl_seconds, 9)",
      `INSERT INTO @.erasures VALUES (${foreignKey}, '"mine"')`,
    ];
    const before = await inTables();
    for (const text of refusedToAll) {
      await expect(as("mine", text), text).rejects.toThrow(/append-only|are kept|permission denied|violates/);
      await expect(sql(text), text).rejects.toThrow(/append-only|are kept|violates/);
    }
    // Row-level security binds the erasing as it binds all else.
    await expect(as("mine", `INSERT INTO @.erasures VALUES (${foreignKey}, '"theirs"')`)).rejects.toMatchObject({
      code: "42501",
    });
    await as("mine", "UPDATE @.entry_bodies SET body = '' WHERE tenant = '\"theirs\"'");
    await expect(eraseSubject(mine, "nobody", WHY)).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    expect(await mine.eraser.sweep(Date.now())).toBe(0);
    expect(await inTables()).toEqual(before);
    expect(await verifyStore(mine)).toEqual([]);
    expect(await verifyStore(theirs)).toEqual([]);
    expect((await theirs.threads.load(threadOf(0)))?.version).toBe(70);
    // Who erases past the store leaves no proof, and that shows.
    await as("mine", `INSERT INTO @.erasures VALUES (${liveKey}, '"mine"')`);
    expect(await verifyStore(mine, threadOf(1))).toEqual([
      expect.objectContaining({ family: "journal", problem: expect.stringContaining("no entry proves it") }),
    ]);
  });

  it("changes nothing when it fails in the middle, and a repeated erasure finishes one that was cut off", async () => {
    const breaking: PostgresDriver = {
      ...application,
      transaction: (opening, work) =>
        application.transaction(opening, (session) => {
          const query: typeof session.query = (text, values) =>
            text.includes("UPDATE") && text.includes("receipts")
              ? Promise.reject(Object.assign(new Error("Connection terminated"), { code: "57P01" }))
              : session.query(text, values);
          return work({ ...session, query });
        }),
    };
    const store = await open("broken");
    await plant(store, 0);
    const failing = await openPostgresStore(breaking, {
      ...{ schema: place.schema, tenantId: "broken", rowLevelSecurity: true },
    });
    await expect(eraseSubject(failing, threadOf(0), WHY)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect((await store.threads.load(threadOf(0)))?.version).toBe(70);
    expect(await verifyStore(store)).toEqual([]);
    await store.eraser.erase(threadOf(0));
    expect(await verifyStore(store)).toEqual([expect.objectContaining({ family: "journal" })]);
    await eraseSubject(store, threadOf(0), WHY);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("R6 agrees with the reference model while calls fail, threads are erased and artifacts expire (3 seeds)", async ({
    task,
  }) => {
    const { numRuns: seeds } = runs(3, 60);
    const faults: number[] = [];
    const driver = connectForTests(role.url);
    const options = { schema: place.schema, rowLevelSecurity: true };
    await onLanes(3, seeds, async (round) => {
      const seed = round + 1;
      const tenantId = `seed ${seed}`;
      faults.push((await simulate(seed, (clock) => openPostgresStore(driver, { ...options, tenantId, clock }))).faults);
    });
    await driver.close();
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", seeds, violations: 0 } });
    expect(Math.min(...faults)).toBeGreaterThan(0);
  });

  it("R24 sweeps only this tenant's content that has expired by both clocks, and stores it anew when it comes again", async () => {
    const [store, other] = [await open("sweep"), await open("not swept")];
    const content = async (of: ThreadfoldStore, text: string, ttlSeconds: number): Promise<string> =>
      of.artifacts.store(text, metadata({ ttlSeconds }));
    const ids = [await content(store, canary(50, 0), 60), await content(store, "stays", 1e10)];
    await content(other, canary(51, 0), 60);
    // By the server's clock the second one lives for three hundred years, whatever somebody says.
    expect(await sweepExpired(store, START_MS + 1e14)).toBe(1);
    expect(await sweepExpired(store, START_MS + 1e14)).toBe(0);
    expect([...(await inTables()).keys()].filter((subject) => subject >= 50)).toEqual([51]);
    expect(await store.artifacts.list(THREAD)).toEqual([ids[1]]);
    expect(await content(store, canary(50, 0), 120)).toBe(ids[0]);
    expect((await store.artifacts.retrieve(ids[0] as never))?.content).toBe(canary(50, 0));
    expect(await verifyStore(store)).toEqual([]);
    // More than are swept in one transaction.
    await sql(`WITH many AS (INSERT INTO @.artifacts
        (tenant, artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes)
        SELECT tenant, 'artifact ' || number, thread_key, NULL, '${START}', 1, 'internal', 'text/plain', 1
        FROM @.threads, generate_series(1, 1100) AS number WHERE tenant = '"sweep"' RETURNING artifact_key, tenant)
      INSERT INTO @.artifact_contents SELECT artifact_key, tenant, 'x' FROM many`);
    expect(await sweepExpired(store, START_MS + 1_000)).toBe(1_100);
    expect(await verifyStore(store)).toEqual([]);
  });

  it("R24 computes an artifact's expiry as the store does, to the millisecond", async () => {
    const times = fc.record({
      ms: fc.integer({ min: Date.UTC(0, 0, 1) - 60_000_000_000_000, max: Date.UTC(9999, 11, 31) }),
      fraction: fc.constantFrom("", "4", "999999"),
      ttlSeconds: fc.oneof(fc.integer({ min: 0, max: 100_000_000_000 }), fc.double({ min: 0, max: 1e6, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(times, async ({ ms, fraction, ttlSeconds }) => {
        fc.pre(new Date(ms).getUTCFullYear() >= 0);
        const createdAt = new Date(ms).toISOString().replace("Z", `${fraction}Z`);
        const [row] = await sql<{ at: number }>("SELECT @.expires_at($1, $2) AS at", [createdAt, ttlSeconds]);
        expect(row?.at).toBe(Date.parse(createdAt) + ttlSeconds * 1_000);
      }),
      { ...runs(200), examples: [[{ ms: Date.UTC(2000, 1, 29), fraction: "9", ttlSeconds: 0.0005 }]] },
    );
    const [zero] = await sql<{ at: number }>("SELECT @.expires_at('0000-02-29T12:00:00Z', 1) AS at");
    expect(zero?.at).toBe(Date.parse("0000-02-29T12:00:00Z") + 1_000);
  });
});
