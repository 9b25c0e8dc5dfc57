import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { asThreadId } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { archiveThread, unarchiveThread } from "../archive-thread.ts";
import { verifyStore } from "../audit/verify-store.ts";
import { exportThread } from "../inspection/export-thread.ts";
import { dropPlan, message, OTHER_THREAD, pin, START, THREAD, transcript } from "../laws/sample-data.ts";
import { openPostgresStore } from "../postgres/postgres-store.ts";
import type { ObjectFolder } from "../shared/object-artifacts.ts";
import { APPLICATION_ID } from "../sqlite/open-connection.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "../sqlite/schema.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { childEnvironment, nodeArguments, removeCompiled, unlessEnded } from "../testing/child.ts";
import { folderIn } from "../testing/furnished.ts";
import { connectForTests, findPostgres, freshSchema } from "../testing/services.ts";
import { freshFolder, onLanes } from "./rounds.ts";

afterAll(removeCompiled);

const service = await findPostgres();
const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));
const { path: folder, remove } = freshFolder();
afterAll(remove);

/** Starts a process of the tests, which waits to be told to begin. */
async function startProcess(script: string, address: readonly string[]) {
  const child = spawn(process.execPath, nodeArguments(`reliability/${script}.process.ts`, address), {
    stdio: ["pipe", "pipe", "inherit"],
    env: childEnvironment(),
  });
  await unlessEnded(child, once(child.stdout, "data"));
  return child;
}

/** Starts a process of the tests, and kills it that long after it was told to begin, or when it says that it is done. */
async function killInTheMiddle(script: string, address: readonly string[], after: number | "done"): Promise<void> {
  const child = await startProcess(script, address);
  const done = once(child.stdout, "data");
  child.stdout.resume();
  child.stdin.write("go\n");
  if (after === "done") await unlessEnded(child, done);
  else await new Promise((resolve) => setTimeout(resolve, after));
  child.kill("SIGKILL");
  await once(child, "close");
}

/** How long a process takes to bring a copy of a file to the next version, in milliseconds, on a machine as busy as this. */
async function upgradeMs(large: string): Promise<number> {
  const path = join(folder, "upgraded.db");
  copyFileSync(large, path);
  const child = await startProcess("upgrades", [path]);
  const began = performance.now();
  child.stdin.write("go\n");
  await unlessEnded(child, once(child.stdout, "data"));
  const took = performance.now() - began;
  child.kill("SIGKILL");
  await once(child, "close");
  rmSync(path);
  return took;
}

const fixture = (version: string): Buffer => gunzipSync(readFileSync(join(fixtures, `sqlite-${version}.db.gz`)));

/** What a statement finds in a file, whatever version it is of. */
function numberIn(path: string, sql: string): number {
  const raw = new DatabaseSync(path);
  try {
    return Number(raw.prepare(sql).get()?.["number"]);
  } finally {
    raw.close();
  }
}

/** Entries that make bringing a store to the next version long enough to be killed in the middle. */
const FILLED = 10_000;
const FILLED_KEY = 99;

function fill(path: string): void {
  const raw = new DatabaseSync(path);
  raw.exec(`BEGIN;
    INSERT INTO threads VALUES (${FILLED_KEY}, 'filled');
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FILLED})
      INSERT INTO entries (entry_key, kind, message_id, messages, turn, step, digest, link, appended_at, body)
      SELECT (${FILLED_KEY} << 32) + i, 'message', 'm' || i, i, 1, i, '', '', 0, hex(zeroblob(500)) FROM n;
    COMMIT;`);
  raw.close();
}

describe("R33 a store of any version", () => {
  const versions = readdirSync(fixtures).flatMap((name) => (/^sqlite-(\d+)\.db\.gz$/.exec(name) ?? []).slice(1));

  it("R33 exists as a SQLite fixture for every schema version so far", () => {
    const all = Array.from({ length: SCHEMA_VERSION }, (_, index) => `${index + 1}`);
    expect(versions.sort((one, other) => Number(one) - Number(other))).toEqual(all);
  });

  it.for(versions)(
    "R33 of schema version %s opens, verifies, exports the same bytes and accepts further work",
    async (version, { task }) => {
      const path = join(folder, `${version}.db`);
      writeFileSync(path, fixture(version));
      const store = await openSqliteStore(path);
      expect(await verifyStore(store)).toEqual([]);
      const exported = [await exportThread(store, THREAD), await exportThread(store, OTHER_THREAD)];
      expect(exported).toEqual(JSON.parse(readFileSync(join(fixtures, `sqlite-${version}.json`), "utf8")));
      const again = { expectedVersion: 0, idempotencyKey: "key" };
      expect(await store.threads.append(THREAD, [...transcript(8), pin("p1")], again)).toEqual({
        version: 9,
        appended: 9,
      });
      await store.threads.append(THREAD, transcript(10).slice(8), { expectedVersion: 9 });
      const plan = dropPlan([{ id: message(4).id, turn: 2 }], { version: 2, threadVersion: 11 });
      expect(await store.plans.commitPlan(THREAD, plan, 1)).toEqual({ status: "committed", version: 2 });
      const whole = await exportThread(store, THREAD);
      const open = async (): Promise<ObjectFolder> => folderIn(objects);
      const objects = new Map<string, Uint8Array>();
      await archiveThread(store, THREAD, { to: "/cold", open, stillForMs: 0 });
      expect(await verifyStore(store, undefined, { segments: open })).toEqual([]);
      await unarchiveThread(store, THREAD, { open });
      expect(await exportThread(store, THREAD)).toBe(whole);
      expect(await verifyStore(store)).toEqual([]);
      await store.close();
      Object.assign(task.meta, { figures: { backend: "SQLite", "schema version": Number(version), findings: 0 } });
    },
  );

  it("R33 keeps each record of a journal of schema version 2, of several threads, in its place", async () => {
    const [before, after] = [join(folder, "written.db"), join(folder, "of-version-2.db")];
    const threads = [OTHER_THREAD, THREAD, asThreadId("third")];
    const written = await openSqliteStore(before);
    for (let round = 0; round < 90; round++) {
      const threadId = threads[(round * round) % threads.length] ?? THREAD;
      const usage = { inputTokens: round, outputTokens: 1 };
      await written.journal.append(threadId, { type: "usage-reported", requestSequence: 1, usage }, START);
    }
    const journals = await Promise.all(threads.map(async (threadId) => written.journal.read(threadId)));
    await written.close();
    const raw = new DatabaseSync(after);
    for (const migration of MIGRATIONS.slice(0, 2)) raw.exec(migration);
    raw.prepare("ATTACH ? AS written").run(before);
    raw.exec(`INSERT INTO threads SELECT * FROM written.threads;
      INSERT INTO journal SELECT thread_key, sequence, at, record, previous_hash, hash FROM written.journal
        ORDER BY sequence, thread_key DESC;
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 2;`);
    raw.close();
    const store = await openSqliteStore(after);
    expect(await Promise.all(threads.map(async (threadId) => store.journal.read(threadId)))).toEqual(journals);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it("R33 has all its SQLite tables or none after the process that creates them is killed (20 kills)", async ({
    task,
  }) => {
    const kills = runs(20, 1_000).numRuns;
    const left = { nothing: 0, whole: 0 };
    await onLanes(3, kills, async (round) => {
      const path = join(folder, `killed-${round}.db`);
      await killInTheMiddle("writer", [path], (round * 7) % 40);
      const wasMade = existsSync(path) && statSync(path).size > 0;
      left[wasMade ? "whole" : "nothing"]++;
      const store = await openSqliteStore(path);
      const version = (await store.threads.load(THREAD))?.version ?? 0;
      await store.threads.append(THREAD, [pin("after")], { expectedVersion: version });
      expect(await verifyStore(store)).toEqual([]);
      await store.close();
    });
    Object.assign(task.meta, { figures: { backend: "SQLite", kills, ...left, half: 0 } });
  });

  it("R33 is wholly of the older or the newer version after the process that migrates a SQLite file is killed (50 kills)", async ({
    task,
  }) => {
    const kills = runs(50).numRuns;
    const left = { older: 0, newer: 0 };
    const large = join(folder, "large.db");
    writeFileSync(large, fixture(`${SCHEMA_VERSION}`));
    fill(large);
    const entries = numberIn(large, "SELECT count(*) AS number FROM entries");
    // The last third of the kills comes after an upgrade that takes twice as long as the one that was measured; the last
    // ones wait for it, because the machine may have more to do by then.
    const longestMs = 3 * (await upgradeMs(large));
    const lanes = 3;
    await onLanes(lanes, kills, async (round) => {
      const path = join(folder, `migrated-${round}.db`);
      copyFileSync(large, path);
      await killInTheMiddle("upgrades", [path], round < kills - lanes ? (round / kills) * longestMs : "done");
      const isOlder = numberIn(path, "SELECT user_version AS number FROM pragma_user_version") === SCHEMA_VERSION;
      left[isOlder ? "older" : "newer"]++;
      expect(numberIn(path, "SELECT count(*) AS number FROM entries")).toBe(entries);
      const copies = numberIn(path, "SELECT count(*) AS number FROM sqlite_schema WHERE name = 'copied'");
      expect(copies).toBe(isOlder ? 0 : 1);
      if (!isOlder) expect(numberIn(path, "SELECT count(*) AS number FROM copied")).toBe(entries);
      // Of what a later version made, nothing is touched; what was left as it was, goes on.
      const opened = openSqliteStore(path);
      if (isOlder) {
        const store = await opened;
        expect(await verifyStore(store, THREAD)).toEqual([]);
        await store.close();
      } else await expect(opened).rejects.toMatchObject({ code: "STORE_FOREIGN" });
      rmSync(path);
    });
    expect(left.older).toBeGreaterThan(0);
    expect(left.newer).toBeGreaterThan(0);
    Object.assign(task.meta, { figures: { backend: "SQLite", kills, ...left, half: 0 } });
  });

  it.skipIf(!service.isThere)(
    `R33 has all its PostgreSQL tables or none after the process that creates them is killed (10 kills)${service.note}`,
    async ({ task }) => {
      const kills = runs(10).numRuns;
      const owner = connectForTests(service.url, 3);
      const left = { nothing: 0, whole: 0 };
      await onLanes(2, kills, async (round) => {
        const { schema, drop } = freshSchema(owner);
        await killInTheMiddle("writer", [service.url, schema], (round * 37) % 310);
        const [made] = await owner.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
        left[made === undefined ? "nothing" : "whole"]++;
        const store = await openPostgresStore(owner, { schema });
        await store.threads.append(OTHER_THREAD, transcript(2), { expectedVersion: "no-thread" });
        expect(await verifyStore(store)).toEqual([]);
        await store.close();
        await drop();
      });
      await owner.close();
      Object.assign(task.meta, { figures: { backend: "PostgreSQL", kills, ...left, half: 0 } });
    },
  );
});
