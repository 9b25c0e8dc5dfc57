import { canonicalJson, THREAD_CHAIN_START, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type ArchiveReceipt, type ArchiveRow, archiveReceipt } from "../audit/archive-receipt.ts";
import {
  contentGone,
  type HotThread,
  type RowCounts,
  rowsOf,
  type SegmentRow,
  type SegmentRowOf,
  type StoreArchiver,
} from "../audit/segment.ts";
import { rowPages } from "../shared/threads.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession, SqlValue } from "./postgres-driver.ts";
import { PostgresThreadKeys } from "./postgres-entry-log.ts";
import { textKey, textOfKey } from "./schema.ts";

/** Number of rows read or written at a time. */
const ROWS_AT_A_TIME = 200;

const RECEIPTS = `SELECT thread_id, is_cold::integer AS is_cold,
  is_dropped::integer AS is_dropped, place, segment_key, root, lines, bytes, archived_at, copies,
  version, digest, plan_version, journal_size, journal_hash, created_at, appended_at, committed_at
  FROM @.archives JOIN @.threads USING (thread_key, tenant)`;
const ALL_RECEIPTS = `${RECEIPTS} WHERE tenant = $1 ORDER BY thread_key`;
const RECEIPT_OF = `${RECEIPTS} WHERE thread_key = $1`;
const NOTE = `INSERT INTO @.archives (thread_key, tenant, is_cold, is_dropped, place, segment_key, root, lines, bytes, archived_at, copies,
  version, digest, plan_version, journal_size, journal_hash, created_at, appended_at, committed_at)
  VALUES ($1, $2, false, false, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;
const FORGET = "DELETE FROM @.archives WHERE thread_key = $1 AND segment_key = $2 AND is_dropped";
const TURN_COLD = "UPDATE @.archives SET is_cold = true WHERE thread_key = $1";
const TURN_HOT = "UPDATE @.archives SET is_cold = false, is_dropped = true WHERE thread_key = $1";
const DROP = "UPDATE @.archives SET is_dropped = true WHERE thread_key = $1 AND NOT is_dropped";

const COUNTS = `SELECT (SELECT count(*) FROM @.entries WHERE thread_key = $1) AS entry,
  (SELECT count(*) FROM @.receipts WHERE thread_key = $1) AS receipt,
  (SELECT count(*) FROM @.plans WHERE thread_key = $1) AS plan,
  (SELECT count(*) FROM @.artifacts WHERE thread_key = $1) AS artifact,
  (SELECT count(*) FROM @.journal WHERE thread_key = $1) AS journal`;
const LAST_ENTRY =
  "SELECT version, link, appended_at FROM @.entries WHERE thread_key = $1 ORDER BY version DESC LIMIT 1";
const FIRST_ENTRY = "SELECT appended_at FROM @.entries WHERE thread_key = $1 AND version = 1";
const LAST_PLAN = "SELECT version, committed_at FROM @.plans WHERE thread_key = $1 ORDER BY version DESC LIMIT 1";
const LAST_RECORD = "SELECT sequence, at, hash FROM @.journal WHERE thread_key = $1 ORDER BY sequence DESC LIMIT 1";
const TERMS = `SELECT artifact_id, created_at, ttl_seconds, sensitivity FROM @.artifacts WHERE thread_key = $1
  ORDER BY artifact_key`;

const ENTRIES = `SELECT version AS place, version, kind, message_id AS "messageId", pin_id AS "pinId", messages, turn, step,
  digest, link, appended_at AS "appendedAt", body FROM @.entries JOIN @.entry_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND version > $2 ORDER BY version LIMIT $3`;
const ANSWERS = `SELECT idempotency_key AS "idempotencyKey", request_digest AS "requestDigest", version, appended
  FROM @.receipts WHERE thread_key = $1 ORDER BY idempotency_key`;
const PLANS = `SELECT version AS place, version, plan_id AS "planId", thread_version AS "threadVersion",
  created_at AS "createdAt", original_tokens AS "originalTokens", compacted_tokens AS "compactedTokens",
  committed_at AS "committedAt", body FROM @.plans JOIN @.plan_bodies USING (thread_key, version)
  WHERE thread_key = $1 AND version > $2 ORDER BY version LIMIT $3`;
const ARTIFACTS = `SELECT artifact_key AS place, artifact_id AS "artifactId", tenant_id AS "tenantId",
  created_at AS "createdAt", ttl_seconds AS "ttlSeconds", sensitivity, media_type AS "mediaType", bytes, content
  FROM @.artifacts LEFT JOIN @.artifact_contents USING (artifact_key)
  WHERE thread_key = $1 AND artifact_key > $2 ORDER BY artifact_key LIMIT $3`;
const JOURNAL = `SELECT sequence AS place, sequence, at, record, previous_hash AS "previousHash", hash FROM @.journal
  WHERE thread_key = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;

// Rows that refer to others go first, and bodies go before the rows that require them.
const REMOVE = [
  "DELETE FROM @.recall_passages WHERE thread_key = $1",
  "DELETE FROM @.receipts WHERE thread_key = $1",
  "DELETE FROM @.plan_bodies WHERE thread_key = $1",
  "DELETE FROM @.plans WHERE thread_key = $1",
  "DELETE FROM @.journal WHERE thread_key = $1",
  "DELETE FROM @.artifact_contents WHERE artifact_key IN (SELECT artifact_key FROM @.artifacts WHERE thread_key = $1)",
  "DELETE FROM @.artifacts WHERE thread_key = $1",
  "DELETE FROM @.entry_bodies WHERE thread_key = $1",
  "DELETE FROM @.entries WHERE thread_key = $1",
];

const INSERT_ARTIFACT = `INSERT INTO @.artifacts
  (thread_key, tenant, artifact_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING artifact_key`;
const INSERT_CONTENT = "INSERT INTO @.artifact_contents (artifact_key, tenant, content) VALUES ($1, $2, $3)";

type Kept<Type extends SegmentRow["type"]> = Omit<SegmentRowOf<Type>, "type">;

/** Moves a tenant's threads out of PostgreSQL and back. The freed space is reused after a vacuum. */
export class PostgresArchiver implements StoreArchiver {
  readonly tenant: string;
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.tenant = connection.tenant;
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  readonly receiptOf = (threadId: ThreadId): Promise<ArchiveReceipt | null> =>
    this.#read<ArchiveReceipt | null>(threadId, null, (session, threadKey) => this.#noted(session, threadKey));

  async receipts(): Promise<readonly ArchiveReceipt[]> {
    const rows = await this.#connection.query<ArchiveRow>(ALL_RECEIPTS, this.tenant);
    return rows.map((row) => archiveReceipt(row, this.tenant));
  }

  look(threadId: ThreadId): Promise<HotThread | null> {
    return this.#read(threadId, null, look);
  }

  async *rows(threadId: ThreadId): AsyncGenerator<SegmentRow> {
    const threadKey = await this.#read(threadId, null, async (_, key) => key);
    if (threadKey === null) return;
    for await (const row of this.#pages<Kept<"entry">>("entries", ENTRIES, threadKey))
      yield { type: "entry", ...row, messageId: idOf(row.messageId), pinId: idOf(row.pinId) };
    for (const row of await this.#connection.query<Kept<"receipt">>(ANSWERS, threadKey))
      yield { type: "receipt", ...row };
    for await (const row of this.#pages<Kept<"plan">>("plans", PLANS, threadKey)) yield { type: "plan", ...row };
    type Artifact = Omit<Kept<"artifact">, "content"> & { readonly content: Uint8Array | null };
    for await (const row of this.#pages<Artifact>("artifacts", ARTIFACTS, threadKey, 1)) {
      if (row.content === null) throw contentGone(threadId, row.artifactId);
      yield { type: "artifact", ...row, content: Buffer.from(row.content).toString("utf8") };
    }
    for await (const row of this.#pages<Kept<"journal">>("journal", JOURNAL, threadKey))
      yield { type: "journal", ...row };
  }

  note({ threadId, place, key, root, lines, bytes, archivedAt, copies, end }: ArchiveReceipt): Promise<boolean> {
    const { version, digest, planVersion, journalSize, journalHash, createdAt, appendedAt, committedAt } = end;
    const segment = [place, key, root, lines, bytes, archivedAt, JSON.stringify(copies)];
    const ends = [version, digest, planVersion, journalSize, journalHash, createdAt, appendedAt, committedAt];
    return this.#write(threadId, async (session, threadKey, noted) => {
      if (noted !== null) return false;
      await session.query(NOTE, [threadKey, this.tenant, ...segment, ...ends]);
      return true;
    });
  }

  remove({ threadId, key }: ArchiveReceipt, was: HotThread): Promise<boolean> {
    return this.#write(threadId, async (session, threadKey, noted) => {
      if (noted?.key !== key || noted.isCold || noted.isDropped) return false;
      if (canonicalJson(await look(session, threadKey)) !== canonicalJson(was)) return false;
      await session.query(TURN_COLD, [threadKey]);
      for (const statement of REMOVE) await session.query(statement, [threadKey]);
      return true;
    });
  }

  restore({ threadId, key }: ArchiveReceipt, rows: readonly SegmentRow[]): Promise<boolean> {
    return this.#write(threadId, async (session, threadKey, noted) => {
      if (noted?.key !== key || !noted.isCold) return false;
      await session.query(TURN_HOT, [threadKey]);
      const owner = [threadKey, this.tenant] as const;
      const entries = rowsOf(rows, "entry").map(({ messageId, pinId, ...row }) => ({
        ...row,
        messageId: keyOf(messageId),
        pinId: keyOf(pinId),
      }));
      await insert(session, owner, "entry_bodies", BODY_COLUMNS, entries);
      await insert(session, owner, "entries", ENTRY_COLUMNS, entries);
      await insert(session, owner, "receipts", ANSWER_COLUMNS, rowsOf(rows, "receipt"));
      await insert(session, owner, "plan_bodies", BODY_COLUMNS, rowsOf(rows, "plan"));
      await insert(session, owner, "plans", PLAN_COLUMNS, rowsOf(rows, "plan"));
      for (const row of rowsOf(rows, "artifact")) await insertArtifact(session, owner, row);
      await insert(session, owner, "journal", JOURNAL_COLUMNS, rowsOf(rows, "journal"));
      return true;
    });
  }

  drop({ threadId, key }: ArchiveReceipt): Promise<boolean> {
    return this.#write(threadId, async (session, threadKey, noted) => {
      if (noted?.key !== key || noted.isCold) return false;
      await session.query(DROP, [threadKey]);
      return true;
    });
  }

  async forget({ threadId, key }: ArchiveReceipt): Promise<void> {
    await this.#write(threadId, async (session, threadKey) => void (await session.query(FORGET, [threadKey, key])));
  }

  /**
   * Works on a thread in one transaction, with the receipt of its segment as it is then. Waits for writers to the
   * thread, so that nothing that they had begun slips in.
   */
  #write<Result>(
    threadId: ThreadId,
    work: (session: SqlSession, threadKey: number, noted: ArchiveReceipt | null) => Promise<Result>,
  ): Promise<Result> {
    return this.#connection.writeWhole(threadId, async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      if (threadKey !== undefined) return work(session, threadKey, await this.#noted(session, threadKey));
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId}.`);
    });
  }

  async #noted(session: SqlSession, threadKey: number): Promise<ArchiveReceipt | null> {
    const [row] = await session.query<ArchiveRow>(RECEIPT_OF, [threadKey]);
    return row === undefined ? null : archiveReceipt(row, this.tenant);
  }

  #read<Result>(
    threadId: ThreadId,
    absent: Result,
    work: (session: SqlSession, threadKey: number) => Promise<Result>,
  ): Promise<Result> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      return threadKey === undefined ? absent : work(session, threadKey);
    });
  }

  #pages<Row extends object>(what: string, sql: string, threadKey: number, atATime = ROWS_AT_A_TIME) {
    return rowPages<Row>(what, atATime, (after, limit) => this.#connection.query(sql, threadKey, after, limit));
  }
}

const idOf = (key: string | null): string | null => (key === null ? null : textOfKey(key));
const keyOf = (id: string | null): string | null => (id === null ? null : textKey(id));

async function look(session: SqlSession, threadKey: number): Promise<HotThread | null> {
  const first = async <Row>(sql: string): Promise<Row | undefined> => (await session.query<Row>(sql, [threadKey]))[0];
  const counts = await first<RowCounts>(COUNTS);
  if (counts === undefined || Object.values(counts).every((count) => count === 0)) return null;
  const last = await first<{ version: number; link: string; appended_at: number }>(LAST_ENTRY);
  const plan = await first<{ version: number; committed_at: number }>(LAST_PLAN);
  const record = await first<{ sequence: number; at: string; hash: string }>(LAST_RECORD);
  const terms = await session.query<{ ttl_seconds: number | null }>(TERMS, [threadKey]);
  return {
    end: {
      version: last?.version ?? 0,
      digest: last?.link ?? THREAD_CHAIN_START,
      planVersion: plan?.version ?? 0,
      journalSize: record?.sequence ?? 0,
      journalHash: record?.hash ?? "",
      createdAt: (await first<{ appended_at: number }>(FIRST_ENTRY))?.appended_at ?? 0,
      appendedAt: last?.appended_at ?? 0,
      committedAt: plan?.committed_at ?? null,
    },
    counts,
    journalAt: record?.at ?? null,
    terms: canonicalJson(terms),
    expiring: terms.filter(({ ttl_seconds: ttlSeconds }) => ttlSeconds !== null).length,
  };
}

/** The columns of a table, each with its name, its type and the field of a row that it stores. */
type Columns = readonly (readonly [column: string, type: "bigint" | "text" | "double precision", field: string])[];

const BODY_COLUMNS: Columns = [
  ["version", "bigint", "version"],
  ["body", "text", "body"],
];
const ENTRY_COLUMNS: Columns = [
  ["version", "bigint", "version"],
  ["kind", "text", "kind"],
  ["message_id", "text", "messageId"],
  ["pin_id", "text", "pinId"],
  ["messages", "bigint", "messages"],
  ["turn", "bigint", "turn"],
  ["step", "bigint", "step"],
  ["digest", "text", "digest"],
  ["link", "text", "link"],
  ["appended_at", "bigint", "appendedAt"],
];
const ANSWER_COLUMNS: Columns = [
  ["idempotency_key", "text", "idempotencyKey"],
  ["request_digest", "text", "requestDigest"],
  ["version", "bigint", "version"],
  ["appended", "bigint", "appended"],
];
const PLAN_COLUMNS: Columns = [
  ["version", "bigint", "version"],
  ["plan_id", "text", "planId"],
  ["thread_version", "bigint", "threadVersion"],
  ["created_at", "text", "createdAt"],
  ["original_tokens", "double precision", "originalTokens"],
  ["compacted_tokens", "double precision", "compactedTokens"],
  ["committed_at", "bigint", "committedAt"],
];
const JOURNAL_COLUMNS: Columns = [
  ["sequence", "bigint", "sequence"],
  ["at", "text", "at"],
  ["record", "text", "record"],
  ["previous_hash", "text", "previousHash"],
  ["hash", "text", "hash"],
];

type Owner = readonly [threadKey: number, tenant: string];

/** Adds rows in their order, in batches. */
async function insert(
  session: SqlSession,
  owner: Owner,
  table: string,
  columns: Columns,
  rows: readonly object[],
): Promise<void> {
  const names = columns.map(([name]) => name).join(", ");
  const arrays = columns.map(([, type], index) => `$${index + 3}::${type}[]`).join(", ");
  const sql = `INSERT INTO @.${table} (thread_key, tenant, ${names})
    SELECT $1, $2, ${names} FROM unnest(${arrays}) WITH ORDINALITY AS fresh (${names}, ordinality) ORDER BY ordinality`;
  for (let start = 0; start < rows.length; start += ROWS_AT_A_TIME) {
    const some = rows.slice(start, start + ROWS_AT_A_TIME) as readonly Readonly<Record<string, string | number>>[];
    const values = columns.map(([, , field]): SqlValue => some.map((row) => row[field] ?? null));
    await session.query(sql, [...owner, ...values]);
  }
}

async function insertArtifact(
  session: SqlSession,
  owner: Owner,
  { artifactId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes, content }: SegmentRowOf<"artifact">,
): Promise<void> {
  const terms = [artifactId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes];
  const [row] = await session.query<{ artifact_key: number }>(INSERT_ARTIFACT, [...owner, ...terms]);
  await session.query(INSERT_CONTENT, [(row as { artifact_key: number }).artifact_key, owner[1], Buffer.from(content)]);
}
