import type {
  ArtifactStore,
  AuditJournal,
  Clock,
  SecurityContext,
  Sensitivity,
  ThreadfoldStore,
  ThreadId,
} from "@threadfold/core";
import { systemClock } from "../shared/store-basics.ts";

/** What a requester may read, by the sensitivity of the content. */
export type Clearance = (requester: SecurityContext) => Sensitivity;

/** How access is checked and recorded. */
export interface JournaledAccessOptions {
  /**
   * The highest sensitivity that a requester may read now. It is asked at every reading, so that what was lowered holds
   * at once. By default every requester of the tenant may read everything.
   */
  readonly clearance?: Clearance;
  /** Whether a reading is the harness's own, as when content is rehydrated, and not asked for by the agent. */
  readonly automatic?: boolean;
  /** Dates the records. The machine's clock by default. */
  readonly clock?: Clock;
}

const STRICTNESS: Readonly<Record<Sensitivity, number>> = { public: 0, internal: 1, confidential: 2, restricted: 3 };

/** Says whether content of one sensitivity may be read with clearance for another. */
export function isCleared(content: Sensitivity, clearance: Sensitivity): boolean {
  return STRICTNESS[content] <= STRICTNESS[clearance];
}

/**
 * A store whose artifacts record who read them, and who asked and got nothing, in the journal of the thread that they
 * belong to. A requester that may not read gets the answer for something that was never there. Readings by the host
 * itself, without a requester, are not recorded. A reading that cannot be recorded fails.
 */
export function journaledAccess(store: ThreadfoldStore, options: JournaledAccessOptions = {}): ThreadfoldStore {
  return Object.freeze({ ...store, artifacts: journaledArtifacts(store.artifacts, store.journal, options) });
}

function journaledArtifacts(
  artifacts: ArtifactStore,
  journal: AuditJournal,
  { clearance = () => "restricted", automatic = false, clock = systemClock }: JournaledAccessOptions,
): ArtifactStore {
  const at = (): string => new Date(clock.now()).toISOString();
  const visible = async (artifactId: Parameters<ArtifactStore["getMetadata"]>[0], requester: SecurityContext) => {
    const metadata = await artifacts.getMetadata(artifactId, requester);
    return metadata !== null && isCleared(metadata.sensitivity, clearance(requester)) ? metadata : null;
  };
  return {
    store: (content, metadata) => artifacts.store(content, metadata),
    getMetadata: (artifactId, requester) =>
      requester === undefined ? artifacts.getMetadata(artifactId) : visible(artifactId, requester),
    retrieve: async (artifactId, requester) => {
      if (requester === undefined) return artifacts.retrieve(artifactId);
      const { requesterId } = requester;
      if ((await visible(artifactId, requester)) === null) {
        // It is recorded in the owner's journal; the requester cannot tell denied from never there.
        const owner = await artifacts.getMetadata(artifactId);
        if (owner !== null)
          await journal.append(owner.threadId, { type: "artifact-denied", artifactId, requesterId }, at());
        return null;
      }
      const artifact = await artifacts.retrieve(artifactId, requester);
      if (artifact === null) return null;
      const record = { type: "artifact-read", artifactId, requesterId, automatic } as const;
      await journal.append(artifact.metadata.threadId, record, at());
      return artifact;
    },
    list: async (threadId: ThreadId, requester?: SecurityContext, mediaType?: string) => {
      const ids = await artifacts.list(threadId, requester, mediaType);
      if (requester === undefined) return ids;
      const seen = await Promise.all(ids.map((id) => visible(id, requester)));
      return Object.freeze(ids.filter((_, index) => seen[index] !== null));
    },
  };
}
