import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { S3Client } from "@aws-sdk/client-s3";
import { patience, runs } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { archiveThread, archiveThreads, unarchiveThread } from "../archive-thread.ts";
import type { ArchivableStore } from "../audit/segment.ts";
import { verifyStore } from "../audit/verify-store.ts";
import { type ErasableStore, eraseSubject } from "../erasure/erase-subject.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { entry, OTHER_THREAD, START, THREAD } from "../laws/sample-data.ts";
import { segmentPlaces } from "../open-store.ts";
import { migratePostgres } from "../postgres/migrate-postgres.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { childEnvironment, nodeArguments, removeCompiled, unlessEnded } from "../testing/child.ts";
import { furnishThread } from "../testing/furnished.ts";
import { connectForTests, createRole, findPostgres, freshSchema, startS3Server } from "../testing/services.ts";
import { freshFolder } from "./rounds.ts";

const service = await findPostgres();
const { path: folder, remove } = freshFolder();
afterAll(() => {
  remove();
  removeCompiled();
});

type Store = ArchivableStore & ErasableStore;
const places = segmentPlaces();
const filesIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile()).length;

/** Kills a process that moves a thread out and back, a while after it began to. */
async function killWhileMoving(values: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, nodeArguments("reliability/archiver.process.ts", values), {
    stdio: ["pipe", "pipe", "inherit"],
    env: childEnvironment(),
  });
  await unlessEnded(child, once(child.stdout, "data"));
  const begun = once(child.stdout, "data");
  child.stdin.write("go\n");
  await unlessEnded(child, begun);
  child.stdout.resume();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  expect(child.exitCode).toBeNull();
  child.kill("SIGKILL");
  await once(child, "close");
}

/** What each kill has to leave: the thread as a whole, or its segment as a whole with the receipt. */
async function surviveKills(name: string, kills: number, place: readonly string[], open: () => Promise<Store>) {
  const cold = join(folder, name);
  const first = await open();
  await furnishThread(first, THREAD, { expires: false });
  const exported = await exportThread(first, THREAD);
  await first.close();
  const left = { hot: 0, cold: 0, both: 0 };
  for (let kill = 0; kill < kills; kill++) {
    await killWhileMoving([cold, ...place], (kill * 17) % 97);
    const store = await open();
    const receipt = await store.archiver.receiptOf(THREAD);
    left[receipt === null ? "hot" : receipt.isCold ? "cold" : "both"]++;
    expect(await verifyStore(store, undefined, { segments: places })).toEqual([]);
    if (receipt?.isCold !== true) expect(await exportThread(store, THREAD)).toBe(exported);
    else
      await verifyStore(store, THREAD, { segments: places, onSegment: (_, isReached) => expect(isReached).toBe(true) });
    await archiveThread(store, THREAD, { to: cold, stillForMs: 0 });
    expect(filesIn(join(cold, "segments"))).toBe(1);
    await unarchiveThread(store, THREAD);
    expect(filesIn(join(cold, "segments"))).toBe(0);
    expect(await exportThread(store, THREAD)).toBe(exported);
    await store.close();
  }
  expect(left.hot + left.both).toBeGreaterThan(0);
  return left;
}

describe("R33 a process that is killed while it archives and restores a thread", () => {
  it("leaves the whole thread or a whole segment in SQLite (25 kills)", { timeout: patience(120_000) }, async ({
    task,
  }) => {
    const kills = runs(25).numRuns;
    const path = join(folder, "store.db");
    const left = await surviveKills("sqlite", kills, [path], () => openSqliteStore(path));
    Object.assign(task.meta, { figures: { backend: "SQLite", kills, ...left, half: 0 } });
  });

  it.skipIf(!service.isThere)(
    `leaves the whole thread or a whole segment in PostgreSQL (15 kills)${service.note}`,
    { timeout: patience(120_000) },
    async ({ task }) => {
      const kills = runs(15).numRuns;
      const owner = connectForTests(service.url, 3);
      const { schema, drop } = freshSchema(owner);
      const left = await surviveKills("postgres", kills, [service.url, schema], () =>
        openPostgresStore(owner, { schema }),
      );
      await drop();
      await owner.close();
      Object.assign(task.meta, { figures: { backend: "PostgreSQL", kills, ...left, half: 0 } });
    },
  );
});

describe.skipIf(!service.isThere)(`tenants of one PostgreSQL schema with row-level security${service.note}`, () => {
  it("archive threads to one bucket and back as a role that owns nothing, and never touch each other's", async () => {
    const server = await startS3Server();
    const owner = connectForTests(service.url, 2);
    const role = await createRole(owner, service.url);
    const { schema, drop } = freshSchema(owner);
    await migratePostgres(owner, { schema, applicationRole: role.name });
    const application = connectForTests(role.url, 4);
    const client = new S3Client({
      ...{ region: "eu-central-1", endpoint: server.endpoint, forcePathStyle: true },
      credentials: { accessKeyId: "id", secretAccessKey: "key" },
    });
    const open = segmentPlaces({ client });
    const to = "s3://bucket/cold?region=eu-central-1";
    const [one, two] = await Promise.all(
      ["one", "two"].map((tenantId) => openPostgresStore(application, { schema, tenantId, rowLevelSecurity: true })),
    );
    if (one === undefined || two === undefined) throw new Error("both are open");
    for (const store of [one, two]) {
      await furnishThread(store, THREAD, { expires: false });
      await furnishThread(store, OTHER_THREAD, { expires: false });
    }
    const exported = [await exportThread(one, THREAD), await exportThread(two, THREAD)];
    const receipt = await archiveThread(one, THREAD, { to, open, stillForMs: 0 });
    expect(receipt).toMatchObject({ tenant: '"one"', place: to, isCold: true });
    // The other tenant's thread of the same name is untouched, and nobody of it is told of the segment.
    expect(await two.archiver.receiptOf(THREAD)).toBeNull();
    expect(await exportThread(two, THREAD)).toBe(exported[1]);
    await archiveThread(two, THREAD, { to, open, stillForMs: 0 });
    expect(server.objects.size).toBe(2);
    const [rows] = await owner.query<{ rows: number }>(
      `SELECT (SELECT count(*) FROM ${schema}.entries JOIN ${schema}.threads USING (thread_key) WHERE thread_id = $1)
        + (SELECT count(*) FROM ${schema}.journal JOIN ${schema}.threads USING (thread_key) WHERE thread_id = $1)
        + (SELECT count(*) FROM ${schema}.entry_bodies JOIN ${schema}.threads USING (thread_key) WHERE thread_id = $1)
        + (SELECT count(*) FROM ${schema}.recall_passages JOIN ${schema}.threads USING (thread_key) WHERE thread_id = $1)
        AS rows`,
      [THREAD],
    );
    expect(rows?.rows).toBe(0);
    for (const work of [
      () => one.threads.load(THREAD),
      () => one.threads.append(THREAD, [entry(99)], { expectedVersion: "any" }),
      () => one.threads.append(THREAD, [entry(99)], { expectedVersion: "no-thread" }),
      () => one.journal.append(THREAD, { type: "artifact-denied", artifactId: "a" as never, requesterId: "r" }, START),
      () => one.artifacts.list(THREAD),
      () => one.eraser.erase(THREAD),
      () => eraseSubject(one, THREAD, { actor: "a", reason: "r", at: START }),
    ])
      await expect(work()).rejects.toMatchObject({ code: "THREAD_ARCHIVED" });
    expect((await one.threads.list()).items.map(({ threadId, archivedAt }) => [threadId, archivedAt])).toEqual([
      [THREAD, receipt.archivedAt],
      [OTHER_THREAD, undefined],
    ]);
    // A segment of the other tenant's thread of the same name is not this one's.
    const keys = [...server.objects.keys()];
    const own = keys.find((key) => key.endsWith(receipt.key)) ?? "";
    const foreign = keys.find((key) => key !== own) ?? "";
    const bytes = server.objects.get(own) as Buffer;
    server.objects.set(own, server.objects.get(foreign) as Buffer);
    await expect(unarchiveThread(one, THREAD, { open })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(await verifyStore(one, undefined, { segments: open })).toMatchObject([{ family: "segment" }]);
    server.objects.set(own, bytes);
    expect(await verifyStore(one, undefined, { segments: open })).toEqual([]);
    const unreached: boolean[] = [];
    server.failNext(100, 403);
    const onSegment = (_: unknown, isReached: boolean): void => void unreached.push(isReached);
    expect(await verifyStore(one, undefined, { segments: open, onSegment })).toEqual([]);
    expect(unreached).toEqual([false]);
    await expect(unarchiveThread(one, THREAD, { open })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    server.failNext(0, 503);
    for (const store of [one, two]) await unarchiveThread(store, THREAD, { open });
    expect([await exportThread(one, THREAD), await exportThread(two, THREAD)]).toEqual(exported);
    expect(server.objects.size).toBe(0);
    expect([await verifyStore(one), await verifyStore(two)]).toEqual([[], []]);
    const { archived } = await archiveThreads(one, { to, open, olderThanMs: 0, clock: { now: () => Date.now() + 1 } });
    expect(archived).toHaveLength(2);
    for (const store of [one, two]) await store.close();
    await application.close();
    client.destroy();
    await drop();
    await role.drop();
    await owner.close();
    await server.close();
  });

  it("cannot use the archive mark to delete the end of a thread", async () => {
    const owner = connectForTests(service.url, 2);
    const { schema, drop } = freshSchema(owner);
    const role = await createRole(owner, service.url);
    await migratePostgres(owner, { schema, applicationRole: role.name });
    const application = connectForTests(role.url, 2);
    const store = await openPostgresStore(application, { schema, tenantId: "one", rowLevelSecurity: true });
    await furnishThread(store, THREAD, { expires: false });
    const hot = await store.archiver.look(THREAD);
    if (hot === null) throw new Error("the thread is there");
    const receipt = { tenant: '"one"', threadId: THREAD, place: "file:/cold", key: "k", root: "r", lines: 1, bytes: 1 };
    await store.archiver.note({
      ...receipt,
      archivedAt: START,
      isCold: false,
      isDropped: false,
      copies: [],
      end: hot.end,
    });
    const as = (sql: string): Promise<unknown> =>
      application.transaction("SELECT set_config('threadfold.tenant', '\"one\"', true);", async (session) => {
        for (const statement of sql.split(";")) await session.query(statement.replaceAll("@.", `${schema}.`));
      });
    for (const sql of [
      "DELETE FROM @.entries",
      "DELETE FROM @.journal",
      "DELETE FROM @.entry_bodies",
      "DELETE FROM @.artifacts",
      "UPDATE @.archives SET is_cold = true; DELETE FROM @.journal WHERE sequence = (SELECT max(sequence) FROM @.journal); UPDATE @.archives SET is_cold = false",
      "UPDATE @.archives SET is_cold = true; DELETE FROM @.entries WHERE version = (SELECT max(version) FROM @.entries); UPDATE @.archives SET is_cold = false",
      "UPDATE @.archives SET is_cold = true; DELETE FROM @.plans; UPDATE @.archives SET is_cold = false",
      "UPDATE @.archives SET is_cold = true; DELETE FROM @.archives",
      "UPDATE @.archives SET version = 1",
      "DELETE FROM @.archives",
      "UPDATE @.archives SET is_dropped = true; UPDATE @.archives SET is_dropped = false",
      "UPDATE @.archives SET is_dropped = true; UPDATE @.archives SET is_cold = true",
    ])
      await expect(as(sql), sql).rejects.toThrow();
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
    await application.close();
    await drop();
    await role.drop();
    await owner.close();
  });
});
