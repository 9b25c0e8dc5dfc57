/**
 * Tables of the first version. Entries are headers; their bodies stand apart, so that a range of headers is read without
 * paging bodies in. Everything that is logged is only ever inserted: where a thread ends is read from its last entry.
 */
const VERSION_1 = `
CREATE TABLE threads (
  thread_key INTEGER PRIMARY KEY,
  thread_id  TEXT NOT NULL UNIQUE
) STRICT;

-- Canonical JSON of entries and plans.
CREATE TABLE bodies (
  body_key INTEGER PRIMARY KEY,
  body     TEXT NOT NULL
) STRICT;

CREATE TABLE entries (
  thread_key  INTEGER NOT NULL REFERENCES threads,
  version     INTEGER NOT NULL,                 -- of the thread with this entry, from 1
  kind        TEXT    NOT NULL CHECK (kind IN ('message', 'pin', 'pin-lifted')),
  message_id  TEXT,
  pin_id      TEXT,
  messages    INTEGER NOT NULL,                 -- messages of the thread up to here; a message's ordinal is one less
  turn        INTEGER NOT NULL,
  step        INTEGER NOT NULL,
  digest      TEXT    NOT NULL,                 -- SHA-256 of the body
  link        TEXT    NOT NULL,                 -- SHA-256 of the link before and the digest: the thread's digest here
  appended_at INTEGER NOT NULL,                 -- milliseconds since the epoch
  body_key    INTEGER NOT NULL REFERENCES bodies,
  PRIMARY KEY (thread_key, version)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entries_by_message ON entries (thread_key, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX entries_by_pin ON entries (thread_key, pin_id, version) WHERE pin_id IS NOT NULL;

-- What was answered to appends that had a key.
CREATE TABLE receipts (
  thread_key      INTEGER NOT NULL REFERENCES threads,
  idempotency_key TEXT    NOT NULL,
  request_digest  TEXT    NOT NULL,
  version         INTEGER NOT NULL,
  appended        INTEGER NOT NULL,
  PRIMARY KEY (thread_key, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
  thread_key       INTEGER NOT NULL REFERENCES threads,
  version          INTEGER NOT NULL,            -- from 1, without a gap
  plan_id          TEXT    NOT NULL,
  thread_version   INTEGER NOT NULL,
  created_at       TEXT    NOT NULL,
  original_tokens  REAL    NOT NULL,
  compacted_tokens REAL    NOT NULL,
  committed_at     INTEGER NOT NULL,            -- milliseconds since the epoch
  body_key         INTEGER NOT NULL REFERENCES bodies,
  PRIMARY KEY (thread_key, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  thread_key    INTEGER NOT NULL REFERENCES threads,
  sequence      INTEGER NOT NULL,               -- from 1, without a gap
  at            TEXT    NOT NULL,
  record        TEXT    NOT NULL,               -- canonical JSON
  previous_hash TEXT    NOT NULL,
  hash          TEXT    NOT NULL,
  PRIMARY KEY (thread_key, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
  artifact_key INTEGER PRIMARY KEY,
  artifact_id  TEXT    NOT NULL UNIQUE,
  thread_key   INTEGER NOT NULL REFERENCES threads,
  tenant_id    TEXT,
  created_at   TEXT    NOT NULL,
  ttl_seconds  REAL,
  sensitivity  TEXT    NOT NULL,
  media_type   TEXT    NOT NULL,
  bytes        INTEGER NOT NULL
) STRICT;
CREATE INDEX artifacts_by_thread ON artifacts (thread_key, artifact_key);

-- UTF-8 bytes: a text column ends at the first NUL on some Node versions.
CREATE TABLE artifact_contents (
  artifact_key INTEGER PRIMARY KEY REFERENCES artifacts,
  content      BLOB NOT NULL
) STRICT;

${["threads", "bodies", "entries", "receipts", "plans", "journal", "artifact_contents"].map(immutable).join("\n")}

-- Storing content again may renew when it expires and tighten who sees it; what it is stays.
CREATE TRIGGER artifacts_keep_identity BEFORE UPDATE OF artifact_key, artifact_id, thread_key, tenant_id, media_type, bytes
ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts keep what they are'); END;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts are kept'); END;

-- INSERT OR REPLACE deletes without firing delete triggers, so that what is there is also guarded on insert.
${gapless("entries", "version")}
${gapless("plans", "version")}
${gapless("journal", "sequence")}
${noReplace("entries", "thread_key = NEW.thread_key AND message_id = NEW.message_id")}
${noReplace("threads", "thread_key = NEW.thread_key OR thread_id = NEW.thread_id")}
${noReplace("bodies", "body_key = NEW.body_key")}
${noReplace("receipts", "thread_key = NEW.thread_key AND idempotency_key = NEW.idempotency_key")}
${noReplace("artifacts", "artifact_key = NEW.artifact_key OR artifact_id = NEW.artifact_id")}
${noReplace("artifact_contents", "artifact_key = NEW.artifact_key")}
`;

/** The migrations, oldest first: number n brings a store from schema version n − 1 to n. */
export const MIGRATIONS: readonly string[] = [VERSION_1];

/** The schema version that this code reads and writes, kept in the file as `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

function immutable(table: string): string {
  return ["UPDATE", "DELETE"]
    .map(
      (verb) =>
        `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} ` +
        `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
    )
    .join("\n");
}

function gapless(table: string, column: string): string {
  return (
    `CREATE TRIGGER ${table}_gapless BEFORE INSERT ON ${table} ` +
    `WHEN NEW.${column} IS NOT (SELECT coalesce(max(${column}), 0) + 1 FROM ${table} WHERE thread_key = NEW.thread_key) ` +
    `BEGIN SELECT RAISE(ABORT, '${table} grows by one at its end'); END;`
  );
}

function noReplace(table: string, match: string): string {
  return (
    `CREATE TRIGGER ${table}_no_replace BEFORE INSERT ON ${table} WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${match}) ` +
    `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
  );
}
