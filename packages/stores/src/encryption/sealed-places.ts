import { canonicalJson, checkTimeLimit, type KeyStore, type ThreadId, withinLimit } from "@threadfold/core";
import type { EnvelopeContext } from "./sealed-envelope.ts";

/** Whose keys seal what. */
export interface EncryptionOptions {
  /** Bound to everything that is sealed: what one tenant's store sealed opens in no other's. Null by default. */
  readonly tenantId?: string | null;
  /**
   * Who may ask to have a thread forgotten. Each thread is a subject of its own by default. With subjects of several
   * threads the list of threads is walked once for each new subject, before its key is made.
   */
  readonly subjectOf?: (threadId: ThreadId) => string;
  /**
   * True for a store in which others seal with keys that this key store does not have, such as one file of many tenants.
   * Then no more is asked before a new subject's key is made than whether something of its own thread is sealed. False by
   * default: a key store that opens nothing of what the store holds is taken for one that is away, such as a folder whose
   * volume is not mounted, and makes no keys.
   */
  readonly isShared?: boolean;
  /** How long the key store may take for a call, in milliseconds; 10 000 by default. */
  readonly keyTimeLimitMs?: number;
}

const KEY_TIME_LIMIT_MS = 10_000;

/** Whose keys seal what of a thread. */
export interface SealedPlace {
  readonly keys: KeyStore;
  readonly subject: string;
  readonly tenantId: string | null;
  readonly threadId: ThreadId;
}

/** Finds the keys of a thread. */
export type PlaceOf = (threadId: ThreadId) => SealedPlace;

/** Names subjects together with their tenant, so that two tenants never share a key. @throws ThreadfoldError `INVALID_CONFIG`. */
export function sealedPlaces(
  keyStore: KeyStore,
  { tenantId = null, subjectOf = String, keyTimeLimitMs = KEY_TIME_LIMIT_MS }: EncryptionOptions,
): PlaceOf {
  const keys = limitedKeys(keyStore, checkTimeLimit("keyTimeLimitMs", keyTimeLimitMs));
  return (threadId) => ({ keys, tenantId, threadId, subject: canonicalJson([tenantId, subjectOf(threadId)]) });
}

/** What a text of a place is bound to when it is sealed. */
export const contextIn = ({ tenantId, threadId }: SealedPlace, kind: string, id: string): EnvelopeContext => ({
  tenant: tenantId,
  thread: threadId,
  kind,
  id,
});

/** A key store, such as a service on the network, that is waited for no longer than a limit. */
function limitedKeys(keys: KeyStore, milliseconds: number): KeyStore {
  const limit = { milliseconds, waitedFor: "the key store", option: "keyTimeLimitMs", timers: globalThis };
  return {
    get: (subject, version) => withinLimit(() => keys.get(subject, version), limit),
    getOrCreate: (subject) => withinLimit(() => keys.getOrCreate(subject), limit),
    rotate: (subject) => withinLimit(() => keys.rotate(subject), limit),
    shred: (subject) => withinLimit(() => keys.shred(subject), limit),
    isShredded: (subject) => withinLimit(() => keys.isShredded(subject), limit),
  };
}
