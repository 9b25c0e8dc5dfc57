/**
 * What a future version may do to a SQLite store, for tests of upgrades: it copies every entry. The tables of future
 * versions are not known yet.
 */
export const NEXT_SQLITE_VERSION = `
  CREATE TABLE copied (entry_key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  INSERT INTO copied SELECT entry_key, body FROM entries;`;

/** The same for the tables of a PostgreSQL store. */
export const NEXT_POSTGRES_VERSION = `
  CREATE TABLE @.copied (thread_key bigint, version bigint, body text NOT NULL, PRIMARY KEY (thread_key, version));
  INSERT INTO @.copied SELECT thread_key, version, body FROM @.entry_bodies;`;
