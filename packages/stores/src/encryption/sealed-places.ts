import { canonicalJson, type KeyStore, type ThreadId } from "@threadfold/core";
import type { SealedPlace } from "./sealer.ts";

/** Whose keys seal what. */
export interface EncryptionOptions {
  /** Bound to everything that is sealed: what one tenant's store sealed opens in no other's. Null by default. */
  readonly tenantId?: string | null;
  /** Who may ask to have a thread forgotten. Each thread is a subject of its own by default. */
  readonly subjectOf?: (threadId: ThreadId) => string;
}

/** Finds the keys of a thread. */
export type PlaceOf = (threadId: ThreadId) => SealedPlace;

/** Names subjects together with their tenant, so that two tenants never share a key. */
export function sealedPlaces(keys: KeyStore, { tenantId = null, subjectOf = String }: EncryptionOptions): PlaceOf {
  return (threadId) => ({ keys, tenantId, threadId, subject: canonicalJson([tenantId, subjectOf(threadId)]) });
}
