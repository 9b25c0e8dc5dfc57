import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ThreadfoldError } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { APPLICATION_ID, HEADER_BYTES, loadSqlite, openConnection, readSqliteHeader } from "./open-connection.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { query } from "./sqlite-connection.ts";

describe("loadSqlite", () => {
  it("returns Node's SQLite and leaves the process's warning handler unchanged", () => {
    const before = process.emitWarning;
    expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
    expect(process.emitWarning).toBe(before);
  });
});

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
  it("reads a database's application id, its version and whether it has tables", () => {
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

  it("recognizes an empty file and reports anything that is not a database as other", () => {
    expect(readSqliteHeader(Buffer.alloc(0))).toEqual({ kind: "empty" });
    expect(readSqliteHeader(Buffer.from("SQLite format 3\0"))).toEqual({ kind: "other" });
    expect(readSqliteHeader(Buffer.alloc(HEADER_BYTES, "x"))).toEqual({ kind: "other" });
  });
});

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (): string => join(folder, "store.db");

/** Goes into the name of a test that permissions are needed for. */
const unbound =
  process.platform === "win32" || process.getuid?.() === 0 ? " (skipped: permissions do not bind this user)" : "";

/** Every file of the folder by name and digest. */
const contents = (): readonly string[] =>
  readdirSync(folder).map(
    (name) =>
      `${name} ${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}`,
  );

async function failure(path: string): Promise<ThreadfoldError> {
  try {
    (await openConnection(path)).close();
  } catch (error) {
    if (ThreadfoldError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("the store opened");
}

function database(sql: string): DatabaseSync {
  const made = new DatabaseSync(place());
  made.exec(sql);
  return made;
}

async function storeWith(sql: string): Promise<void> {
  (await openConnection(place())).close();
  database(sql).close();
}

describe("a file of another program is refused and left byte for byte as it is", () => {
  const files: Readonly<Record<string, () => unknown>> = {
    "a text": () => writeFileSync(place(), "dear diary\n".repeat(1_000)),
    "a short text": () => writeFileSync(place(), "x"),
    zeros: () => writeFileSync(place(), Buffer.alloc(8_192)),
    "the start of a database": () => writeFileSync(place(), "SQLite format 3\0"),
    "a database with tables": () => database("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')").close(),
    "a database with a mark of its own": () => database("PRAGMA application_id = 66; PRAGMA user_version = 1").close(),
    "a marked database with tables": () => database("PRAGMA application_id = 66; CREATE TABLE notes (text)").close(),
    "a store of a newer version": () => storeWith(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`),
    "a store without a version": () => storeWith("PRAGMA user_version = 0"),
  };
  for (const [name, make] of Object.entries(files)) {
    it(name, async () => {
      await make();
      const before = contents();
      expect((await failure(place())).code).toBe("STORE_FOREIGN");
      expect(contents()).toEqual(before);
    });
  }

  it("a database that another program has open, with its tables in the log beside it", async () => {
    const other = database("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
    const before = contents();
    expect((await failure(place())).code).toBe("STORE_FOREIGN");
    expect(contents()).toEqual(before);
    other.close();
  });

  it("a newer store, with a message that a newer Threadfold wrote it", async () => {
    await storeWith(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect((await failure(place())).message).toContain("a newer Threadfold wrote it");
  });
});

describe("a path that cannot be used", () => {
  it("fails with STORE_UNAVAILABLE when it is a folder or lies below a file or a missing folder", async () => {
    mkdirSync(place());
    writeFileSync(join(folder, "file"), "x");
    for (const path of [place(), join(folder, "no", "store.db"), join(folder, "file", "store.db"), `${place()}\0`]) {
      expect((await failure(path)).code).toBe("STORE_UNAVAILABLE");
    }
    expect((await failure(join(folder, "no", "store.db"))).hint).toContain("Create the folder first");
    expect(readdirSync(folder).sort()).toEqual(["file", "store.db"]);
  });

  it.skipIf(process.platform !== "linux")(
    "fails with STORE_UNAVAILABLE when nothing can be created there or it is not a regular file",
    async () => {
      for (const path of ["/proc/threadfold.db", "/dev/null"])
        expect((await failure(path)).code).toBe("STORE_UNAVAILABLE");
    },
  );

  it.skipIf(unbound !== "")(
    `fails with STORE_UNAVAILABLE when permissions forbid reading or writing it${unbound}`,
    async () => {
      (await openConnection(place())).close();
      for (const mode of [0o000, 0o400]) {
        chmodSync(place(), mode);
        expect((await failure(place())).code).toBe("STORE_UNAVAILABLE");
      }
    },
  );
});

describe("a store file", () => {
  it("is created in place of a missing file, an empty file or a database without tables", async () => {
    const starts = [
      () => undefined,
      () => writeFileSync(place(), ""),
      () => database("CREATE TABLE t (a); DROP TABLE t").close(),
    ];
    for (const start of starts) {
      rmSync(place(), { force: true });
      start();
      const connection = await openConnection(place());
      const pragma = (name: string): unknown =>
        Object.values(connection.get(query<object>(`PRAGMA ${name}`, {})) ?? {})[0];
      expect(pragma("application_id")).toBe(APPLICATION_ID);
      expect(pragma("user_version")).toBe(SCHEMA_VERSION);
      expect(pragma("journal_mode")).toBe("wal");
      expect(pragma("synchronous")).toBe(2);
      expect(pragma("foreign_keys")).toBe(1);
      expect(pragma("secure_delete")).toBe(1);
      connection.close();
      expect(readdirSync(folder)).toEqual(["store.db"]);
    }
  });

  it("has strict tables only", async () => {
    const connection = await openConnection(place());
    const loose = connection.all(
      query<{ name: string }>(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
        { name: "text" },
      ),
    );
    expect(loose).toEqual([]);
    connection.close();
  });

  it("fails with STORE_CORRUPT when it is damaged after its header", async () => {
    (await openConnection(place())).close();
    const bytes = readFileSync(place());
    writeFileSync(place(), bytes.fill(0xff, 100));
    expect((await failure(place())).code).toBe("STORE_CORRUPT");
  });
});
