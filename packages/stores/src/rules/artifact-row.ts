import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  artifactIdOf,
  type Sensitivity,
  sensitivitySchema,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";

/** An artifact without its content as tables keep it. */
export interface ArtifactRow {
  readonly artifact_key: number;
  readonly artifact_id: string;
  readonly thread_id: string;
  readonly tenant_id: string | null;
  readonly created_at: string;
  readonly ttl_seconds: number | null;
  readonly sensitivity: string;
  readonly media_type: string;
  readonly bytes: number;
}

/** The metadata from its row. @throws ThreadfoldError `STORE_CORRUPT` when nothing says when it was stored or who may see it. */
export function metadataOf(row: ArtifactRow): ArtifactMetadata {
  if (Number.isNaN(Date.parse(row.created_at)) || !sensitivitySchema.safeParse(row.sensitivity).success) {
    throw new ThreadfoldError("STORE_CORRUPT", `The metadata of artifact ${row.artifact_id} cannot be read.`, {
      details: { artifactId: row.artifact_id },
    });
  }
  return Object.freeze({
    threadId: row.thread_id as ThreadId,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    ttlSeconds: row.ttl_seconds,
    sensitivity: row.sensitivity as Sensitivity,
    mediaType: row.media_type,
    bytes: row.bytes,
  });
}

/**
 * An artifact from its row and the bytes that are kept beside it.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when they are gone, or are not those that the id names.
 */
export function keptArtifact(row: ArtifactRow, bytes: Uint8Array | undefined): Artifact {
  const artifactId = row.artifact_id as ArtifactId;
  const metadata = metadataOf(row);
  const content = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (content === undefined || artifactIdOf(metadata.threadId, metadata.tenantId, content) !== artifactId) {
    throw new ThreadfoldError("STORE_CORRUPT", `The content of artifact ${artifactId} is not what was stored.`, {
      details: { artifactId },
    });
  }
  return Object.freeze({ artifactId, content, metadata });
}
