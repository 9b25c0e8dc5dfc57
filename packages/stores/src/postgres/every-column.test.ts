import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { furnish, furnishedSegments } from "../testing/furnished.ts";
import { otherValue } from "../testing/other-value.ts";
import { connectForTests, findPostgres, freshSchema } from "../testing/services.ts";
import type { SqlValue } from "./postgres-driver.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { TENANT_TABLES } from "./schema.ts";

const service = await findPostgres();

/**
 * What `verify` of a PostgreSQL store does not look at, and why nobody is misled by it. The test holds this list to be
 * exact, as its twin for SQLite does.
 */
const NOT_RELIED_ON: Readonly<Record<string, string>> = {
  "entries.appended_at": "said in lists of threads alone; when something happened is in the journal",
  "plans.committed_at": "said in lists of threads alone; when something happened is in the journal",
  "threads without a row": "a thread that is gone as a whole is found with a checkpoint alone",
  "threads.tenant": "the same as a thread that is gone",
  "threads.thread_key": "the same as a thread that is gone",
  "receipts without a row": "an append that is tried again is then refused by its version, or adds what is there",
  "receipts.thread_key": "the same as a receipt that is gone",
  "receipts.idempotency_key": "the same as a receipt that is gone",
  "receipts.request_digest": "an append that is tried again is then refused, for its key stood for another one",
  ...Object.fromEntries(
    ["first_offset", "ordinal", "passage_key", "place", "terms", "thread_key", "words"].map((column) => [
      `recall_passages.${column}`,
      "made of the log by whoever searches, and held against it when something is found",
    ]),
  ),
  "archives.archived_at": "said in lists and errors alone",
  "archives.place": "a segment whose place is not there is said to be out of reach",
  "archives.thread_key": "the same as a receipt that is gone",
  "archives without a row": "a thread that is gone as a whole is missed by whoever kept a checkpoint of it",
  "recall_passages without a row": "what is not in the index is not found by words, and stays in the log",
};

interface Row {
  readonly [column: string]: unknown;
}

describe.skipIf(!service.isThere)(`R11 an attacker with full rights in the PostgreSQL database${service.note}`, () => {
  let owner: ReturnType<typeof connectForTests>;
  let place: ReturnType<typeof freshSchema>;
  beforeAll(async () => {
    owner = connectForTests(service.url, 1);
    place = freshSchema(owner);
    await furnish(await openPostgresStore(owner, { schema: place.schema }));
    // Past triggers and foreign keys, as a superuser may; and past what the server gives numbers for.
    await owner.script(`SET session_replication_role = replica;
      ALTER TABLE ${place.schema}.archives DROP CONSTRAINT archives_check`);
    for (const [table, column] of [
      ["threads", "thread_key"],
      ["artifacts", "artifact_key"],
      ["recall_passages", "passage_key"],
    ])
      await owner.script(`ALTER TABLE ${place.schema}.${table} ALTER COLUMN ${column} DROP IDENTITY`);
  });
  afterAll(async () => {
    await place.drop();
    await owner.close();
  });

  /** By somebody who opens the store for it, and so remembers nothing. */
  const verified = async () =>
    verifyStore(await openPostgresStore(owner, { schema: place.schema }), undefined, { segments: furnishedSegments });

  /** What is found after a row was changed, and the row as it was again. */
  async function foundAfter(table: string, change: string, values: readonly SqlValue[]): Promise<number> {
    const { schema } = place;
    await owner.script(`CREATE TABLE ${schema}.aside AS SELECT * FROM ${schema}.${table}`);
    await owner.query(change, values);
    const findings = await verified();
    await owner.script(`DELETE FROM ${schema}.${table}; INSERT INTO ${schema}.${table} SELECT * FROM ${schema}.aside;
      DROP TABLE ${schema}.aside`);
    return findings.length;
  }

  async function primaryKey(table: string): Promise<readonly string[]> {
    const columns = await owner.query<{ name: string }>(
      `SELECT attname AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
        WHERE indrelid = $1::regclass AND indisprimary ORDER BY array_position(indkey::int2[], attnum)`,
      [table],
    );
    return columns.map(({ name }) => name);
  }

  it("is detected after changing any column or deleting a row of any table, except for the listed ones", async ({
    task,
  }) => {
    const unseen = new Set<string>();
    let changes = 0;
    for (const name of TENANT_TABLES) {
      const table = `${place.schema}.${name}`;
      // Of the thread that was neither erased nor archived, the first row: rows that were put back may lie in any order, and
      // without a journal's last one nobody misses anything but whoever kept a checkpoint.
      const key = name === "artifact_contents" ? "artifact_key" : "thread_key";
      const order = [key, ...(await primaryKey(table))].join(", ");
      const first = `WHERE ctid = (SELECT ctid FROM ${table} ORDER BY ${order} LIMIT 1)`;
      const columns = await owner.query<{ name: string; type: string }>(
        `SELECT column_name AS name, udt_name AS type FROM information_schema.columns
          WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
        [place.schema, name],
      );
      const [row] = await owner.query<Row>(`SELECT * FROM ${table} ${first}`);
      expect(row, name).toBeDefined();
      for (const column of columns) {
        const value = column.type === "_text" ? ["other"] : otherValue(column.name, row?.[column.name]);
        const update = `UPDATE ${table} SET ${column.name} = $1 ${first}`;
        if ((await foundAfter(name, update, [value])) === 0) unseen.add(`${name}.${column.name}`);
        changes++;
      }
      if ((await foundAfter(name, `DELETE FROM ${table} ${first}`, [])) === 0) unseen.add(`${name} without a row`);
      changes++;
    }
    expect([...unseen].sort()).toEqual(Object.keys(NOT_RELIED_ON).sort());
    Object.assign(task.meta, { figures: { backend: "PostgreSQL", changes, "not relied on": unseen.size } });
    expect(await verified()).toEqual([]);
  });
});
