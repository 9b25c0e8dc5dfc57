import { loadSqlite } from "./open-connection.ts";
import { MIGRATIONS } from "./schema.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";
import { OUTDATED_TABLE, RECALL_TABLES } from "./sqlite-recall.ts";

/** A table, an index, a trigger or a view, as SQLite stores it. Indexes that SQLite creates for a key have no text. */
interface SchemaItem {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

const SCHEMA = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name";
const STORED = query<SchemaItem>(SCHEMA, { type: "text", name: "text", sql: "text or null" });

/**
 * Compares the tables, indexes and guards of a file with those that this store creates. A missing trigger no longer
 * refuses anything, and one that somebody added may write whatever it likes with each append. Only the name of what
 * somebody else wrote is repeated.
 *
 * @returns what is wrong, as whole clauses; empty when the schema is the store's own.
 */
export function schemaProblems(connection: SqliteConnection): readonly string[] {
  const stored = new Map(connection.all(STORED).map((item) => [keyOf(item), item]));
  const { main, recall } = ownSchema();
  // Search creates its tables on first use.
  const hasRecall = [...recall.keys()].some((key) => key.startsWith("table ") && stored.has(key));
  const expected = hasRecall ? new Map([...main, ...recall]) : main;
  const problems: string[] = [];
  for (const [key, { sql }] of expected) {
    const found = stored.get(key);
    if (found === undefined) problems.push(`the ${key} is missing`);
    else if (found.sql !== sql) problems.push(`the ${key} is not the one that the store creates`);
  }
  for (const [key, { name }] of stored)
    if (!expected.has(key) && !isSqlites(name)) problems.push(`the ${key} is not one of the store's`);
  return problems;
}

const keyOf = ({ type, name }: SchemaItem): string => `${type} ${name}`;

/** True for what SQLite creates itself, and for an earlier version's full-text index, which the next search removes. */
const isSqlites = (name: string): boolean => name.startsWith("sqlite_") || name.startsWith(OUTDATED_TABLE);

interface OwnSchema {
  readonly main: ReadonlyMap<string, SchemaItem>;
  readonly recall: ReadonlyMap<string, SchemaItem>;
}

let own: OwnSchema | undefined;

/** Returns the schema of a newly created store, read from one in memory so that SQLite has written both texts. */
function ownSchema(): OwnSchema {
  own ??= madeInMemory();
  return own;
}

function madeInMemory(): OwnSchema {
  const database = new (loadSqlite().DatabaseSync)(":memory:");
  const items = (): readonly SchemaItem[] =>
    database
      .prepare(SCHEMA)
      .all()
      .map(({ type, name, sql }) => ({
        type: String(type),
        name: String(name),
        sql: sql === null ? null : String(sql),
      }));
  try {
    for (const migration of MIGRATIONS) database.exec(migration);
    const main = new Map(items().map((item) => [keyOf(item), item]));
    database.exec(RECALL_TABLES);
    const recall = new Map(items().flatMap((item) => (main.has(keyOf(item)) ? [] : [[keyOf(item), item]])));
    return { main, recall };
  } finally {
    database.close();
  }
}
