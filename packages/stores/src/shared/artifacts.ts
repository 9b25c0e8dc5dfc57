import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  artifactIdOf,
  type SecurityContext,
  type Sensitivity,
  sensitivitySchema,
  ThreadfoldError,
  type ThreadId,
  threadIdSchema,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { isPlainText } from "./store-basics.ts";

/**
 * Checks an artifact before it is stored and completes its metadata.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a field is out of range, or when the content has lone surrogates, which
 * UTF-8 cannot carry.
 */
export function admitArtifact(content: string, given: Omit<ArtifactMetadata, "bytes">): ArtifactMetadata {
  const checked = metadataSchema.safeParse(given);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      `The artifact's ${issue?.path.join(".") || "metadata"} is refused: ${issue?.message}.`,
    );
  }
  if (typeof content !== "string" || !content.isWellFormed()) {
    throw new ThreadfoldError("INVALID_CONFIG", "The artifact's content has to be a text without lone surrogates.");
  }
  return Object.freeze({ ...checked.data, bytes: Buffer.byteLength(content) });
}

const plainText = z.string().max(512).refine(isPlainText, { error: "a well-formed text without NUL is needed" });

const metadataSchema = z.object({
  threadId: threadIdSchema.refine(isPlainText, { error: "a well-formed text without NUL is needed" }),
  tenantId: plainText.nullable(),
  createdAt: z.iso.datetime(),
  ttlSeconds: z.number().nonnegative().max(1e11).nullable(),
  sensitivity: sensitivitySchema,
  mediaType: plainText,
});

/**
 * What holds when content is stored again: it is readable as long as either storing asked for, and travels as little
 * as the stricter one allows. Storing again can so renew what has expired, and can never loosen a restriction.
 */
export function mergeMetadata(known: ArtifactMetadata, again: ArtifactMetadata): ArtifactMetadata {
  const longer = expiryOf(again) > expiryOf(known) ? again : known;
  const stricter = isStricter(again, known) ? again : known;
  return Object.freeze({
    ...known,
    createdAt: longer.createdAt,
    ttlSeconds: longer.ttlSeconds,
    sensitivity: stricter.sensitivity,
  });
}

/** True when what is kept under these terms may be seen by fewer than under those. */
export function isStricter(
  these: Pick<ArtifactMetadata, "sensitivity">,
  those: Pick<ArtifactMetadata, "sensitivity">,
): boolean {
  return STRICTNESS[these.sensitivity] > STRICTNESS[those.sensitivity];
}

const STRICTNESS: Readonly<Record<Sensitivity, number>> = { public: 0, internal: 1, confidential: 2, restricted: 3 };

/**
 * True when an artifact may be read now and by this requester. No requester means the host itself. Of a clock that gives no
 * number nothing can be said but that what has a term may be over it.
 */
export function isReadable(metadata: ArtifactMetadata, nowMs: number, requester: SecurityContext | undefined): boolean {
  const isInTime = metadata.ttlSeconds === null || nowMs < expiryOf(metadata);
  return isInTime && (requester === undefined || requester.tenantId === metadata.tenantId);
}

/** True for what is there and of a media type; of any where none is asked for. */
export const isOfType = (metadata: ArtifactMetadata | null | undefined, mediaType: string | undefined): boolean =>
  metadata !== null && metadata !== undefined && (mediaType === undefined || metadata.mediaType === mediaType);

/** True from the first millisecond on at which an artifact may no longer be read by anybody. */
export function isExpired(metadata: ArtifactMetadata, nowMs: number): boolean {
  return nowMs >= expiryOf(metadata);
}

/** The first millisecond at which an artifact may no longer be read. */
export function expiryOf({ createdAt, ttlSeconds }: Pick<ArtifactMetadata, "createdAt" | "ttlSeconds">): number {
  return ttlSeconds === null ? Number.POSITIVE_INFINITY : Date.parse(createdAt) + ttlSeconds * 1_000;
}

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
 * An artifact from its row and the bytes that are kept apart from it.
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
