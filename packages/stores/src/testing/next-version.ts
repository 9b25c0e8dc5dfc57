/**
 * What a version to come may do to a SQLite store, for tests of how one is brought up to date: it copies every entry. No
 * version has been released yet whose tables differ from those of today.
 */
export const NEXT_SQLITE_VERSION = `
  CREATE TABLE copied (entry_key INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  INSERT INTO copied SELECT entry_key, body FROM entries;`;

/** The same for the tables of a PostgreSQL store. */
export const NEXT_POSTGRES_VERSION = `
  CREATE TABLE @.copied (thread_key bigint, version bigint, body text NOT NULL, PRIMARY KEY (thread_key, version));
  INSERT INTO @.copied SELECT thread_key, version, body FROM @.entry_bodies;`;
