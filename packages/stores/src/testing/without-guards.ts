import type { DatabaseSync } from "node:sqlite";

/** Lets a test run raw SQL on a SQLite store that its triggers would refuse, and restores them afterwards. */
export function withoutGuards<Result>(raw: DatabaseSync, work: () => Result): Result {
  const triggers = raw.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  raw.exec("BEGIN");
  for (const { name } of triggers) raw.exec(`DROP TRIGGER "${String(name)}"`);
  const result = work();
  for (const { sql } of triggers) raw.exec(String(sql));
  raw.exec("COMMIT");
  return result;
}
