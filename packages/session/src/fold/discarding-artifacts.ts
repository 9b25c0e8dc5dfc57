import { type ArtifactStore, artifactIdOf } from "@threadfold/core";

/** An artifact store that reads what is there and keeps nothing new: ids are those that storing would give. */
export function discardingArtifacts(store: ArtifactStore): ArtifactStore {
  return {
    store: async (content, { threadId, tenantId }) => artifactIdOf(threadId, tenantId, content),
    getMetadata: (artifactId, requester) => store.getMetadata(artifactId, requester),
    retrieve: (artifactId, requester) => store.retrieve(artifactId, requester),
    list: (threadId, requester) => store.list(threadId, requester),
  };
}
