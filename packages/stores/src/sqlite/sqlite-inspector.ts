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
import { between, LAST_VERSION } from "./entry-key.ts";
import { EntryLog } from "./entry-log.ts";
import { MISPLACED } from "./noted-places.ts";
import { query, type SqliteConnection, type SqlQuery } from "./sqlite-connection.ts";
import { SqliteEraser } from "./sqlite-eraser.ts";
import { ThreadKeys } from "./thread-keys.ts";

/** Rows that are read at a time, so that a long thread is never in memory as a whole. */
const ROWS_AT_A_TIME = 500;

type Placed<Row> = Row & { readonly place: number };
type WithBytes<Row, Key extends keyof Row> = Omit<Row, Key> & Readonly<Record<Key, Uint8Array | null>>;

const THREADS = query<Placed<{ readonly threadId: ThreadId }>>(
  "SELECT thread_key AS place, thread_id AS threadId FROM threads WHERE thread_key > :after ORDER BY thread_key LIMIT :limit",
  { place: "integer", threadId: "text" },
);
// Ids are read as bytes, because a text ends at its first NUL on some Node versions.
const ENTRIES = query<Placed<WithBytes<StoredEntry, "messageId" | "pinId">>>(
  `SELECT version AS place, version, kind, CAST(message_id AS BLOB) AS messageId, CAST(pin_id AS BLOB) AS pinId,
  messages, turn, step, digest, link, body
  FROM entries WHERE ${between(":thread", ":after", `${LAST_VERSION}`)} ORDER BY entry_key LIMIT :limit`,
  {
    place: "integer",
    version: "integer",
    kind: "text",
    messageId: "bytes or null",
    pinId: "bytes or null",
    messages: "integer",
    turn: "integer",
    step: "integer",
    digest: "text",
    link: "text",
    body: "text or null",
  },
);
const PLANS = query<Placed<StoredPlan>>(
  `SELECT version AS place, version, plan_id AS planId, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens, body
  FROM plans WHERE thread_key = :thread AND version > :after ORDER BY version LIMIT :limit`,
  {
    place: "integer",
    version: "integer",
    planId: "text",
    threadVersion: "integer",
    createdAt: "text",
    originalTokens: "number",
    compactedTokens: "number",
    body: "text or null",
  },
);
const JOURNAL = query<Placed<StoredJournalEntry>>(
  `SELECT sequence AS place, sequence, at, record, previous_hash AS previousHash, hash
  FROM journal WHERE thread_key = :thread AND sequence > :after ORDER BY sequence LIMIT :limit`,
  { place: "integer", sequence: "integer", at: "text", record: "text", previousHash: "text", hash: "text" },
);
const ARTIFACTS = query<Placed<WithBytes<StoredArtifact, "content">>>(
  `SELECT artifact_key AS place, artifact_id AS artifactId, tenant_id AS tenantId, bytes, content
  FROM artifacts LEFT JOIN artifact_contents USING (artifact_key)
  WHERE thread_key = :thread AND artifact_key > :after ORDER BY artifact_key LIMIT :limit`,
  { place: "integer", artifactId: "text", tenantId: "text or null", bytes: "integer", content: "bytes or null" },
);
const INTEGRITY = query<{ integrity_check: string }>("PRAGMA integrity_check", { integrity_check: "text" });
const ORPHANS = query<{ table: string }>('SELECT DISTINCT "table" FROM pragma_foreign_key_check', { table: "text" });
const MISPLACED_ROW = query<{ found: number }>(MISPLACED, { found: "integer" });

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
    const read = (after: number, limit: number) => this.#connection.all(THREADS, { after, limit });
    for await (const { threadId } of rowPages("threads", ROWS_AT_A_TIME, read)) yield threadId;
  }

  async *entries(threadId: ThreadId): AsyncIterable<StoredEntry> {
    for await (const row of this.#rowsOf("entries", ENTRIES, threadId)) {
      yield { ...row, messageId: textOf(row.messageId), pinId: textOf(row.pinId), body: bodyOf(row.body) };
    }
  }

  async *plans(threadId: ThreadId): AsyncIterable<StoredPlan> {
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return;
    for await (const row of this.#rowsOf("plans", PLANS, threadId)) {
      const body = bodyOf(row.body);
      yield body === null ? { ...row, body } : spelledOut(row, (run) => this.#log.messagesOf(threadKey, run));
    }
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf("journal entries", JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    for await (const row of this.#rowsOf("artifacts", ARTIFACTS, threadId, 1)) {
      // What is shorter than it was is no content any more; nothing at all is what an erasure leaves.
      const isGone = row.content?.length === 0 && row.bytes > 0;
      yield { ...row, content: isGone ? null : textOf(row.content) };
    }
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.#eraser.isErasedNow(threadId);
  }

  async damage(): Promise<readonly string[]> {
    const reports = this.#connection.all(INTEGRITY);
    const orphans = this.#connection.all(ORPHANS);
    const isMisplaced = this.#connection.get(MISPLACED_ROW) !== undefined;
    return [
      ...(isMisplaced ? ["the noted places of messages are not those of the entries"] : []),
      ...reports.map((row) => row.integrity_check).filter((report) => report !== "ok"),
      ...orphans.map(({ table }) => `rows of ${table} refer to rows that are gone`),
    ];
  }

  async *#rowsOf<Row extends object>(
    what: string,
    rows: SqlQuery<Placed<Row>>,
    threadId: ThreadId,
    atATime = ROWS_AT_A_TIME,
  ): AsyncIterable<Row> {
    const thread = this.#keys.find(threadId);
    if (thread === undefined) return;
    const read = (after: number, limit: number) => this.#connection.all(rows, { thread, after, limit });
    yield* rowPages<Row>(`${what} of thread ${threadId}`, atATime, read);
  }
}

/** No body is empty, so an empty one is what an erasure left. */
const bodyOf = (body: string | null): string | null => (body === "" ? null : body);

/** Bytes as text; what is no UTF-8 gets replacement characters and so differs from what was written. */
function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
