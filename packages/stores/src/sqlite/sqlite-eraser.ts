import { asThreadId, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/store-eraser.ts";
import { inThread } from "./entry-key.ts";
import { BUSY_TIMEOUT_MS } from "./open-connection.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const HAS_RECALL = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'recall_terms'";
const ERASED = "SELECT 1 FROM erasures WHERE thread_key = ?";
const MARK = "INSERT OR IGNORE INTO erasures (thread_key) VALUES (?)";
// Rows stay, for others refer to them; secure_delete overwrites what they held with zeros.
const EMPTY = [
  `UPDATE entries SET body = '' WHERE ${inThread("?1")}`,
  "UPDATE plans SET body = '' WHERE thread_key = ?",
  "UPDATE receipts SET request_digest = '' WHERE thread_key = ?",
  "UPDATE artifact_contents SET content = x'' WHERE artifact_key IN (SELECT artifact_key FROM artifacts WHERE thread_key = ?)",
];
const GUARDS = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
  AND (name LIKE '%\\_no\\_update' ESCAPE '\\' OR name LIKE '%\\_no\\_delete' ESCAPE '\\') AND tbl_name <> 'erasures'`;
const EXPIRED = `SELECT artifact_key FROM artifacts
  WHERE ttl_seconds IS NOT NULL AND unixepoch(created_at, 'subsec') * 1000 + ttl_seconds * 1000 <= ?`;
const EXPIRED_CONTENTS = `DELETE FROM artifact_contents WHERE artifact_key IN (${EXPIRED})`;
const EXPIRED_ARTIFACTS = `DELETE FROM artifacts WHERE artifact_key IN (${EXPIRED})`;
const FORGET_TERMS =
  "DELETE FROM recall_terms WHERE rowid IN (SELECT passage_key FROM recall_passages WHERE thread_key = ?)";
const FORGET_PASSAGES = "DELETE FROM recall_passages WHERE thread_key = ?";
// Deleting from the index only marks its words as deleted; merging all of it into one piece takes them out.
const MERGE_TERMS = "INSERT INTO recall_terms (recall_terms) VALUES ('optimize')";

/** How long emptying the log waits for those who read it, in milliseconds. It holds everybody else up meanwhile. */
const LOG_TIMEOUT_MS = 2_000;

/** Erases in a SQLite file, down to its free pages and its write-ahead log. */
export class SqliteEraser implements StoreEraser {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const threadId = asThreadId(subject);
    return this.#keys.find(threadId) === undefined ? [] : [threadId];
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.isErasedNow(threadId);
  }

  /** The same, at once. */
  isErasedNow(threadId: ThreadId): boolean {
    const threadKey = this.#keys.find(threadId);
    return threadKey !== undefined && this.#connection.get(ERASED, threadKey) !== undefined;
  }

  async erase(subject: string): Promise<boolean> {
    const threadKey = this.#keys.find(asThreadId(subject));
    if (threadKey === undefined) return false;
    this.#connection.write(() => {
      this.#connection.run(MARK, threadKey);
      this.#withoutGuards(() => {
        for (const statement of EMPTY) this.#connection.run(statement, threadKey);
      });
      if (this.#connection.get(HAS_RECALL) === undefined) return;
      this.#connection.run(FORGET_TERMS, threadKey);
      this.#connection.run(FORGET_PASSAGES, threadKey);
      this.#connection.run(MERGE_TERMS);
    });
    this.#truncateLog();
    return false;
  }

  async sweep(nowMs: number): Promise<number> {
    const swept = this.#connection.write(() => {
      const expired = this.#connection.all(EXPIRED, nowMs).length;
      if (expired === 0) return 0;
      this.#withoutGuards(() => {
        this.#connection.run(EXPIRED_CONTENTS, nowMs);
        this.#connection.run(EXPIRED_ARTIFACTS, nowMs);
      });
      return expired;
    });
    if (swept > 0) this.#truncateLog();
    return swept;
  }

  /** Takes the triggers that keep the log as it is down for one transaction; nobody else ever sees the file without them. */
  #withoutGuards(work: () => void): void {
    const guards = this.#connection.all<{ readonly name: string; readonly sql: string }>(GUARDS);
    for (const { name } of guards) this.#connection.script(`DROP TRIGGER "${name}"`);
    work();
    for (const { sql } of guards) this.#connection.script(sql);
  }

  /** What was erased is in the log beside the file until its pages are moved over and the log is emptied. */
  #truncateLog(): void {
    this.#connection.script(`PRAGMA busy_timeout = ${LOG_TIMEOUT_MS}`);
    const result = this.#connection.get<{ readonly busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#connection.script(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (result?.busy === 0) return;
    throw new ThreadfoldError(
      "STORE_UNAVAILABLE",
      `The content is erased, but the log of ${this.#connection.path} is in use and still holds some of it.`,
      { hint: "Erase again once other processes are done reading: that empties the log." },
    );
  }
}
