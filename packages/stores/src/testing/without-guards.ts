import type { DatabaseSync } from "node:sqlite";

/** Lets a test work on a SQLite store with raw SQL that its triggers would refuse, and puts them back as they were. */
export function withoutGuards<Result>(raw: DatabaseSync, work: () => Result): Result {
  const triggers = raw.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  raw.exec("BEGIN");
  for (const { name } of triggers) raw.exec(`DROP TRIGGER "${String(name)}"`);
  const result = work();
  for (const { sql } of triggers) raw.exec(String(sql));
  raw.exec("COMMIT");
  return result;
}
