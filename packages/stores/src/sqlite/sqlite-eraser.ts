import { asThreadId, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/store-eraser.ts";
import { inThread } from "./entry-key.ts";
import { forgetRecall } from "./recall-tables.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";
import { SQLITE_BUSY } from "./sqlite-errors.ts";
import { ThreadKeys } from "./thread-keys.ts";

const ERASED = query<{ found: number }>("SELECT 1 AS found FROM erasures WHERE thread_key = ?", { found: "integer" });
const MARK = "INSERT OR IGNORE INTO erasures (thread_key) VALUES (?)";
// Rows stay, for others refer to them; secure_delete overwrites what they held with zeros.
const EMPTY = [
  `UPDATE entries SET body = '' WHERE ${inThread(":thread")}`,
  "UPDATE plans SET body = '' WHERE thread_key = :thread",
  "UPDATE receipts SET request_digest = '' WHERE thread_key = :thread",
  "UPDATE artifact_contents SET content = x'' WHERE artifact_key IN (SELECT artifact_key FROM artifacts WHERE thread_key = :thread)",
];
const GUARDS = query<{ name: string; sql: string }>(
  `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
  AND (name LIKE '%\\_no\\_update' ESCAPE '\\' OR name LIKE '%\\_no\\_delete' ESCAPE '\\') AND tbl_name <> 'erasures'`,
  { name: "text", sql: "text" },
);
const EXPIRED = `SELECT artifact_key FROM artifacts
  WHERE ttl_seconds IS NOT NULL AND unixepoch(created_at, 'subsec') * 1000 + ttl_seconds * 1000 <= ?`;
const EXPIRED_KEYS = query<{ artifact_key: number }>(EXPIRED, { artifact_key: "integer" });
const EXPIRED_CONTENTS = `DELETE FROM artifact_contents WHERE artifact_key IN (${EXPIRED})`;
const EXPIRED_ARTIFACTS = `DELETE FROM artifacts WHERE artifact_key IN (${EXPIRED})`;
const TRUNCATE_LOG = query<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)", { busy: "integer" });

/** How long emptying the log waits for those who read it, in milliseconds. It holds up who writes meanwhile. */
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
    await this.#connection.whenFree(() => this.#connection.write(() => this.#empty(threadKey)));
    await this.#truncateLog();
    return false;
  }

  async sweep(nowMs: number): Promise<number> {
    const swept = await this.#connection.whenFree(() => this.#connection.write(() => this.#removeExpired(nowMs)));
    if (swept > 0) await this.#truncateLog();
    return swept;
  }

  #empty(threadKey: number): void {
    this.#connection.run(MARK, threadKey);
    this.#withoutGuards(() => {
      for (const statement of EMPTY) this.#connection.run(statement, { thread: threadKey });
    });
    forgetRecall(this.#connection, threadKey);
  }

  #removeExpired(nowMs: number): number {
    const expired = this.#connection.all(EXPIRED_KEYS, nowMs).length;
    if (expired === 0) return 0;
    this.#withoutGuards(() => {
      this.#connection.run(EXPIRED_CONTENTS, nowMs);
      this.#connection.run(EXPIRED_ARTIFACTS, nowMs);
    });
    return expired;
  }

  /** Takes the triggers that keep the log as it is down for one transaction; nobody else ever sees the file without them. */
  #withoutGuards(work: () => void): void {
    const guards = this.#connection.all(GUARDS);
    for (const { name } of guards) this.#connection.script(`DROP TRIGGER "${name}"`);
    work();
    for (const { sql } of guards) this.#connection.script(sql);
  }

  /** What was erased is in the log beside the file until its pages are moved over and the log is emptied. */
  #truncateLog(): Promise<void> {
    return this.#connection.whenFree(() => {
      if (this.#connection.get(TRUNCATE_LOG)?.busy === 0) return;
      const { path } = this.#connection;
      throw new ThreadfoldError(
        "STORE_UNAVAILABLE",
        `The content is erased, but the log of ${path} is in use and still holds some of it.`,
        {
          hint: "Erase again once other processes are done reading: that empties the log.",
          details: { path, sqliteCode: SQLITE_BUSY },
        },
      );
    }, LOG_TIMEOUT_MS);
  }
}
