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
import { type Columns, query, type SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const METADATA = `SELECT artifact_key, artifact_id, thread_id, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes
  FROM artifacts JOIN threads USING (thread_key)`;
const COLUMNS: Columns<ArtifactRow> = {
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
const BY_ID = query<ArtifactRow>(`${METADATA} WHERE artifact_id = ?`, COLUMNS);
const BY_THREAD = query<ArtifactRow>(`${METADATA} WHERE thread_key = ? ORDER BY artifact_key`, COLUMNS);
const CONTENT = query<{ content: Uint8Array }>("SELECT content FROM artifact_contents WHERE artifact_key = ?", {
  content: "bytes",
});
const INSERT = `INSERT INTO artifacts
  (artifact_id, thread_key, tenant_id, created_at, ttl_seconds, sensitivity, media_type, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_CONTENT = "INSERT INTO artifact_contents (artifact_key, content) VALUES (?, ?)";
const RENEW = "UPDATE artifacts SET created_at = ?, ttl_seconds = ?, sensitivity = ? WHERE artifact_key = ?";

/** Artifacts in SQLite. */
export class SqliteArtifacts implements ArtifactStore {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new ThreadKeys(connection);
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

  async list(threadId: ThreadId, requester?: SecurityContext): Promise<readonly ArtifactId[]> {
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all(BY_THREAD, threadKey);
    const now = this.#clock.now();
    return Object.freeze(
      rows.filter((row) => isReadable(metadataOf(row), now, requester)).map((row) => row.artifact_id as ArtifactId),
    );
  }

  #insert(artifactId: ArtifactId, content: string, metadata: ArtifactMetadata): void {
    const { threadId, tenantId, createdAt, ttlSeconds, sensitivity, mediaType, bytes } = metadata;
    const threadKey = this.#keys.place(threadId);
    const key = this.#connection.run(
      INSERT,
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
