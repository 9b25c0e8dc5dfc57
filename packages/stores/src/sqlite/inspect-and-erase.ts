import { asThreadId, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/erase-subject.ts";
import type {
  StoredArtifact,
  StoredEntry,
  StoredJournalEntry,
  StoredPlan,
  StoreInspector,
} from "../inspection/inspector.ts";
import { HiddenMessages, readableRuns, spelledOut } from "../shared/plans.ts";
import { rowPages } from "../shared/threads.ts";
import { schemaProblems } from "./check-schema.ts";
import { between, EntryLog, inThread, LAST_VERSION, MISPLACED, ThreadKeys } from "./entry-log.ts";
import { query, SQLITE_BUSY, type SqliteConnection, type SqlQuery } from "./sqlite-connection.ts";
import { forgetRecall } from "./sqlite-recall.ts";

/** Number of rows read at a time, so that a long thread is never in memory as a whole. */
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
  FROM journal WHERE ${between(":thread", ":after", `${LAST_VERSION}`, "record_key")} ORDER BY record_key LIMIT :limit`,
  { place: "integer", sequence: "integer", at: "text", record: "text", previousHash: "text", hash: "text" },
);
const ARTIFACTS = query<Placed<WithBytes<StoredArtifact, "content">>>(
  `SELECT artifact_key AS place, artifact_id AS artifactId, tenant_id AS tenantId, created_at AS createdAt,
  ttl_seconds AS ttlSeconds, sensitivity, media_type AS mediaType, bytes, content
  FROM artifacts LEFT JOIN artifact_contents USING (artifact_key)
  WHERE thread_key = :thread AND artifact_key > :after ORDER BY artifact_key LIMIT :limit`,
  {
    place: "integer",
    artifactId: "text",
    tenantId: "text or null",
    createdAt: "text",
    ttlSeconds: "number or null",
    sensitivity: "text",
    mediaType: "text",
    bytes: "integer",
    content: "bytes or null",
  },
);
const INTEGRITY = query<{ integrity_check: string }>("PRAGMA integrity_check", { integrity_check: "text" });
const ORPHANS = query<{ table: string }>('SELECT DISTINCT "table" FROM pragma_foreign_key_check', { table: "text" });
const MISPLACED_ROW = query<{ found: number }>(MISPLACED, { found: "integer" });

/** Reads the rows of a SQLite store exactly as stored. */
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
    const hidden = new HiddenMessages();
    for await (const row of this.#rowsOf("plans", PLANS, threadId)) {
      const body = bodyOf(row.body);
      const unread = body === null ? null : hidden.unread(readableRuns(body));
      if (unread !== null) hidden.add(this.#log.messagesOf(threadKey, unread), unread);
      yield spelledOut({ ...row, body }, (run) => hidden.in(run));
    }
  }

  async *journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
    yield* this.#rowsOf("journal entries", JOURNAL, threadId);
  }

  async *artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact> {
    for await (const row of this.#rowsOf("artifacts", ARTIFACTS, threadId, 1)) {
      // Empty content with a length on record was emptied by an erasure.
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
      ...schemaProblems(this.#connection),
      ...receiptProblems(this.#connection),
      ...(isMisplaced ? ["the recorded positions of messages do not match the entries"] : []),
      ...reports.map((row) => row.integrity_check).filter((report) => report !== "ok"),
      ...orphans.map(({ table }) => `rows of ${table} refer to rows that do not exist`),
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

/** Returns null for a body that an erasure emptied; other bodies are never empty. */
const bodyOf = (body: string | null): string | null => (body === "" ? null : body);

/** Returns bytes as text. What is not UTF-8 becomes replacement characters, and so differs from what was written. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

const ERASED = query<{ found: number }>("SELECT 1 AS found FROM erasures WHERE thread_key = ?", { found: "integer" });
const MARK = "INSERT OR IGNORE INTO erasures (thread_key) VALUES (?)";
// Rows stay, because others refer to them. secure_delete overwrites their content with zeros in place, but not the
// copies that a page split leaves in unused space: those go when the file is rewritten.
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

/** Drops the triggers that protect the log for one transaction; nobody else ever sees the file without them. */
export function withoutGuards(connection: SqliteConnection, work: () => void): void {
  const guards = connection.all(GUARDS);
  for (const { name } of guards) connection.script(`DROP TRIGGER "${name}"`);
  work();
  for (const { sql } of guards) connection.script(sql);
}

/** How long emptying the log waits for its readers, in milliseconds. Writers are held up meanwhile. */
const LOG_TIMEOUT_MS = 2_000;

/** Erases in a SQLite file, including the unused space of its pages and its write-ahead log. */
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

  subjectOf(threadId: ThreadId): string {
    return threadId;
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.isErasedNow(threadId);
  }

  /** Does the same as `isErased`, synchronously. */
  isErasedNow(threadId: ThreadId): boolean {
    const threadKey = this.#keys.find(threadId);
    return threadKey !== undefined && this.#connection.get(ERASED, threadKey) !== undefined;
  }

  async erase(subject: string): Promise<boolean> {
    const threadKey = this.#keys.find(asThreadId(subject));
    if (threadKey === undefined) return false;
    await this.#connection.whenFree(() => this.#connection.write(() => this.#empty(threadKey)));
    await this.#writeAnew();
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
    withoutGuards(this.#connection, () => {
      for (const statement of EMPTY) this.#connection.run(statement, { thread: threadKey });
    });
    forgetRecall(this.#connection, threadKey);
  }

  #removeExpired(nowMs: number): number {
    const expired = this.#connection.all(EXPIRED_KEYS, nowMs).length;
    if (expired === 0) return 0;
    withoutGuards(this.#connection, () => {
      this.#connection.run(EXPIRED_CONTENTS, nowMs);
      this.#connection.run(EXPIRED_ARTIFACTS, nowMs);
    });
    return expired;
  }

  /** Rewrites the file. It takes about as long as copying it, and temporarily needs as much free space. */
  async #writeAnew(): Promise<void> {
    const { path } = this.#connection;
    try {
      await this.#connection.whenFree(() => this.#connection.script("VACUUM"));
    } catch (cause) {
      throw new ThreadfoldError(
        "STORE_UNAVAILABLE",
        `The content is erased, but ${path} could not be rewritten, and unused space in its pages may still contain some of it.`,
        {
          hint: "Make room for a copy of the file, or let other processes finish writing, and erase again.",
          details: { path },
          cause,
        },
      );
    }
  }

  /** Empties the log next to the file: until its pages are moved to the file, it contains what was erased. */
  #truncateLog(): Promise<void> {
    return this.#connection.whenFree(() => {
      if (this.#connection.get(TRUNCATE_LOG)?.busy === 0) return;
      const { path } = this.#connection;
      throw new ThreadfoldError(
        "STORE_UNAVAILABLE",
        `The content is erased, but the log of ${path} is in use and still holds some of it.`,
        {
          hint: "Erase again once other processes have finished reading: that empties the log.",
          details: { path, sqliteCode: SQLITE_BUSY },
        },
      );
    }, LOG_TIMEOUT_MS);
  }
}

/** Counts invalid receipts. The newest entry of a thread is the last one before the keys of the next thread. */
const WRONG_RECEIPTS = query<{ receipts: number }>(
  `SELECT count(*) AS receipts FROM receipts
  WHERE appended < 0 OR appended > version OR version < 0
    OR version > coalesce((SELECT max(entry_key) & ${LAST_VERSION} FROM entries
      WHERE entry_key > receipts.thread_key << 32 AND entry_key <= (receipts.thread_key << 32) + ${LAST_VERSION}), 0)
    OR request_digest <> '' AND (length(request_digest) <> 64 OR request_digest GLOB '*[^0-9a-f]*')
    OR request_digest = '' AND NOT EXISTS (SELECT 1 FROM erasures WHERE thread_key = receipts.thread_key)`,
  { receipts: "integer" },
);

/**
 * Checks whether a receipt answers for entries that the thread does not have. A retried append is answered from its
 * receipt, so a forged one makes an append that never happened look done.
 */
function receiptProblems(connection: SqliteConnection): readonly string[] {
  const { receipts = 0 } = connection.get(WRONG_RECEIPTS) ?? {};
  return receipts === 0 ? [] : [`${receipts} of the append receipts refer to entries that the thread does not have`];
}
