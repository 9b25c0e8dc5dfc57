import type { ArtifactId, Clock, ThreadfoldStore } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";

/** Media type under which a store keeps the source that a thread was imported from. */
export const SOURCE_MEDIA_TYPE = "application/vnd.threadfold.source";

/**
 * Keeps the whole source of an imported session beside its thread, as one artifact. `metadata.source` of every message
 * points into it, and it holds what no message holds: records that were never prompt content, and malformed ones.
 */
export async function keepSource(
  store: ThreadfoldStore,
  { threadId, source }: ImportedSession,
  clock: Clock,
): Promise<ArtifactId> {
  return store.artifacts.store(source.text.toWellFormed(), {
    threadId,
    tenantId: null,
    createdAt: new Date(clock.now()).toISOString(),
    ttlSeconds: null,
    sensitivity: "internal",
    mediaType: SOURCE_MEDIA_TYPE,
  });
}
