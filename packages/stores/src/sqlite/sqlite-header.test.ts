import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { APPLICATION_ID, HEADER_BYTES, readSqliteHeader } from "./sqlite-header.ts";

/** The first bytes of a database file that SQLite itself wrote. */
function headerAfter(sql: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-"));
  try {
    const path = join(folder, "some.db");
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    return readFileSync(path).subarray(0, HEADER_BYTES);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tables = Array.from({ length: 200 }, (_, index) => `CREATE TABLE table_with_a_long_name_${index} (a, b, c);`);
const manyTables = `BEGIN; ${tables.join("\n")} COMMIT;`;

describe("readSqliteHeader", () => {
  it("says whose a database is and whether it has tables", () => {
    const marked = headerAfter(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 7;`);
    expect(readSqliteHeader(marked)).toEqual({
      kind: "database",
      applicationId: APPLICATION_ID,
      userVersion: 7,
      hasTables: false,
    });
    expect(readSqliteHeader(headerAfter("CREATE TABLE t (a)"))).toMatchObject({ applicationId: 0, hasTables: true });
    expect(readSqliteHeader(headerAfter(manyTables))).toMatchObject({ hasTables: true });
    expect(readSqliteHeader(headerAfter("CREATE TABLE t (a); DROP TABLE t"))).toMatchObject({ hasTables: false });
  });

  it("knows an empty file, and everything else as something else", () => {
    expect(readSqliteHeader(Buffer.alloc(0))).toEqual({ kind: "empty" });
    expect(readSqliteHeader(Buffer.from("SQLite format 3\0"))).toEqual({ kind: "other" });
    expect(readSqliteHeader(Buffer.alloc(HEADER_BYTES, "x"))).toEqual({ kind: "other" });
  });
});
