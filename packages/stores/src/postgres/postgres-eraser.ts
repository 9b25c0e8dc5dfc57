import { asThreadId, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/store-eraser.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";

const ERASED = "SELECT 1 FROM @.erasures WHERE thread_key = $1";
const MARK = "INSERT INTO @.erasures (thread_key, tenant) VALUES ($1, $2) ON CONFLICT (thread_key) DO NOTHING";
// Locked in the order of a sweep, so that the two never wait for each other.
const HOLD_ARTIFACTS = "SELECT 1 FROM @.artifacts WHERE thread_key = $1 ORDER BY artifact_key FOR UPDATE";
const EMPTY = [
  HOLD_ARTIFACTS,
  "UPDATE @.entry_bodies SET body = '' WHERE thread_key = $1 AND body <> ''",
  "UPDATE @.plan_bodies SET body = '' WHERE thread_key = $1 AND body <> ''",
  "UPDATE @.receipts SET request_digest = '' WHERE thread_key = $1 AND request_digest <> ''",
  `UPDATE @.artifact_contents SET content = '' WHERE content <> ''
    AND artifact_key IN (SELECT artifact_key FROM @.artifacts WHERE thread_key = $1)`,
  "DELETE FROM @.recall_passages WHERE thread_key = $1",
];
const EXPIRED = `SELECT artifact_key FROM @.artifacts
  WHERE tenant = $1 AND @.expires_at(created_at, ttl_seconds) <= $2 AND @.has_expired(created_at, ttl_seconds)
  ORDER BY artifact_key LIMIT $3 FOR UPDATE`;
const DELETE = ["artifact_contents", "artifacts"].map(
  (table) => `DELETE FROM @.${table} WHERE artifact_key = ANY ($1::bigint[])`,
);

/** Artifacts that are swept in one transaction. */
const SWEPT_AT_A_TIME = 500;

/**
 * Erases in PostgreSQL, as whoever may append: content is emptied by the guards' own rule, which is the same for
 * everybody. The server's files keep what was emptied as dead rows until they are vacuumed and written over.
 */
export class PostgresEraser implements StoreEraser {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const threadId = asThreadId(subject);
    return (await this.#keyOf(threadId)) === undefined ? [] : [threadId];
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      return threadKey !== undefined && (await session.query(ERASED, [threadKey])).length > 0;
    });
  }

  /** Waits for those who add to the thread, so that nothing slips in that they had begun. */
  async erase(subject: string): Promise<boolean> {
    const threadId = asThreadId(subject);
    const threadKey = await this.#keyOf(threadId);
    if (threadKey === undefined) return false;
    await this.#connection.writeWhole(threadId, async (session) => {
      await session.query(MARK, [threadKey, this.#connection.tenant]);
      for (const statement of EMPTY) await session.query(statement, [threadKey]);
    });
    return false;
  }

  /** Removes this tenant's artifacts. What has not expired by the server's clock as well stays, whatever time is given. */
  async sweep(nowMs: number): Promise<number> {
    let swept = 0;
    for (;;) {
      const found = await this.#connection.writeAny((session) => this.#sweepSome(session, nowMs));
      swept += found;
      if (found < SWEPT_AT_A_TIME) return swept;
    }
  }

  async #sweepSome(session: SqlSession, nowMs: number): Promise<number> {
    const values = [this.#connection.tenant, nowMs, SWEPT_AT_A_TIME];
    const rows = await session.query<{ artifact_key: number }>(EXPIRED, values);
    const keys = rows.map(({ artifact_key: key }) => key);
    if (keys.length > 0) for (const statement of DELETE) await session.query(statement, [keys]);
    return keys.length;
  }

  #keyOf(threadId: ThreadId): Promise<number | undefined> {
    return this.#connection.read((session) => this.#keys.find(session, threadId));
  }
}
