import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  type AuditJournal,
  artifactIdOf,
  type Clock,
  isSealedText,
  type JournalEntry,
  type JournalRecord,
  type SecurityContext,
  type ThreadId,
} from "@threadfold/core";
import type { ArchivableStore } from "../audit/segment.ts";
import type { ErasableStore } from "../erasure/erase-subject.ts";
import { inspectArchived, refuseArchived, refuseErased } from "../erasure/refuse-erased.ts";
import type { InspectableStore } from "../inspection/inspector.ts";
import {
  type ArtifactRow,
  admitArtifact,
  isOfType,
  isReadable,
  keptArtifact,
  mergeMetadata,
  metadataOf,
} from "../shared/artifacts.ts";
import {
  type JournalRow,
  journalEntryOf,
  journalRange,
  readJournalEntry,
  sealJournalEntry,
} from "../shared/journal.ts";
import { checkThreadId, requireSeals, type StoreOptions, systemClock } from "../shared/store-basics.ts";
import { between, EntryLog, inThread, keyAt, LAST_VERSION, ThreadKeys } from "./entry-log.ts";
import { SqliteEraser, SqliteInspector } from "./inspect-and-erase.ts";
import { openConnection } from "./open-connection.ts";
import { SqliteArchiver } from "./sqlite-archive.ts";
import { type Columns, query, type SqliteConnection } from "./sqlite-connection.ts";
import { SqlitePlans } from "./sqlite-plans.ts";
import { SqliteRecall } from "./sqlite-recall.ts";
import { SqliteRanges, SqliteThreads } from "./sqlite-threads.ts";

/**
 * Opens a store in one SQLite file, and creates the file if it does not exist. Several processes may use one file:
 * writers take turns, readers never wait. When a call returns, its data is on the disk (WAL, `synchronous=FULL`).
 *
 * @throws ThreadfoldError `STORE_FOREIGN` for a file of another program or a newer version, which is left unchanged;
 * `STORE_UNAVAILABLE` when the path cannot be used; `STORE_CORRUPT` when the file is damaged.
 */
export async function openSqliteStore(
  path: string,
  options: StoreOptions = {},
): Promise<InspectableStore & ErasableStore & ArchivableStore> {
  const clock = options.clock ?? systemClock;
  const connection = await openConnection(path);
  const eraser = new SqliteEraser(connection);
  const archiver = new SqliteArchiver(connection);
  const parts = {
    threads: new SqliteThreads(connection, clock),
    plans: new SqlitePlans(connection, clock),
    artifacts: new SqliteArtifacts(connection, clock),
    ranges: new SqliteRanges(connection),
    recall: new SqliteRecall(connection),
    journal: new SqliteJournal(connection),
  };
  return Object.freeze({
    ...refuseArchived(
      refuseErased(parts, (threadId) => eraser.isErasedNow(threadId), false),
      archiver,
    ),
    eraser,
    archiver,
    inspector: inspectArchived(new SqliteInspector(connection), archiver),
    close: async () => connection.close(),
  });
}

const ARTIFACT_METADATA = `SELECT artifact_key, artifact_id, thread_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes
  FROM artifacts JOIN threads USING (thread_key)`;
const ARTIFACT_COLUMNS: Columns<ArtifactRow> = {
  artifact_key: "integer",
  artifact_id: "text",
  thread_id: "text",
  tenant_id: "text or null",
  created_at: "text",
  ttl_seconds: "number or null",
  sensitivity: "text",
  media_type: "text",
  bytes: "integer",
};
const BY_ID = query<ArtifactRow>(`${ARTIFACT_METADATA} WHERE artifact_id = ?`, ARTIFACT_COLUMNS);
const BY_THREAD = query<ArtifactRow>(
  `${ARTIFACT_METADATA} WHERE thread_key = ? ORDER BY artifact_key`,
  ARTIFACT_COLUMNS,
);
const CONTENT = query<{ content: Uint8Array }>("SELECT content FROM artifact_contents WHERE artifact_key = ?", {
  content: "bytes",
});
const INSERT_ARTIFACT = `INSERT INTO artifacts
  (artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_CONTENT = "INSERT INTO artifact_contents (artifact_key, content) VALUES (?, ?)";
const RENEW = "UPDATE artifacts SET created_at = ?, ttl_seconds = ?, sensitivity = ? WHERE artifact_key = ?";

class SqliteArtifacts implements ArtifactStore {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    await this.#connection.whenFree(() =>
      this.#connection.write(() => {
        const known = this.#connection.get(BY_ID, artifactId);
        if (known === undefined) this.#insert(artifactId, content, metadata);
        else this.#renew(known, metadata);
      }),
    );
    return artifactId;
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    const row = this.#readable(artifactId, requester);
    return row === undefined ? null : metadataOf(row);
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    const row = this.#readable(artifactId, requester);
    if (row === undefined) return null;
    return keptArtifact(row, this.#connection.get(CONTENT, row.artifact_key)?.content);
  }

  async list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]> {
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all(BY_THREAD, threadKey);
    const now = this.#clock.now();
    const readable = rows.filter(
      (row) => isOfType(metadataOf(row), mediaType) && isReadable(metadataOf(row), now, requester),
    );
    return Object.freeze(readable.map((row) => row.artifact_id as ArtifactId));
  }

  #insert(artifactId: ArtifactId, content: string, metadata: ArtifactMetadata): void {
    const { threadId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes } = metadata;
    const threadKey = this.#keys.place(threadId);
    requireSeals(threadId, isSealedText(content), () => this.#log.sealedStart(threadKey));
    const key = this.#connection.run(
      INSERT_ARTIFACT,
      artifactId,
      threadKey,
      tenantId,
      createdAt,
      ttlSeconds,
      sensitivity,
      mediaType,
      bytes,
    );
    this.#connection.run(INSERT_CONTENT, key, Buffer.from(content));
  }

  #renew(known: ArtifactRow, again: ArtifactMetadata): void {
    const before = metadataOf(known);
    const { createdAt, ttlSeconds, sensitivity } = mergeMetadata(before, again);
    if (createdAt === before.createdAt && ttlSeconds === before.ttlSeconds && sensitivity === before.sensitivity)
      return;
    this.#connection.run(RENEW, createdAt, ttlSeconds, sensitivity, known.artifact_key);
  }

  #readable(artifactId: ArtifactId, requester: SecurityContext | undefined): ArtifactRow | undefined {
    const row = this.#connection.get(BY_ID, artifactId);
    return row !== undefined && isReadable(metadataOf(row), this.#clock.now(), requester) ? row : undefined;
  }
}

const JOURNAL_COLUMNS = "sequence, at, record, previous_hash, hash";
const JOURNAL_KINDS: Columns<JournalRow> = {
  sequence: "integer",
  at: "text",
  record: "text",
  previous_hash: "text",
  hash: "text",
};
const LAST_RECORD = query<JournalRow>(
  `SELECT ${JOURNAL_COLUMNS} FROM journal WHERE ${inThread(":thread", "record_key")} ORDER BY record_key DESC LIMIT 1`,
  JOURNAL_KINDS,
);
const RECORDS = query<JournalRow>(
  `SELECT ${JOURNAL_COLUMNS} FROM journal
  WHERE ${between(":thread", ":after", `${LAST_VERSION}`, "record_key")} ORDER BY record_key LIMIT :limit`,
  JOURNAL_KINDS,
);
const INSERT_RECORD = `INSERT INTO journal (record_key, at, record, previous_hash, hash) VALUES (${keyAt("?", "?")}, ?, ?, ?, ?)`;

class SqliteJournal implements AuditJournal {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    return this.#connection.whenFree(() => this.#connection.write(() => this.#append(threadId, record, at)));
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all(RECORDS, { thread: threadKey, after, limit });
    return Object.freeze(rows.map((row) => readJournalEntry(row, threadId)));
  }

  #append(threadId: ThreadId, record: JournalRecord, at: string): JournalEntry {
    const threadKey = this.#keys.place(threadId);
    const last = this.#connection.get(LAST_RECORD, { thread: threadKey });
    const previous = last === undefined ? null : journalEntryOf(last, threadId);
    const { entry, record: serialized } = sealJournalEntry(previous, threadId, record, at);
    this.#connection.run(
      INSERT_RECORD,
      threadKey,
      entry.sequence,
      entry.at,
      serialized,
      entry.previousHash,
      entry.hash,
    );
    return entry;
  }
}
