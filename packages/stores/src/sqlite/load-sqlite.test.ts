import { describe, expect, it } from "vitest";
import { loadSqlite } from "./load-sqlite.ts";

describe("loadSqlite", () => {
  it("gives Node's SQLite and leaves the process's warnings as they were", () => {
    const before = process.emitWarning;
    expect(loadSqlite().DatabaseSync).toBeTypeOf("function");
    expect(process.emitWarning).toBe(before);
  });
});
