import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  type AuditJournal,
  artifactIdOf,
  type Clock,
  checkOptions,
  isSealedText,
  type JournalEntry,
  type JournalRecord,
  type OptionKinds,
  type SecurityContext,
  ThreadfoldError,
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
import { checkThreadId, isPlainText, requireSeals, type StoreOptions, systemClock } from "../shared/store-basics.ts";
import { PostgresEraser, PostgresInspector } from "./inspect-and-erase.ts";
import {
  migratePostgres,
  readRowSecurity,
  requireRowSecurity,
  schemaName,
  schemaVersionOf,
} from "./migrate-postgres.ts";
import { PostgresArchiver } from "./postgres-archive.ts";
import { asStoreError, PostgresConnection } from "./postgres-connection.ts";
import {
  checkDriver,
  connectPostgres,
  type PostgresDriver,
  type PostgresPoolOptions,
  type SqlSession,
} from "./postgres-driver.ts";
import { PostgresThreadKeys, SEALED_START, sealedStartIn } from "./postgres-entry-log.ts";
import { listenToPlans, type PlanNoticeListener, PostgresPlans } from "./postgres-plans.ts";
import { PostgresRecall } from "./postgres-recall.ts";
import { PostgresRanges, PostgresThreads } from "./postgres-threads.ts";
import { SCHEMA_VERSION } from "./schema.ts";

/** Options for opening a store in PostgreSQL. */
export interface PostgresStoreOptions extends StoreOptions, PostgresPoolOptions {
  /** The schema that contains the tables; `threadfold` by default. */
  readonly schema?: string;
  /** The tenant of the threads. Stores of different tenants in one schema do not see each other; null by default. */
  readonly tenantId?: string | null;
  /**
   * Requires that the server keeps tenants apart, whatever this process sends it: tables with row-level security, and a
   * role that is bound by it. It guards against a statement that forgets to name its tenant; whoever can send their own
   * SQL as this role can name any tenant. Without it, tenants are kept apart by the store's own statements.
   */
  readonly rowLevelSecurity?: boolean;
}

/** A store in PostgreSQL. */
export interface PostgresStore extends InspectableStore, ErasableStore, ArchivableStore {
  /** Calls the listener when anybody commits a plan to this tenant's threads; see `listenToPlans`. */
  onPlanCommitted(listener: PlanNoticeListener): Promise<() => Promise<void>>;
}

const OPTIONS: OptionKinds<PostgresStoreOptions> = {
  ...{ clock: "clock", schema: "any", tenantId: "any", rowLevelSecurity: "flag", maxConnections: "figure" },
  ...{ connectTimeoutMs: "any", queryTimeoutMs: "any", longQueryTimeoutMs: "any" },
};

/** In characters. Index rows are limited to 2 704 bytes, and a tenant and a thread share one. */
const LONGEST_TENANT = 128;

/**
 * Opens a store in PostgreSQL. Any number of processes may use one schema: writers of one thread take turns, appends
 * never wait for commits, readers never wait. Tables are created and brought up to date if the role may do so; with
 * `rowLevelSecurity` it may not, and `migratePostgres` does it as their owner.
 *
 * @param server an address, or connections by `connectPostgres`, which stay open when the store is closed.
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when the server cannot be reached or the tables are not up to date,
 * `STORE_FOREIGN` for tables of another program or a newer version, `STORE_UNSAFE_ROLE` when row-level security is
 * required and not in force, `INVALID_CONFIG`.
 */
export async function openPostgresStore(
  server: string | PostgresDriver,
  options: PostgresStoreOptions = {},
): Promise<PostgresStore> {
  if (typeof server !== "string") checkDriver("server", server);
  checkOptions("options", options, OPTIONS);
  const schema = schemaName(options.schema);
  const tenantId = checkTenant(options.tenantId ?? null);
  const driver = typeof server === "string" ? connectPostgres(server, options) : server;
  try {
    const isSecured = await prepare(driver, schema, options.rowLevelSecurity === true);
    const connection = new PostgresConnection(driver, { schema, tenantId, isSecured });
    return storeOn(connection, options, typeof server === "string" ? () => driver.close() : async () => undefined);
  } catch (error) {
    if (typeof server === "string") await driver.close();
    throw error;
  }
}

/** Makes sure that the tables exist, and returns whether the server keeps tenants apart. */
async function prepare(driver: PostgresDriver, schema: string, mustSecure: boolean): Promise<boolean> {
  const version = await schemaVersionOf(driver, schema);
  if (version !== SCHEMA_VERSION) {
    if (mustSecure) throw outdated(schema, version);
    await migratePostgres(driver, { schema });
  }
  const security = await readRowSecurity(driver, schema).catch((cause: unknown) => {
    throw asStoreError(cause);
  });
  if (mustSecure) requireRowSecurity(security, schema);
  return security.isOn;
}

function storeOn(
  connection: PostgresConnection,
  options: PostgresStoreOptions,
  closeDriver: () => Promise<void>,
): PostgresStore {
  const clock = options.clock ?? systemClock;
  const listeners = new Set<() => Promise<void>>();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    connection.close();
    await Promise.all([...listeners].map((stop) => stop()));
    await closeDriver();
  };
  const eraser = new PostgresEraser(connection);
  const isErased = (threadId: ThreadId): Promise<boolean> => eraser.isErased(threadId);
  const archiver = new PostgresArchiver(connection);
  const parts = {
    threads: new PostgresThreads(connection, clock),
    plans: new PostgresPlans(connection, clock),
    artifacts: new PostgresArtifacts(connection, clock),
    ranges: new PostgresRanges(connection),
    recall: new PostgresRecall(connection),
    journal: new PostgresJournal(connection),
  };
  return Object.freeze({
    ...refuseArchived(refuseErased(parts, isErased, false), archiver),
    eraser,
    archiver,
    inspector: inspectArchived(new PostgresInspector(connection), archiver),
    onPlanCommitted: async (listener: PlanNoticeListener) => {
      const stop = await listenToPlans(connection, listener);
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    close: () => (closing ??= close()),
  });
}

function checkTenant(tenantId: string | null): string | null {
  if (tenantId === null) return null;
  if (typeof tenantId === "string" && tenantId.length > 0 && tenantId.length <= LONGEST_TENANT && isPlainText(tenantId))
    return tenantId;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `tenantId has to be a well-formed text of 1 to ${LONGEST_TENANT} characters without NUL.`,
  );
}

function outdated(schema: string, version: number | null): ThreadfoldError {
  const found = version === null ? "has no tables" : `is at version ${version}`;
  return new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `The schema ${schema} ${found}; this store needs version ${SCHEMA_VERSION}.`,
    {
      hint: "Run migratePostgres as the tables' owner; a store with row-level security may not change tables.",
      details: { schema },
    },
  );
}

const ARTIFACT_METADATA = `SELECT artifact_key, artifact_id, thread_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes
  FROM @.artifacts JOIN @.threads USING (thread_key, tenant)`;
const BY_ID = `${ARTIFACT_METADATA} WHERE tenant = $1 AND artifact_id = $2`;
const BY_THREAD = `${ARTIFACT_METADATA} WHERE thread_key = $1 ORDER BY artifact_key`;
const CONTENT = "SELECT content FROM @.artifact_contents WHERE artifact_key = $1";
const INSERT_SEALED = `INSERT INTO @.artifacts
  (thread_key, tenant, artifact_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING artifact_key`;
// One statement for both, to save a round trip on each artifact.
const INSERT_CLEAR = `${INSERT_SEALED}, ${SEALED_START}`;
const INSERT_CONTENT = "INSERT INTO @.artifact_contents (artifact_key, tenant, content) VALUES ($1, $2, $3)";
const RENEW =
  "UPDATE @.artifacts SET created_at = $1, ttl_seconds = $2, sensitivity = $3 WHERE artifact_key = $4 RETURNING artifact_key";

class PostgresArtifacts implements ArtifactStore {
  readonly #connection: PostgresConnection;
  readonly #clock: Clock;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    await this.#connection.write("artifacts", metadata.threadId, async (session) => {
      const known = await this.#find(session, artifactId);
      // An expired artifact may be swept before it is renewed.
      const isKept = known !== undefined && (await renew(session, known, metadata));
      if (!isKept) await this.#insert(session, artifactId, content, metadata);
    });
    return artifactId;
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    return this.#connection.read(async (session) => {
      const row = await this.#readable(session, artifactId, requester);
      return row === undefined ? null : metadataOf(row);
    });
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    return this.#connection.read(async (session) => {
      const row = await this.#readable(session, artifactId, requester);
      if (row === undefined) return null;
      const [kept] = await session.query<{ content: Uint8Array }>(CONTENT, [row.artifact_key]);
      return keptArtifact(row, kept?.content);
    });
  }

  async list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const rows = threadKey === undefined ? [] : await session.query<ArtifactRow>(BY_THREAD, [threadKey]);
      const now = this.#clock.now();
      const readable = rows.filter(
        (row) => isOfType(metadataOf(row), mediaType) && isReadable(metadataOf(row), now, requester),
      );
      return Object.freeze(readable.map((row) => row.artifact_id as ArtifactId));
    });
  }

  async #insert(
    session: SqlSession,
    artifactId: ArtifactId,
    content: string,
    { threadId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes }: ArtifactMetadata,
  ): Promise<void> {
    const { tenant } = this.#connection;
    const threadKey = await this.#keys.place(session, threadId);
    const values = [threadKey, tenant, artifactId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes];
    const isSealed = isSealedText(content);
    type Row = { readonly artifact_key: number; readonly sealed?: string | null };
    const [row] = await session.query<Row>(isSealed ? INSERT_SEALED : INSERT_CLEAR, values);
    const { artifact_key: artifactKey, sealed = null } = row as Row;
    requireSeals(threadId, isSealed, () => (sealed === null ? undefined : sealedStartIn(sealed)));
    await session.query(INSERT_CONTENT, [artifactKey, tenant, Buffer.from(content)]);
  }

  async #readable(
    session: SqlSession,
    artifactId: ArtifactId,
    requester: SecurityContext | undefined,
  ): Promise<ArtifactRow | undefined> {
    const row = isPlainText(artifactId) ? await this.#find(session, artifactId) : undefined;
    return row !== undefined && isReadable(metadataOf(row), this.#clock.now(), requester) ? row : undefined;
  }

  async #find(session: SqlSession, artifactId: ArtifactId): Promise<ArtifactRow | undefined> {
    return (await session.query<ArtifactRow>(BY_ID, [this.#connection.tenant, artifactId]))[0];
  }
}

/** Returns false when the artifact is gone. */
async function renew(session: SqlSession, known: ArtifactRow, again: ArtifactMetadata): Promise<boolean> {
  const before = metadataOf(known);
  const { createdAt, ttlSeconds, sensitivity } = mergeMetadata(before, again);
  if (createdAt === before.createdAt && ttlSeconds === before.ttlSeconds && sensitivity === before.sensitivity)
    return true;
  return (await session.query(RENEW, [createdAt, ttlSeconds, sensitivity, known.artifact_key])).length > 0;
}

const JOURNAL_COLUMNS = "sequence, at, record, previous_hash, hash";
const LAST_RECORD = `SELECT ${JOURNAL_COLUMNS} FROM @.journal WHERE thread_key = $1 ORDER BY sequence DESC LIMIT 1`;
const RECORDS = `SELECT ${JOURNAL_COLUMNS} FROM @.journal WHERE thread_key = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;
const INSERT_RECORD = `INSERT INTO @.journal (thread_key, tenant, ${JOURNAL_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`;

class PostgresJournal implements AuditJournal {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    return this.#connection.write("journal", threadId, async (session) => {
      const threadKey = await this.#keys.place(session, threadId);
      const [last] = await session.query<JournalRow>(LAST_RECORD, [threadKey]);
      const previous = last === undefined ? null : journalEntryOf(last, threadId);
      const { entry, record: serialized } = sealJournalEntry(previous, threadId, record, at);
      const { sequence, previousHash, hash } = entry;
      const { tenant } = this.#connection;
      await session.query(INSERT_RECORD, [threadKey, tenant, sequence, entry.at, serialized, previousHash, hash]);
      return entry;
    });
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const rows = threadKey === undefined ? [] : await session.query<JournalRow>(RECORDS, [threadKey, after, limit]);
      return Object.freeze(rows.map((row) => readJournalEntry(row, threadId)));
    });
  }
}
