import type { ArtifactId, ThreadId } from "../model/ids.ts";
import type { Sensitivity } from "../model/sensitivity.ts";

/** Who asks (seed 002). */
export interface SecurityContext {
  readonly requesterId: string;
  readonly tenantId: string | null;
  readonly permissions: readonly string[];
}

/** What is known of an artifact without its content (seed 002). */
export interface ArtifactMetadata {
  readonly threadId: ThreadId;
  readonly tenantId: string | null;
  /** ISO 8601 time in UTC. */
  readonly createdAt: string;
  /** Seconds until the artifact may no longer be read; null for never. */
  readonly ttlSeconds: number | null;
  readonly sensitivity: Sensitivity;
  readonly mediaType: string;
  /** Length of the content in bytes of UTF-8. */
  readonly bytes: number;
}

/** An artifact as it is read back. */
export interface Artifact {
  readonly artifactId: ArtifactId;
  readonly content: string;
  readonly metadata: ArtifactMetadata;
}

/**
 * Holds externalized content. Content is immutable and its id is derived from thread and content by `artifactIdOf`, so
 * storing twice is storing once. What is expired, of another tenant, or never was, all look alike: null.
 */
export interface ArtifactStore {
  store(content: string, metadata: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId>;
  getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null>;
  retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null>;
  /** Ids of a thread's artifacts, oldest first. */
  list(threadId: ThreadId, requester?: SecurityContext): Promise<readonly ArtifactId[]>;
}
