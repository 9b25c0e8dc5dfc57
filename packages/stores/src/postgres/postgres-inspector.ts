import type { ThreadId } from "@threadfold/core";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/stored-rows.ts";
import { spelledOut } from "../rules/plan-row.ts";
import { rowPages } from "../rules/row-pages.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { readHidden } from "./postgres-entry-log.ts";
import { PostgresEraser } from "./postgres-eraser.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";
import { APPEND_ONLY_TABLES, textOfKey } from "./schema.ts";

/** Rows that are read at a time, so that a long thread is never in memory as a whole. */
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
const ARTIFACTS = `SELECT artifact_key AS place, artifact_id AS "artifactId", tenant_id AS "tenantId", bytes, content
  FROM @.artifacts LEFT JOIN @.artifact_contents USING (artifact_key)
  WHERE thread_key = $1 AND artifact_key > $2 ORDER BY artifact_key LIMIT $3`;
const UNGUARDED = `SELECT name FROM unnest($2::text[]) AS name WHERE 2 > (
  SELECT count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace n ON n.oid = relnamespace
  WHERE nspname = $1 AND relname = name AND tgname LIKE name || '\\_no\\_%' AND tgenabled IN ('O', 'A'))`;

/** Reads the rows of a tenant in a PostgreSQL store as they are. */
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
    for await (const kept of this.#rowsOf<StoredPlan>("plans", PLANS, threadId)) {
      const row = { ...kept, body: bodyOf(kept.body) };
      yield await this.#connection.read(async (session) => {
        const threadKey = await this.#keys.find(session, threadId);
        if (threadKey === undefined || row.body === null) return row;
        return spelledOut(row, await readHidden(session, threadKey, row.body));
      });
    }
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf<StoredJournalEntry>("journal entries", JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    type Row = Omit<StoredArtifact, "content"> & { readonly content: Uint8Array | null };
    for await (const row of this.#rowsOf<Row>("artifacts", ARTIFACTS, threadId, 1)) {
      // What is shorter than it was is no content any more; nothing at all is what an erasure leaves.
      const isGone = row.content === null || (row.content.length === 0 && row.bytes > 0);
      yield { ...row, content: isGone ? null : Buffer.from(row.content).toString("utf8") };
    }
  }

  isErased(threadId: ThreadId): Promise<boolean> {
    return this.#eraser.isErased(threadId);
  }

  /** Tables whose rows could be changed, because somebody took their triggers away. */
  async damage(): Promise<readonly string[]> {
    const { schema } = this.#connection.place;
    const rows = await this.#connection.query<{ name: string }>(UNGUARDED, schema, [
      ...APPEND_ONLY_TABLES,
      "artifacts",
    ]);
    return rows.map(({ name }) => `the triggers that guard ${name} are gone or turned off`);
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

/** No body is empty, so an empty one is what an erasure left. */
const bodyOf = (body: string | null): string | null => (body === "" ? null : body);

const idOf = (key: string | null): string | null => (key === null ? null : textOfKey(key));
