import type {
  Artifact,
  ArtifactId,
  ArtifactMetadata,
  ArtifactStore,
  SecurityContext,
  ThreadId,
} from "@threadfold/core";
import { admitArtifact } from "../rules/artifact-rules.ts";
import { envelopeContentBytes } from "./sealed-envelope.ts";
import type { Sealers } from "./sealers.ts";

/**
 * Artifacts whose content is sealed, each under a key of its own. Their ids are those of what is stored, so an id
 * confirms no guess of the content; storing the same content again still gives the same id.
 */
export class EncryptedArtifacts implements ArtifactStore {
  readonly #inner: ArtifactStore;
  readonly #sealers: Sealers;

  constructor(inner: ArtifactStore, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const sealer = await this.#sealers.toSeal(metadata.threadId);
    return this.#inner.store(sealer.seal("artifact", owner(metadata), content), given);
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    const metadata = await this.#inner.getMetadata(artifactId, requester);
    return metadata === null ? null : opened(metadata);
  }

  /** @throws ThreadfoldError `CONTENT_ERASED` for who might read it, `UNSEAL_FAILED`. */
  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    const artifact = await this.#inner.retrieve(artifactId, requester);
    if (artifact === null) return null;
    const sealer = await this.#sealers.toOpen(artifact.metadata.threadId);
    const content = await sealer.open("artifact", owner(artifact.metadata), artifact.content);
    return Object.freeze({ artifactId, content, metadata: opened(artifact.metadata) });
  }

  list(threadId: ThreadId, requester?: SecurityContext): Promise<readonly ArtifactId[]> {
    return this.#inner.list(threadId, requester);
  }
}

/** The artifact's own tenant is sealed with it, beside the store's. */
const owner = ({ tenantId }: ArtifactMetadata): string => JSON.stringify(tenantId);

const opened = (metadata: ArtifactMetadata): ArtifactMetadata =>
  Object.freeze({ ...metadata, bytes: envelopeContentBytes(metadata.bytes) });
