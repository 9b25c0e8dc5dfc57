import { ThreadfoldError } from "@threadfold/core";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

/**
 * Passages, and in which of them each word stands. Both hold nothing that the log does not, so they are made when they
 * are first needed and no migration speaks of them. They are ordinary tables, because not every Node that this runs on
 * has SQLite's full-text search; words stand under their thread, so that no search meets, or ranks by, another thread's.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS recall_passages (
  passage_key  INTEGER PRIMARY KEY,
  thread_key   INTEGER NOT NULL REFERENCES threads,
  ordinal      INTEGER NOT NULL,
  first_offset INTEGER NOT NULL,
  words        INTEGER NOT NULL,
  place        TEXT    NOT NULL                 -- JSON
) STRICT;
CREATE TRIGGER IF NOT EXISTS recall_passages_not_erased BEFORE INSERT ON recall_passages
WHEN EXISTS (SELECT 1 FROM erasures WHERE thread_key = NEW.thread_key)
BEGIN SELECT RAISE(ABORT, 'the thread was erased'); END;
CREATE INDEX IF NOT EXISTS recall_passages_by_thread ON recall_passages (thread_key, ordinal, words);
CREATE TABLE IF NOT EXISTS recall_words (
  thread_key    INTEGER NOT NULL,
  word          TEXT    NOT NULL,
  first_passage INTEGER NOT NULL,
  passages      TEXT    NOT NULL,               -- JSON: the keys of all that were indexed together
  PRIMARY KEY (thread_key, word, first_passage)
) STRICT, WITHOUT ROWID;`;

const FORGET = ["DELETE FROM recall_words WHERE thread_key = ?", "DELETE FROM recall_passages WHERE thread_key = ?"];

/** Makes the tables where they are not there yet. */
export function prepareRecall(connection: SqliteConnection): void {
  if (has(connection, OUTDATED_TABLE)) connection.write(() => dropOutdated(connection));
  connection.script(TABLES);
}

/** Takes a thread's passages and words away, within a write transaction. Tables that are not there are not made. */
export function forgetRecall(connection: SqliteConnection, threadKey: number): void {
  dropOutdated(connection);
  if (!has(connection, "recall_words")) return;
  for (const statement of FORGET) connection.run(statement, threadKey);
}

/** Where earlier versions kept words: in SQLite's full-text search. */
const OUTDATED_TABLE = "recall_terms";

/** What an earlier version indexed is indexed again when it is asked for. */
function dropOutdated(connection: SqliteConnection): void {
  if (!has(connection, OUTDATED_TABLE)) return;
  if (connection.get(FULL_TEXT_SEARCH) === undefined) {
    throw new ThreadfoldError(
      "STORE_UNAVAILABLE",
      `An earlier Threadfold made the search index of ${connection.path}, and the SQLite of this Node cannot read it.`,
      {
        hint: "Search the store once on Node 22.19, 24 or newer: that makes the index anew.",
        details: { path: connection.path },
      },
    );
  }
  connection.script(`DROP TABLE ${OUTDATED_TABLE}; DELETE FROM recall_passages;`);
}

const TABLE = query<{ found: number }>("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?", {
  found: "integer",
});
const FULL_TEXT_SEARCH = query<{ found: number }>("SELECT 1 AS found FROM pragma_module_list WHERE name = 'fts5'", {
  found: "integer",
});

const has = (connection: SqliteConnection, table: string): boolean => connection.get(TABLE, table) !== undefined;
