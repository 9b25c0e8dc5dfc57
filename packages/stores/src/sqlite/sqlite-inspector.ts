import type { ThreadId } from "@threadfold/core";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/stored-rows.ts";
import { spelledOut } from "../rules/plan-row.ts";
import { between, LAST_VERSION } from "./entry-key.ts";
import { EntryLog } from "./entry-log.ts";
import { MISPLACED } from "./noted-places.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteEraser } from "./sqlite-eraser.ts";
import { ThreadKeys } from "./thread-keys.ts";

/** Rows that are read at a time, so that a long thread is never in memory as a whole. */
const ROWS_AT_A_TIME = 500;

const THREADS =
  "SELECT thread_key AS place, thread_id AS threadId FROM threads WHERE thread_key > ? ORDER BY thread_key LIMIT ?";
// Ids are read as bytes, because a text ends at its first NUL on some Node versions.
const ENTRIES = `SELECT version AS place, version, kind, CAST(message_id AS BLOB) AS messageId, CAST(pin_id AS BLOB) AS pinId,
  messages, turn, step, digest, link, body
  FROM entries WHERE ${between("?1", "?2", `${LAST_VERSION}`)} ORDER BY entry_key LIMIT ?3`;
const PLANS = `SELECT version AS place, version, plan_id AS planId, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens, body
  FROM plans WHERE thread_key = ? AND version > ? ORDER BY version LIMIT ?`;
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
  readonly #log: EntryLog;
  readonly #eraser: SqliteEraser;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#eraser = new SqliteEraser(connection);
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
  }

  async *threadIds(): AsyncIterable<ThreadId> {
    for (const row of this.#pages<{ threadId: ThreadId }>(THREADS, [], ROWS_AT_A_TIME)) yield row.threadId;
  }

  async *entries(threadId: ThreadId): AsyncIterable<StoredEntry> {
    for (const row of this.#rowsOf<WithBytes<StoredEntry, "messageId" | "pinId">>(ENTRIES, threadId)) {
      yield { ...row, messageId: textOf(row.messageId), pinId: textOf(row.pinId), body: bodyOf(row.body) };
    }
  }

  async *plans(threadId: ThreadId): AsyncIterable<StoredPlan> {
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return;
    for (const row of this.#rowsOf<StoredPlan>(PLANS, threadId)) {
      const body = bodyOf(row.body);
      yield body === null ? { ...row, body } : spelledOut(row, (run) => this.#log.messagesOf(threadKey, run));
    }
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf<StoredJournalEntry>(JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    for (const row of this.#rowsOf<WithBytes<StoredArtifact, "content">>(ARTIFACTS, threadId, 1)) {
      // What is shorter than it was is no content any more; nothing at all is what an erasure leaves.
      const isGone = row.content?.length === 0 && row.bytes > 0;
      yield { ...row, content: isGone ? null : textOf(row.content) };
    }
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.#eraser.isErasedNow(threadId);
  }

  async damage(): Promise<readonly string[]> {
    const reports = this.#connection.all<{ integrity_check: string }>("PRAGMA integrity_check");
    const orphans = this.#connection.all<{ table: string }>("PRAGMA foreign_key_check");
    const isMisplaced = this.#connection.get(MISPLACED) !== undefined;
    return [
      ...(isMisplaced ? ["the noted places of messages are not those of the entries"] : []),
      ...reports.map((row) => row.integrity_check).filter((report) => report !== "ok"),
      ...[...new Set(orphans.map((row) => row.table))].map((table) => `rows of ${table} refer to rows that are gone`),
    ];
  }

  #rowsOf<Row>(sql: string, threadId: ThreadId, atATime = ROWS_AT_A_TIME): Iterable<Row> {
    const threadKey = this.#keys.find(threadId);
    return threadKey === undefined ? [] : this.#pages<Row>(sql, [threadKey], atATime);
  }

  *#pages<Row>(sql: string, values: readonly number[], atATime: number): Iterable<Row> {
    let after = 0;
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

/** No body is empty, so an empty one is what an erasure left. */
const bodyOf = (body: string | null): string | null => (body === "" ? null : body);

/** Bytes as text; what is no UTF-8 gets replacement characters and so differs from what was written. */
function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
