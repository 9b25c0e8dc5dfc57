import type { ThreadId } from "@threadfold/core";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/stored-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

/** Rows that are read at a time, so that a long thread is never in memory as a whole. */
const ROWS_AT_A_TIME = 500;

const THREADS =
  "SELECT thread_key AS place, thread_id AS threadId FROM threads WHERE thread_key > ? ORDER BY thread_key LIMIT ?";
// Ids are read as bytes, because a text ends at its first NUL on some Node versions.
const ENTRIES = `SELECT version AS place, version, kind, CAST(message_id AS BLOB) AS messageId, CAST(pin_id AS BLOB) AS pinId,
  messages, turn, step, digest, link, body
  FROM entries LEFT JOIN bodies USING (body_key) WHERE thread_key = ? AND version > ? ORDER BY version LIMIT ?`;
const PLANS = `SELECT version AS place, version, plan_id AS planId, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens, body
  FROM plans LEFT JOIN bodies USING (body_key) WHERE thread_key = ? AND version > ? ORDER BY version LIMIT ?`;
const JOURNAL = `SELECT sequence AS place, sequence, at, record, previous_hash AS previousHash, hash
  FROM journal WHERE thread_key = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
const ARTIFACTS = `SELECT artifact_key AS place, artifact_id AS artifactId, tenant_id AS tenantId, bytes, content
  FROM artifacts LEFT JOIN artifact_contents USING (artifact_key)
  WHERE thread_key = ? AND artifact_key > ? ORDER BY artifact_key LIMIT ?`;

type WithBytes<Row, Key extends keyof Row> = Omit<Row, Key> & Readonly<Record<Key, Uint8Array | null>>;

/** Reads the rows of a SQLite store as they are. */
export class SqliteInspector implements StoreInspector {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
  }

  async *threadIds(): AsyncIterable<ThreadId> {
    for (const row of this.#pages<{ threadId: ThreadId }>(THREADS, [], ROWS_AT_A_TIME)) yield row.threadId;
  }

  async *entries(threadId: ThreadId): AsyncIterable<StoredEntry> {
    for (const row of this.#rowsOf<WithBytes<StoredEntry, "messageId" | "pinId">>(ENTRIES, threadId)) {
      yield { ...row, messageId: textOf(row.messageId), pinId: textOf(row.pinId) };
    }
  }

  async *plans(threadId: ThreadId): AsyncIterable<StoredPlan> {
    yield* this.#rowsOf<StoredPlan>(PLANS, threadId);
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf<StoredJournalEntry>(JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    for (const row of this.#rowsOf<WithBytes<StoredArtifact, "content">>(ARTIFACTS, threadId, 1)) {
      yield { ...row, content: textOf(row.content) };
    }
  }

  async damage(): Promise<readonly string[]> {
    const reports = this.#connection.all<{ integrity_check: string }>("PRAGMA integrity_check");
    const orphans = this.#connection.all<{ table: string }>("PRAGMA foreign_key_check");
    return [
      ...reports.map((row) => row.integrity_check).filter((report) => report !== "ok"),
      ...[...new Set(orphans.map((row) => row.table))].map((table) => `rows of ${table} refer to rows that are gone`),
    ];
  }

  #rowsOf<Row>(sql: string, threadId: ThreadId, atATime = ROWS_AT_A_TIME): Iterable<Row> {
    const threadKey = this.#keys.find(threadId);
    return threadKey === undefined ? [] : this.#pages<Row>(sql, [threadKey], atATime);
  }

  *#pages<Row>(sql: string, values: readonly number[], atATime: number): Iterable<Row> {
    let after = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.#connection.all<Row & { readonly place: number }>(sql, ...values, after, atATime);
      for (const { place, ...row } of rows) {
        yield row as unknown as Row;
        after = place;
      }
      if (rows.length < atATime) return;
    }
  }
}

/** Bytes as text; what is no UTF-8 gets replacement characters and so differs from what was written. */
function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
