import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  artifactIdOf,
  type SecurityContext,
  type ThreadId,
} from "@threadfold/core";

/** A store in memory that separates tenants and counts how often content is read. */
export class GuardedStore implements ArtifactStore {
  reads = 0;
  readonly #artifacts = new Map<ArtifactId, Artifact>();

  async store(content: string, metadata: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    this.#artifacts.set(artifactId, {
      artifactId,
      content,
      metadata: { ...metadata, bytes: Buffer.byteLength(content) },
    });
    return artifactId;
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    return this.#readable(artifactId, requester)?.metadata ?? null;
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    this.reads++;
    return this.#readable(artifactId, requester) ?? null;
  }

  async list(threadId: ThreadId): Promise<readonly ArtifactId[]> {
    return [...this.#artifacts.values()]
      .filter(({ metadata }) => metadata.threadId === threadId)
      .map(({ artifactId }) => artifactId);
  }

  #readable(artifactId: ArtifactId, requester: SecurityContext | undefined): Artifact | undefined {
    const artifact = this.#artifacts.get(artifactId);
    return artifact !== undefined && artifact.metadata.tenantId === (requester?.tenantId ?? null)
      ? artifact
      : undefined;
  }
}
