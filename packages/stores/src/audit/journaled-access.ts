import {
  type ArtifactStore,
  type AuditJournal,
  type Clock,
  checkOptions,
  checkStore,
  type SecurityContext,
  type Sensitivity,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { systemClock } from "../shared/store-basics.ts";

/** Returns the highest sensitivity of content that a requester may read. */
export type Clearance = (requester: SecurityContext) => Sensitivity;

/** Options for checking and recording access. */
export interface JournaledAccessOptions {
  /**
   * Returns the highest sensitivity that a requester may read now. It is called on every read, so that lowering it
   * takes effect at once. By default every requester of the tenant may read everything.
   */
  readonly clearance?: Clearance;
  /**
   * Whether reads are made by the harness itself, as when content is rehydrated, rather than requested by the agent.
   */
  readonly automatic?: boolean;
  /** Supplies the times of the records. The machine's clock by default. */
  readonly clock?: Clock;
}

const STRICTNESS: Readonly<Record<Sensitivity, number>> = { public: 0, internal: 1, confidential: 2, restricted: 3 };

/** Checks whether content of one sensitivity may be read with clearance for another. */
export function isCleared(content: Sensitivity, clearance: Sensitivity): boolean {
  return STRICTNESS[content] <= STRICTNESS[clearance];
}

/**
 * Returns a store that records reads of artifacts, and denied reads, in the journal of the thread that they belong to.
 * A requester that may not read gets the same answer as for something that never existed. Reads by the host itself,
 * without a requester, are not recorded. A read that cannot be recorded fails.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for what is no store, or an option that makes no sense.
 */
export function journaledAccess(store: ThreadfoldStore, options: JournaledAccessOptions = {}): ThreadfoldStore {
  checkStore(store);
  checkOptions("options", options, { clearance: "call", automatic: "flag", clock: "clock" });
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
        // Recorded in the owner's journal; the requester cannot tell a denial from something that never existed.
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
