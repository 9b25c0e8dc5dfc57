import { canonicalJson, THREAD_CHAIN_START, type ThreadId } from "@threadfold/core";
import { type ArchiveReceipt, type ArchiveRow, archiveReceipt } from "../audit/archive-receipt.ts";
import {
  contentGone,
  type HotThread,
  rowsOf,
  type SegmentRow,
  type SegmentRowOf,
  type StoreArchiver,
} from "../audit/segment.ts";
import { rowPages } from "../shared/threads.ts";
import { between, inThread, keyAt, LAST_VERSION, ThreadKeys } from "./entry-log.ts";
import { textOf, withoutGuards } from "./inspect-and-erase.ts";
import { query, type SqliteConnection, type SqlQuery } from "./sqlite-connection.ts";
import { forgetRecall } from "./sqlite-recall.ts";

/** Number of rows read at a time, so that reading never puts a long thread in memory as a whole. */
const ROWS_AT_A_TIME = 200;

const RECEIPTS = `SELECT thread_id, is_cold, is_dropped, place, segment_key, root, lines, bytes, archived_at, copies, version, digest,
  plan_version, journal_size, journal_hash, created_at, appended_at, committed_at FROM archives JOIN threads USING (thread_key)`;
const receiptQuery = (sql: string): SqlQuery<ArchiveRow> =>
  query<ArchiveRow>(sql, {
    thread_id: "text",
    is_cold: "integer",
    is_dropped: "integer",
    place: "text",
    segment_key: "text",
    root: "text",
    lines: "integer",
    bytes: "integer",
    archived_at: "text",
    copies: "text",
    version: "integer",
    digest: "text",
    plan_version: "integer",
    journal_size: "integer",
    journal_hash: "text",
    created_at: "integer",
    appended_at: "integer",
    committed_at: "integer or null",
  });
const ALL_RECEIPTS = receiptQuery(`${RECEIPTS} ORDER BY thread_key`);
const RECEIPT_OF = receiptQuery(`${RECEIPTS} WHERE thread_key = ?`);
const NOTE = `INSERT INTO archives (thread_key, is_cold, is_dropped, place, segment_key, root, lines, bytes, archived_at, copies, version,
  digest, plan_version, journal_size, journal_hash, created_at, appended_at, committed_at)
  VALUES (?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const FORGET = "DELETE FROM archives WHERE thread_key = ? AND segment_key = ? AND is_dropped = 1";
const TURN_COLD = "UPDATE archives SET is_cold = 1 WHERE thread_key = ?";
const TURN_HOT = "UPDATE archives SET is_cold = 0, is_dropped = 1 WHERE thread_key = ?";
const DROP = "UPDATE archives SET is_dropped = 1 WHERE thread_key = ?";

const COUNTS = query<{ entry: number; receipt: number; plan: number; artifact: number; journal: number }>(
  `SELECT (SELECT count(*) FROM entries WHERE ${inThread(":thread")}) AS entry,
    (SELECT count(*) FROM receipts WHERE thread_key = :thread) AS receipt,
    (SELECT count(*) FROM plans WHERE thread_key = :thread) AS "plan",
    (SELECT count(*) FROM artifacts WHERE thread_key = :thread) AS artifact,
    (SELECT count(*) FROM journal WHERE ${inThread(":thread", "record_key")}) AS journal`,
  { entry: "integer", receipt: "integer", plan: "integer", artifact: "integer", journal: "integer" },
);
const LAST_ENTRY = query<{ version: number; link: string; appended_at: number }>(
  `SELECT version, link, appended_at FROM entries WHERE ${inThread(":thread")} ORDER BY entry_key DESC LIMIT 1`,
  { version: "integer", link: "text", appended_at: "integer" },
);
const FIRST_ENTRY = query<{ appended_at: number }>(
  `SELECT appended_at FROM entries WHERE entry_key = ${keyAt("?", "1")}`,
  { appended_at: "integer" },
);
const LAST_PLAN = query<{ version: number; committed_at: number }>(
  "SELECT version, committed_at FROM plans WHERE thread_key = ? ORDER BY version DESC LIMIT 1",
  { version: "integer", committed_at: "integer" },
);
const LAST_RECORD = query<{ sequence: number; at: string; hash: string }>(
  `SELECT sequence, at, hash FROM journal WHERE ${inThread(":thread", "record_key")} ORDER BY record_key DESC LIMIT 1`,
  { sequence: "integer", at: "text", hash: "text" },
);
const TERMS = query<{ artifact_id: string; created_at: string; ttl_seconds: number | null; sensitivity: string }>(
  "SELECT artifact_id, created_at, ttl_seconds, sensitivity FROM artifacts WHERE thread_key = ? ORDER BY artifact_key",
  { artifact_id: "text", created_at: "text", ttl_seconds: "number or null", sensitivity: "text" },
);

type Placed<Row> = Row & { readonly place: number };
type Kept<Type extends SegmentRow["type"]> = Omit<SegmentRowOf<Type>, "type">;
type WithBytes<Row, Key extends keyof Row> = Omit<Row, Key> & Readonly<Record<Key, Uint8Array | null>>;

const ENTRIES = query<Placed<WithBytes<Kept<"entry">, "messageId" | "pinId">>>(
  `SELECT version AS place, version, kind, CAST(message_id AS BLOB) AS messageId, CAST(pin_id AS BLOB) AS pinId, messages,
  turn, step, digest, link, appended_at AS appendedAt, body
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
    appendedAt: "integer",
    body: "text",
  },
);
const ANSWERS = query<Kept<"receipt">>(
  `SELECT idempotency_key AS idempotencyKey, request_digest AS requestDigest, version, appended FROM receipts
  WHERE thread_key = ? ORDER BY idempotency_key`,
  { idempotencyKey: "text", requestDigest: "text", version: "integer", appended: "integer" },
);
const PLANS = query<Placed<Kept<"plan">>>(
  `SELECT version AS place, version, plan_id AS planId, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens, committed_at AS committedAt, body
  FROM plans WHERE thread_key = :thread AND version > :after ORDER BY version LIMIT :limit`,
  {
    place: "integer",
    version: "integer",
    planId: "text",
    threadVersion: "integer",
    createdAt: "text",
    originalTokens: "number",
    compactedTokens: "number",
    committedAt: "integer",
    body: "text",
  },
);
const ARTIFACTS = query<Placed<WithBytes<Kept<"artifact">, "content">>>(
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
const JOURNAL = query<Placed<Kept<"journal">>>(
  `SELECT sequence AS place, sequence, at, record, previous_hash AS previousHash, hash
  FROM journal WHERE ${between(":thread", ":after", `${LAST_VERSION}`, "record_key")} ORDER BY record_key LIMIT :limit`,
  { place: "integer", sequence: "integer", at: "text", record: "text", previousHash: "text", hash: "text" },
);

// Rows that refer to others go first.
const REMOVE = [
  "DELETE FROM message_places WHERE thread_key = :thread",
  "DELETE FROM receipts WHERE thread_key = :thread",
  "DELETE FROM plans WHERE thread_key = :thread",
  `DELETE FROM journal WHERE ${inThread(":thread", "record_key")}`,
  "DELETE FROM artifact_contents WHERE artifact_key IN (SELECT artifact_key FROM artifacts WHERE thread_key = :thread)",
  "DELETE FROM artifacts WHERE thread_key = :thread",
  `DELETE FROM entries WHERE ${inThread(":thread")}`,
];

const INSERT_ENTRY = `INSERT INTO entries
  (entry_key, kind, message_id, pin_id, messages, turn, step, digest, link, appended_at, body)
  VALUES (${keyAt("?", "?")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_ANSWER =
  "INSERT INTO receipts (thread_key, idempotency_key, request_digest, version, appended) VALUES (?, ?, ?, ?, ?)";
const INSERT_PLAN = `INSERT INTO plans (thread_key, version, plan_id, thread_version, created_at, original_tokens,
  compacted_tokens, committed_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_ARTIFACT = `INSERT INTO artifacts
  (artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_CONTENT = "INSERT INTO artifact_contents (artifact_key, content) VALUES (?, ?)";
const INSERT_RECORD = `INSERT INTO journal (record_key, at, record, previous_hash, hash) VALUES (${keyAt("?", "?")}, ?, ?, ?, ?)`;

/** Moves threads out of a SQLite file and back. The file reuses the freed space; `VACUUM` releases it. */
export class SqliteArchiver implements StoreArchiver {
  readonly tenant = "null";
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
  }

  readonly receiptOf = async (threadId: ThreadId): Promise<ArchiveReceipt | null> => {
    const threadKey = this.#keys.find(threadId);
    return threadKey === undefined ? null : this.#receiptOf(threadKey);
  };

  async receipts(): Promise<readonly ArchiveReceipt[]> {
    return this.#connection.all(ALL_RECEIPTS).map((row) => archiveReceipt(row, this.tenant));
  }

  async look(threadId: ThreadId): Promise<HotThread | null> {
    const threadKey = this.#keys.find(threadId);
    return threadKey === undefined ? null : this.#look(threadKey);
  }

  async *rows(threadId: ThreadId): AsyncGenerator<SegmentRow> {
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return;
    for await (const row of this.#pages("entries", ENTRIES, threadKey))
      yield { type: "entry", ...row, messageId: textOf(row.messageId), pinId: textOf(row.pinId) };
    for (const row of this.#connection.all(ANSWERS, threadKey)) yield { type: "receipt", ...row };
    for await (const row of this.#pages("plans", PLANS, threadKey)) yield { type: "plan", ...row };
    for await (const row of this.#pages("artifacts", ARTIFACTS, threadKey, 1)) {
      const content = textOf(row.content);
      if (content === null) throw contentGone(threadId, row.artifactId);
      yield { type: "artifact", ...row, content };
    }
    for await (const row of this.#pages("journal", JOURNAL, threadKey)) yield { type: "journal", ...row };
  }

  async note(receipt: ArchiveReceipt): Promise<boolean> {
    const { threadId, place, key, root, lines, bytes, archivedAt, copies, end } = receipt;
    return this.#write(threadId, (threadKey, noted) => {
      if (noted !== null) return false;
      const { version, digest, planVersion, journalSize, journalHash, createdAt, appendedAt, committedAt } = end;
      const segment = [place, key, root, lines, bytes, archivedAt, JSON.stringify(copies)] as const;
      const times = [createdAt, appendedAt, committedAt] as const;
      this.#connection.run(
        NOTE,
        threadKey,
        ...segment,
        version,
        digest,
        planVersion,
        journalSize,
        journalHash,
        ...times,
      );
      return true;
    });
  }

  async remove({ threadId, key }: ArchiveReceipt, was: HotThread): Promise<boolean> {
    return this.#write(threadId, (thread, noted) => {
      if (noted?.key !== key || noted.isCold || noted.isDropped) return false;
      if (canonicalJson(this.#look(thread)) !== canonicalJson(was)) return false;
      withoutGuards(this.#connection, () => {
        for (const statement of REMOVE) this.#connection.run(statement, { thread });
      });
      forgetRecall(this.#connection, thread);
      this.#connection.run(TURN_COLD, thread);
      return true;
    });
  }

  async restore({ threadId, key }: ArchiveReceipt, rows: readonly SegmentRow[]): Promise<boolean> {
    return this.#write(threadId, (threadKey, noted) => {
      if (noted?.key !== key || !noted.isCold) return false;
      this.#connection.run(TURN_HOT, threadKey);
      for (const row of rowsOf(rows, "entry")) this.#insertEntry(threadKey, row);
      for (const { idempotencyKey, requestDigest, version, appended } of rowsOf(rows, "receipt"))
        this.#connection.run(INSERT_ANSWER, threadKey, idempotencyKey, requestDigest, version, appended);
      for (const row of rowsOf(rows, "plan")) this.#insertPlan(threadKey, row);
      for (const row of rowsOf(rows, "artifact")) this.#insertArtifact(threadKey, row);
      for (const { sequence, at, record, previousHash, hash } of rowsOf(rows, "journal"))
        this.#connection.run(INSERT_RECORD, threadKey, sequence, at, record, previousHash, hash);
      return true;
    });
  }

  async drop({ threadId, key }: ArchiveReceipt): Promise<boolean> {
    return this.#write(threadId, (threadKey, noted) => {
      if (noted?.key !== key || noted.isCold) return false;
      if (!noted.isDropped) this.#connection.run(DROP, threadKey);
      return true;
    });
  }

  async forget({ threadId, key }: ArchiveReceipt): Promise<void> {
    await this.#write(threadId, (threadKey) => this.#connection.run(FORGET, threadKey, key));
  }

  #receiptOf(threadKey: number): ArchiveReceipt | null {
    const row = this.#connection.get(RECEIPT_OF, threadKey);
    return row === undefined ? null : archiveReceipt(row, this.tenant);
  }

  /** Works on a thread in one transaction, with the receipt of its segment as it is then. */
  #write<Result>(
    threadId: ThreadId,
    work: (threadKey: number, noted: ArchiveReceipt | null) => Result,
  ): Promise<Result> {
    const within = (): Result => {
      const threadKey = this.#keys.place(threadId);
      return work(threadKey, this.#receiptOf(threadKey));
    };
    return this.#connection.whenFree(() => this.#connection.write(within));
  }

  #look(thread: number): HotThread | null {
    const counts = this.#connection.get(COUNTS, { thread });
    if (counts === undefined || Object.values(counts).every((count) => count === 0)) return null;
    const last = this.#connection.get(LAST_ENTRY, { thread });
    const plan = this.#connection.get(LAST_PLAN, thread);
    const record = this.#connection.get(LAST_RECORD, { thread });
    const terms = this.#connection.all(TERMS, thread);
    return {
      end: {
        version: last?.version ?? 0,
        digest: last?.link ?? THREAD_CHAIN_START,
        planVersion: plan?.version ?? 0,
        journalSize: record?.sequence ?? 0,
        journalHash: record?.hash ?? "",
        createdAt: this.#connection.get(FIRST_ENTRY, thread)?.appended_at ?? 0,
        appendedAt: last?.appended_at ?? 0,
        committedAt: plan?.committed_at ?? null,
      },
      counts: { ...counts },
      journalAt: record?.at ?? null,
      terms: canonicalJson(terms.map((row) => ({ ...row }))),
      expiring: terms.filter(({ ttl_seconds: ttlSeconds }) => ttlSeconds !== null).length,
    };
  }

  #insertEntry(threadKey: number, row: SegmentRowOf<"entry">): void {
    const { version, kind, messageId, pinId, messages, turn, step, digest, link, appendedAt, body } = row;
    const header = [version, kind, messageId, pinId, messages, turn, step] as const;
    this.#connection.run(INSERT_ENTRY, threadKey, ...header, digest, link, appendedAt, body);
  }

  #insertPlan(threadKey: number, row: SegmentRowOf<"plan">): void {
    const { version, planId, threadVersion, createdAt, originalTokens, compactedTokens, committedAt, body } = row;
    const header = [version, planId, threadVersion, createdAt, originalTokens, compactedTokens] as const;
    this.#connection.run(INSERT_PLAN, threadKey, ...header, committedAt, body);
  }

  #insertArtifact(threadKey: number, row: SegmentRowOf<"artifact">): void {
    const { artifactId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes, content } = row;
    const terms = [tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes] as const;
    const key = this.#connection.run(INSERT_ARTIFACT, artifactId, threadKey, ...terms);
    this.#connection.run(INSERT_CONTENT, key, Buffer.from(content));
  }

  #pages<Row extends object>(what: string, rows: SqlQuery<Placed<Row>>, thread: number, atATime = ROWS_AT_A_TIME) {
    const read = (after: number, limit: number) => this.#connection.all(rows, { thread, after, limit });
    return rowPages<Row>(what, atATime, read);
  }
}
