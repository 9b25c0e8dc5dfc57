import { keyAt, NOTED_AT_A_TIME, type PlaceKey } from "./entry-log.ts";

/** Tables whose rows are only ever added, except for what an erasure empties. */
const APPEND_ONLY = [
  "threads",
  "entries",
  "message_places",
  "receipts",
  "plans",
  "journal",
  "artifact_contents",
  "erasures",
] as const;

/**
 * Tables of the first version. Everything that is logged is only ever inserted: the end of a thread is read from its
 * last entry. An entry is one row, and its key is its position. Places of messages are noted for many entries at once,
 * so that most appends write one page of entries and no other. The body is the last column, so that reading the columns
 * before it loads no page of a long body.
 */
const VERSION_1 = `
CREATE TABLE threads (
  thread_key INTEGER PRIMARY KEY,
  thread_id  TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE entries (
  entry_key   INTEGER PRIMARY KEY,              -- the thread's key in the upper half, the version in the lower 32 bits
  thread_key  INTEGER NOT NULL GENERATED ALWAYS AS (entry_key >> 32) VIRTUAL REFERENCES threads,
  version     INTEGER NOT NULL GENERATED ALWAYS AS (entry_key & 0xffffffff) VIRTUAL CHECK (version > 0),
  kind        TEXT    NOT NULL CHECK (kind IN ('message', 'pin', 'pin-lifted')),
  message_id  TEXT,
  pin_id      TEXT,
  messages    INTEGER NOT NULL,                 -- messages of the thread up to here; a message's ordinal is one less
  turn        INTEGER NOT NULL,
  step        INTEGER NOT NULL,
  digest      TEXT    NOT NULL,                 -- SHA-256 of the body
  link        TEXT    NOT NULL,                 -- SHA-256 of the link before and the digest: the thread's digest here
  appended_at INTEGER NOT NULL,                 -- milliseconds since the epoch
  body        TEXT    NOT NULL                  -- canonical JSON; empty once it was erased
) STRICT;
CREATE INDEX entries_by_pin ON entries (thread_key, pin_id) WHERE pin_id IS NOT NULL;

-- Where messages stand, but for those of the newest entries, which are looked through.
CREATE TABLE message_places (
  thread_key INTEGER NOT NULL REFERENCES threads,
  message_id TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  PRIMARY KEY (thread_key, message_id)
) STRICT, WITHOUT ROWID;

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
  body             TEXT    NOT NULL,            -- canonical JSON; empty once it was erased
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

-- Threads whose content was erased.
CREATE TABLE erasures (thread_key INTEGER PRIMARY KEY REFERENCES threads) STRICT;

${APPEND_ONLY.map(immutable).join("\n")}

-- Storing content again may renew when it expires and tighten who sees it; what it is stays.
CREATE TRIGGER artifacts_keep_identity BEFORE UPDATE OF artifact_key, artifact_id, thread_key, tenant_id, media_type, bytes
ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts keep what they are'); END;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts BEGIN SELECT RAISE(ABORT, 'artifacts are kept'); END;

-- INSERT OR REPLACE deletes without firing delete triggers, so that what is there is also guarded on insert.
${gaplessByKey("entries", "entry_key")}
CREATE TRIGGER entries_no_replace BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM message_places WHERE thread_key = NEW.thread_key AND message_id = NEW.message_id)
BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER entries_note_places AFTER INSERT ON entries WHEN NEW.entry_key % ${NOTED_AT_A_TIME} = 0
BEGIN
  INSERT INTO message_places SELECT thread_key, message_id, version FROM entries
  WHERE entry_key > NEW.entry_key - ${NOTED_AT_A_TIME} AND entry_key <= NEW.entry_key AND message_id IS NOT NULL;
END;
CREATE TRIGGER message_places_of_entries BEFORE INSERT ON message_places
WHEN EXISTS (SELECT 1 FROM message_places WHERE thread_key = NEW.thread_key AND message_id = NEW.message_id)
  OR NOT EXISTS (SELECT 1 FROM entries WHERE entry_key = (NEW.thread_key << 32) + NEW.version AND message_id = NEW.message_id)
BEGIN SELECT RAISE(ABORT, 'message_places is append-only, and follows the entries'); END;
${gapless("plans", "version")}
${gapless("journal", "sequence")}
${noReplace("threads", "thread_key = NEW.thread_key OR thread_id = NEW.thread_id")}
${noReplace("receipts", "thread_key = NEW.thread_key AND idempotency_key = NEW.idempotency_key")}
${noReplace("artifacts", "artifact_key = NEW.artifact_key OR artifact_id = NEW.artifact_id")}
${noReplace("artifact_contents", "artifact_key = NEW.artifact_key")}
${["entries", "plans", "artifacts"].map(refusesErased).join("\n")}
`;

/**
 * Tables with rows of a thread beside its entries, and the one that marks it as erased: nothing is added to them for an
 * archived thread.
 */
const MOVED_TABLES = ["receipts", "plans", "journal", "artifacts", "erasures"];

/**
 * Segments of threads: where each is, and what lists show of a thread whose rows were moved there. While a thread is
 * cold, the tables have no rows of it, and accept none.
 */
const VERSION_2 = `
CREATE TABLE archives (
  thread_key   INTEGER PRIMARY KEY REFERENCES threads,
  is_cold      INTEGER NOT NULL CHECK (is_cold IN (0, 1)),
  is_dropped   INTEGER NOT NULL CHECK (is_dropped IN (0, 1 - is_cold)), -- whether the segment is about to be taken away
  place        TEXT    NOT NULL,                -- address of the folder or bucket
  segment_key  TEXT    NOT NULL,
  root         TEXT    NOT NULL,                -- of the Merkle tree over the segment's lines
  lines        INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  archived_at  TEXT    NOT NULL,
  copies       TEXT    NOT NULL,                -- JSON: ids of forks and handoffs of the thread
  version      INTEGER NOT NULL,
  digest       TEXT    NOT NULL,                -- the thread's
  plan_version INTEGER NOT NULL,
  journal_size INTEGER NOT NULL,
  journal_hash TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,                -- milliseconds since the epoch
  appended_at  INTEGER NOT NULL,
  committed_at INTEGER
) STRICT;
CREATE TRIGGER archives_no_change BEFORE UPDATE OF thread_key, place, segment_key, root, lines, bytes, archived_at, copies,
  version, digest, plan_version, journal_size, journal_hash, created_at, appended_at, committed_at
ON archives BEGIN SELECT RAISE(ABORT, 'archives keep what they are'); END;
CREATE TRIGGER archives_stay_dropped BEFORE UPDATE OF is_dropped ON archives WHEN OLD.is_dropped = 1
BEGIN SELECT RAISE(ABORT, 'archives keep what they are'); END;
CREATE TRIGGER archives_keep_noted BEFORE DELETE ON archives WHEN OLD.is_dropped = 0
BEGIN SELECT RAISE(ABORT, 'the segment is there'); END;
${noReplace("archives", "thread_key = NEW.thread_key")}
${refusesArchived("entries", "NEW.entry_key >> 32")}
${MOVED_TABLES.map((table) => refusesArchived(table)).join("\n")}
`;

/**
 * The journal as a table whose key is a record's place, as the log of entries is. A row of a table `WITHOUT ROWID` that
 * is longer than 1,002 bytes gets a page of its own for its end, and most records of requests are just longer.
 */
const VERSION_3 = `
ALTER TABLE journal RENAME TO journal_of_version_2;
CREATE TABLE journal (
  record_key    INTEGER PRIMARY KEY,            -- the thread's key in the upper half, the sequence in the lower 32 bits
  thread_key    INTEGER NOT NULL GENERATED ALWAYS AS (record_key >> 32) VIRTUAL REFERENCES threads,
  sequence      INTEGER NOT NULL GENERATED ALWAYS AS (record_key & 0xffffffff) VIRTUAL CHECK (sequence > 0),
  at            TEXT    NOT NULL,
  record        TEXT    NOT NULL,               -- canonical JSON
  previous_hash TEXT    NOT NULL,
  hash          TEXT    NOT NULL
) STRICT;
INSERT INTO journal (record_key, at, record, previous_hash, hash)
  SELECT ${keyAt("thread_key", "sequence")}, at, record, previous_hash, hash
  FROM journal_of_version_2 ORDER BY thread_key, sequence;
DROP TABLE journal_of_version_2;
${immutable("journal")}
${gaplessByKey("journal", "record_key")}
${refusesArchived("journal", "NEW.record_key >> 32")}
`;

/**
 * The migrations, oldest first: number n brings a store from schema version n − 1 to n. A released migration is never
 * edited.
 */
export const MIGRATIONS: readonly string[] = [VERSION_1, VERSION_2, VERSION_3];

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

function gaplessByKey(table: string, key: PlaceKey): string {
  return (
    `CREATE TRIGGER ${table}_gapless BEFORE INSERT ON ${table}\n` +
    `WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${key} = NEW.${key})\n` +
    `  OR NEW.${key} & 0xffffffff <> 1 AND NOT EXISTS (SELECT 1 FROM ${table} WHERE ${key} = NEW.${key} - 1)\n` +
    `BEGIN SELECT RAISE(ABORT, '${table} grows by one at its end'); END;`
  );
}

function noReplace(table: string, match: string): string {
  return (
    `CREATE TRIGGER ${table}_no_replace BEFORE INSERT ON ${table} WHEN EXISTS (SELECT 1 FROM ${table} WHERE ${match}) ` +
    `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`
  );
}

function refusesErased(table: string): string {
  return (
    `CREATE TRIGGER ${table}_not_erased BEFORE INSERT ON ${table} ` +
    "WHEN EXISTS (SELECT 1 FROM erasures WHERE thread_key = NEW.thread_key) " +
    "BEGIN SELECT RAISE(ABORT, 'the thread was erased'); END;"
  );
}

function refusesArchived(table: string, threadKey = "NEW.thread_key"): string {
  return (
    `CREATE TRIGGER ${table}_not_archived BEFORE INSERT ON ${table} ` +
    `WHEN EXISTS (SELECT 1 FROM archives WHERE thread_key = ${threadKey} AND is_cold = 1) ` +
    "BEGIN SELECT RAISE(ABORT, 'the thread is archived'); END;"
  );
}
