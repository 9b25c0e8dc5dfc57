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
 * UTF-8 cannot represent.
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
    throw new ThreadfoldError("INVALID_CONFIG", "The artifact's content has to be a string without lone surrogates.");
  }
  return Object.freeze({ ...checked.data, bytes: Buffer.byteLength(content) });
}

const plainText = z.string().max(512).refine(isPlainText, { error: "a well-formed text without NUL is needed" });

const metadataSchema = z.lazy(() =>
  z.object({
    threadId: threadIdSchema.refine(isPlainText, { error: "a well-formed text without NUL is needed" }),
    tenantId: plainText.nullable(),
    createdAt: z.iso.datetime(),
    ttlSeconds: z.number().nonnegative().max(1e11).nullable(),
    sensitivity: sensitivitySchema,
    mediaType: plainText,
  }),
);

/**
 * Merges the terms of content that is stored again: the longer of the two times to live and the stricter of the two
 * sensitivities apply. Storing again can thus renew expired content, but never loosen a restriction.
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

/** Checks whether these terms let fewer readers see the content than those. */
export function isStricter(
  these: Pick<ArtifactMetadata, "sensitivity">,
  those: Pick<ArtifactMetadata, "sensitivity">,
): boolean {
  return STRICTNESS[these.sensitivity] > STRICTNESS[those.sensitivity];
}

const STRICTNESS: Readonly<Record<Sensitivity, number>> = { public: 0, internal: 1, confidential: 2, restricted: 3 };

/**
 * Checks whether this requester may read an artifact now. No requester means the host itself. If the clock does not
 * return a number, an artifact with a time to live counts as expired.
 */
export function isReadable(metadata: ArtifactMetadata, nowMs: number, requester: SecurityContext | undefined): boolean {
  const isInTime = metadata.ttlSeconds === null || nowMs < expiryOf(metadata);
  return isInTime && (requester === undefined || requester.tenantId === metadata.tenantId);
}

/** Checks whether an artifact exists and has the media type, or any media type if none is given. */
export const isOfType = (metadata: ArtifactMetadata | null | undefined, mediaType: string | undefined): boolean =>
  metadata !== null && metadata !== undefined && (mediaType === undefined || metadata.mediaType === mediaType);

/** Checks whether an artifact has expired, so that nobody may read it any more. */
export function isExpired(metadata: ArtifactMetadata, nowMs: number): boolean {
  return nowMs >= expiryOf(metadata);
}

/** The first millisecond at which an artifact may no longer be read. */
export function expiryOf({ createdAt, ttlSeconds }: Pick<ArtifactMetadata, "createdAt" | "ttlSeconds">): number {
  return ttlSeconds === null ? Number.POSITIVE_INFINITY : Date.parse(createdAt) + ttlSeconds * 1_000;
}

/** An artifact's row in the tables, without its content. */
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

/** Returns the metadata in a row. @throws ThreadfoldError `STORE_CORRUPT` when its time or sensitivity is not valid. */
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
 * Returns an artifact from its row and its bytes, which are kept separately.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when the bytes are missing, or do not match the id.
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
