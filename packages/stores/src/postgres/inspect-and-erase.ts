import { asThreadId, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/erase-subject.ts";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/inspector.ts";
import { HiddenMessages, spelledOut } from "../shared/plans.ts";
import { rowPages } from "../shared/threads.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { PostgresThreadKeys, readHidden } from "./postgres-entry-log.ts";
import { APPEND_ONLY_TABLES, TENANT_TABLES, textOfKey } from "./schema.ts";

/** Number of rows read at a time, so that a long thread is never in memory as a whole. */
const ROWS_AT_A_TIME = 500;

const THREADS = `SELECT thread_key AS place, thread_id AS "threadId" FROM @.threads
  WHERE tenant = $1 AND thread_key > $2 ORDER BY thread_key LIMIT $3`;
const ENTRIES = `SELECT version AS place, version, kind, message_id AS "messageId", pin_id AS "pinId", messages, turn, step,
  digest, link, body FROM @.entries LEFT JOIN @.entry_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND version > $2 ORDER BY version LIMIT $3`;
const PLANS = `SELECT version AS place, version, plan_id AS "planId", thread_version AS "threadVersion",
  created_at AS "createdAt", original_tokens AS "originalTokens", compacted_tokens AS "compactedTokens", body
  FROM @.plans LEFT JOIN @.plan_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND version > $2 ORDER BY version LIMIT $3`;
const JOURNAL = `SELECT sequence AS place, sequence, at, record, previous_hash AS "previousHash", hash FROM @.journal
  WHERE thread_key = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;
const ARTIFACTS = `SELECT artifact_key AS place, artifact_id AS "artifactId", tenant_id AS "tenantId",
  created_at AS "createdAt", ttl_seconds AS "ttlSeconds", sensitivity, media_type AS "mediaType", bytes, content
  FROM @.artifacts LEFT JOIN @.artifact_contents USING (artifact_key)
  WHERE thread_key = $1 AND artifact_key > $2 ORDER BY artifact_key LIMIT $3`;
const UNGUARDED = `SELECT name FROM unnest($2::text[]) AS name WHERE 2 > (
  SELECT count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = $1 AND relname = name AND tgname LIKE name || '\\_no\\_%' AND tgenabled IN ('O', 'A'))`;

// From the threads on, so that rows of other tenants are not scanned.
/** Counts receipts of a tenant that answer for entries that their thread does not have. */
const WRONG_RECEIPTS = `SELECT count(*)::integer AS rows FROM @.threads JOIN @.receipts USING (thread_key) WHERE threads.tenant = $1 AND (
  appended < 0 OR appended > version OR version < 0
  OR version > (SELECT coalesce(max(version), 0) FROM @.entries WHERE thread_key = threads.thread_key)
  OR request_digest !~ '^[0-9a-f]{64}$'
    AND NOT (request_digest = '' AND EXISTS (SELECT 1 FROM @.erasures WHERE thread_key = threads.thread_key)))`;
/** Finds tables in which a row of a tenant's thread belongs to another tenant. */
const MISPLACED = TENANT_TABLES.filter((table) => table !== "threads")
  .map((table) => {
    const owners = table === "artifact_contents" ? "@.artifacts JOIN @.threads USING (thread_key)" : "@.threads";
    const key = table === "artifact_contents" ? "artifact_key" : "thread_key";
    return `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${owners} JOIN @.${table} AS found USING (${key})
      WHERE threads.tenant = $1 AND found.tenant <> $1)`;
  })
  .join(" UNION ALL ");

/** Reads the rows of a tenant in a PostgreSQL store exactly as stored. */
export class PostgresInspector implements StoreInspector {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;
  readonly #eraser: PostgresEraser;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#eraser = new PostgresEraser(connection);
    this.#keys = new PostgresThreadKeys(connection);
  }

  async *threadIds(): AsyncIterable<ThreadId> {
    const { tenant } = this.#connection;
    for await (const row of this.#pages<{ threadId: ThreadId }>("threads", THREADS, tenant, ROWS_AT_A_TIME))
      yield row.threadId;
  }

  async *entries(threadId: ThreadId): AsyncIterable<StoredEntry> {
    for await (const row of this.#rowsOf<StoredEntry>("entries", ENTRIES, threadId)) {
      yield { ...row, messageId: idOf(row.messageId), pinId: idOf(row.pinId), body: bodyOf(row.body) };
    }
  }

  async *plans(threadId: ThreadId): AsyncIterable<StoredPlan> {
    const hidden = new HiddenMessages();
    for await (const kept of this.#rowsOf<StoredPlan>("plans", PLANS, threadId)) {
      const row = { ...kept, body: bodyOf(kept.body) };
      yield await this.#connection.read(async (session) => {
        const threadKey = await this.#keys.find(session, threadId);
        if (threadKey === undefined || row.body === null) return row;
        return spelledOut(row, await readHidden(session, threadKey, row.body, hidden));
      });
    }
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf<StoredJournalEntry>("journal entries", JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    type Row = Omit<StoredArtifact, "content"> & { readonly content: Uint8Array | null };
    for await (const row of this.#rowsOf<Row>("artifacts", ARTIFACTS, threadId, 1)) {
      // Empty content with a length on record was emptied by an erasure.
      const isGone = row.content === null || (row.content.length === 0 && row.bytes > 0);
      yield { ...row, content: isGone ? null : Buffer.from(row.content).toString("utf8") };
    }
  }

  isErased(threadId: ThreadId): Promise<boolean> {
    return this.#eraser.isErased(threadId);
  }

  /**
   * Reports tables whose rows could be changed because their triggers are gone, and rows that no call leaves behind.
   */
  async damage(): Promise<readonly string[]> {
    const { tenant } = this.#connection;
    const unguarded = await this.#unguarded();
    const [receipts] = await this.#connection.query<{ rows: number }>(WRONG_RECEIPTS, tenant);
    const misplaced = await this.#connection.query<{ name: string }>(MISPLACED, tenant);
    return [
      ...unguarded,
      ...(receipts === undefined || receipts.rows === 0
        ? []
        : [`${receipts.rows} of the append receipts refer to entries that the thread does not have`]),
      ...misplaced.map(({ name }) => `rows of ${name} belong to another tenant than their thread`),
    ];
  }

  async #unguarded(): Promise<readonly string[]> {
    const { schema } = this.#connection.place;
    const rows = await this.#connection.query<{ name: string }>(UNGUARDED, schema, [
      ...APPEND_ONLY_TABLES,
      "artifacts",
    ]);
    return rows.map(({ name }) => `the triggers that guard ${name} are missing or turned off`);
  }

  async *#rowsOf<Row extends object>(
    what: string,
    sql: string,
    threadId: ThreadId,
    atATime = ROWS_AT_A_TIME,
  ): AsyncIterable<Row> {
    const threadKey = await this.#connection.read((session) => this.#keys.find(session, threadId));
    if (threadKey !== undefined) yield* this.#pages<Row>(`${what} of thread ${threadId}`, sql, threadKey, atATime);
  }

  #pages<Row extends object>(what: string, sql: string, of: string | number, atATime: number): AsyncIterable<Row> {
    return rowPages<Row>(what, atATime, (after, limit) => this.#connection.query(sql, of, after, limit));
  }
}

/** Returns null for a body that an erasure emptied; other bodies are never empty. */
const bodyOf = (body: string | null): string | null => (body === "" ? null : body);

const idOf = (key: string | null): string | null => (key === null ? null : textOfKey(key));

const ERASED = "SELECT 1 FROM @.erasures WHERE thread_key = $1";
const MARK = "INSERT INTO @.erasures (thread_key, tenant) VALUES ($1, $2) ON CONFLICT (thread_key) DO NOTHING";
// Locked in the same order as by a sweep, so that the two never deadlock.
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

/** Number of artifacts swept in one transaction. */
const SWEPT_AT_A_TIME = 500;

/**
 * Erases in PostgreSQL, with the rights of a role that may append: content is emptied as the guards allow, by a rule
 * that is the same for every role. The server's files keep what was emptied as dead rows until they are vacuumed and
 * overwritten.
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

  subjectOf(threadId: ThreadId): string {
    return threadId;
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      return threadKey !== undefined && (await session.query(ERASED, [threadKey])).length > 0;
    });
  }

  /** Waits for writers to the thread, so that nothing that they had begun slips in. */
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

  /** Removes this tenant's artifacts that have expired both by the given time and by the server's clock. */
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
