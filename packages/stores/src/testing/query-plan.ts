import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";

/** How SQLite would run a statement: one line for each search, scan and sort. */
export function queryPlan(connection: SqliteConnection, sql: string): readonly string[] {
  const numbered = new Set(sql.match(/\?\d+/g));
  const marks = numbered.size > 0 ? numbered.size : (sql.match(/\?/g)?.length ?? 0);
  const values = Array.from({ length: marks }, () => 1);
  return connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => detail);
}
