import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  artifactIdOf,
  type SecurityContext,
  type ThreadId,
} from "@threadfold/core";
import { admitArtifact, isReadable, mergeMetadata } from "../rules/artifact-rules.ts";
import type { MemoryState } from "./memory-state.ts";

/** Artifacts in memory. */
export class MemoryArtifacts implements ArtifactStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    const known = this.#state.artifacts.get(artifactId);
    if (known === undefined) this.#state.place(metadata.threadId).artifactIds.push(artifactId);
    const merged = known === undefined ? metadata : mergeMetadata(known.metadata, metadata);
    this.#state.artifacts.set(artifactId, Object.freeze({ artifactId, content, metadata: merged }));
    return artifactId;
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    return this.#readable(artifactId, requester)?.metadata ?? null;
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    return this.#readable(artifactId, requester) ?? null;
  }

  async list(threadId: ThreadId, requester?: SecurityContext): Promise<readonly ArtifactId[]> {
    const ids = this.#state.threads.get(threadId)?.artifactIds ?? [];
    return Object.freeze(ids.filter((id) => this.#readable(id, requester) !== undefined));
  }

  #readable(artifactId: ArtifactId, requester: SecurityContext | undefined): Artifact | undefined {
    const found = this.#state.artifacts.get(artifactId);
    return found !== undefined && isReadable(found.metadata, this.#state.clock.now(), requester) ? found : undefined;
  }
}
