import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  artifactIdOf,
  type Clock,
  type SecurityContext,
  type ThreadId,
} from "@threadfold/core";
import { type ArtifactRow, keptArtifact, metadataOf } from "../rules/artifact-row.ts";
import { admitArtifact, isReadable, mergeMetadata } from "../rules/artifact-rules.ts";
import { isPlainText } from "../rules/checked-arguments.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";

const METADATA = `SELECT artifact_key, artifact_id, thread_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes
  FROM @.artifacts JOIN @.threads USING (thread_key, tenant)`;
const BY_ID = `${METADATA} WHERE tenant = $1 AND artifact_id = $2`;
const BY_THREAD = `${METADATA} WHERE thread_key = $1 ORDER BY artifact_key`;
const CONTENT = "SELECT content FROM @.artifact_contents WHERE artifact_key = $1";
const INSERT = `INSERT INTO @.artifacts
  (tenant, artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING artifact_key`;
const INSERT_CONTENT = "INSERT INTO @.artifact_contents (artifact_key, tenant, content) VALUES ($1, $2, $3)";
const RENEW =
  "UPDATE @.artifacts SET created_at = $1, ttl_seconds = $2, sensitivity = $3 WHERE artifact_key = $4 RETURNING artifact_key";

/** Artifacts in PostgreSQL. */
export class PostgresArtifacts implements ArtifactStore {
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
      // What has expired may be swept away before it is renewed.
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

  async list(threadId: ThreadId, requester?: SecurityContext): Promise<readonly ArtifactId[]> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const rows = threadKey === undefined ? [] : await session.query<ArtifactRow>(BY_THREAD, [threadKey]);
      const now = this.#clock.now();
      const readable = rows.filter((row) => isReadable(metadataOf(row), now, requester));
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
    const values = [tenant, artifactId, threadKey, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes];
    const [row] = await session.query<{ artifact_key: number }>(INSERT, values);
    await session.query(INSERT_CONTENT, [(row as { artifact_key: number }).artifact_key, tenant, Buffer.from(content)]);
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

/** False when the artifact is gone. */
async function renew(session: SqlSession, known: ArtifactRow, again: ArtifactMetadata): Promise<boolean> {
  const before = metadataOf(known);
  const { createdAt, ttlSeconds, sensitivity } = mergeMetadata(before, again);
  if (createdAt === before.createdAt && ttlSeconds === before.ttlSeconds && sensitivity === before.sensitivity)
    return true;
  return (await session.query(RENEW, [createdAt, ttlSeconds, sensitivity, known.artifact_key])).length > 0;
}
