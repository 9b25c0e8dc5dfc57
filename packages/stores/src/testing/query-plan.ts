import { query, type SqliteConnection } from "../sqlite/sqlite-connection.ts";

/** How SQLite would run a statement: one line for each search, scan and sort. */
export function queryPlan(connection: SqliteConnection, sql: string): readonly string[] {
  const names = sql.match(/:[a-zA-Z]+/g) ?? [];
  const values =
    names.length > 0
      ? [Object.fromEntries(names.map((name) => [name, 1]))]
      : Array.from(sql.match(/\?/g) ?? [], () => 1);
  const explained = query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, { detail: "text" });
  return connection.all(explained, ...(values as number[])).map(({ detail }) => detail);
}
