import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyStore } from "../audit/verify-store.ts";
import { pin, THREAD, transcript } from "../laws/sample-data.ts";
import { withoutGuards } from "../testing/without-guards.ts";
import { NOTED_AT_A_TIME, notedUpTo } from "./entry-log.ts";
import { openSqliteStore } from "./sqlite-store.ts";

let folder: string;
let intact: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  intact = join(folder, "intact.db");
  const store = await openSqliteStore(intact);
  await store.threads.append(THREAD, [pin("p1"), ...transcript(75)], { expectedVersion: "no-thread" });
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets somebody work on a copy of the store with raw SQL and no triggers, and gives what is found then. */
async function findingsAfter(sql: string): Promise<readonly object[]> {
  const path = join(folder, "tampered.db");
  rmSync(path, { force: true });
  copyFileSync(intact, path);
  const raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  withoutGuards(raw, () => raw.exec(sql));
  raw.close();
  const store = await openSqliteStore(path);
  try {
    return await verifyStore(store);
  } finally {
    await store.close();
  }
}

describe("recorded positions of messages", () => {
  it("are written in whole batches that cover every message up to the last batch", () => {
    const raw = new DatabaseSync(intact);
    const noted = raw.prepare("SELECT count(*) AS count, max(version) AS last FROM message_places").get();
    raw.close();
    expect(notedUpTo(76)).toBe(2 * NOTED_AT_A_TIME);
    expect(noted).toEqual({ count: notedUpTo(76) - 1, last: notedUpTo(76) });
  });

  it("R11 are reported by verify when they differ from the entries", async () => {
    expect(await findingsAfter("")).toEqual([]);
    for (const sql of [
      "UPDATE message_places SET version = version + 1 WHERE version = 9",
      "DELETE FROM message_places WHERE version = 64",
      "INSERT INTO message_places SELECT thread_key, 'forged', 70 FROM threads",
    ]) {
      expect(await findingsAfter(sql), sql).toEqual([
        expect.objectContaining({ family: "file", problem: expect.stringContaining("recorded positions") }),
      ]);
    }
  });
});
