import { type KeyStore, type SummaryCacheStore, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type EncryptionOptions, sealedPlaces } from "./sealed-places.ts";
import { Sealer } from "./sealer.ts";

/**
 * A summary cache whose entries are sealed with the key of a thread's subject, under names that only the key gives: threads
 * of one subject share what they cached, and an erasure reaches it without looking for anything in it. What cannot be opened
 * is a miss. It makes no keys: for no thread, and for a subject that has no key or none any more, everything is a miss and
 * nothing is kept.
 */
export function sealedSummaries(
  cache: SummaryCacheStore,
  keys: KeyStore,
  options: EncryptionOptions = {},
): SummaryCacheStore {
  const placeOf = sealedPlaces(keys, options);
  const ownerOf = (threadId: ThreadId): ThreadId => placeOf(threadId).subject as ThreadId;
  const sealing = async (threadId: ThreadId | undefined) => {
    if (threadId === undefined) return null;
    const owner = ownerOf(threadId);
    const place = placeOf(threadId);
    const key = await place.keys.get(owner);
    return key && { owner, sealer: new Sealer({ ...place, threadId: owner }, key) };
  };
  const { forget } = cache;
  return {
    async get(key, threadId) {
      const found = await sealing(threadId);
      if (found === null) return null;
      const name = found.sealer.digest(key);
      const entry = await cache.get(name, found.owner);
      return entry === null ? null : opened(found.sealer, name, entry);
    },
    async set(key, entry, threadId) {
      const found = await sealing(threadId);
      if (found === null) return;
      const name = found.sealer.digest(key);
      await cache.set(name, found.sealer.seal("summary", name, entry), found.owner);
    },
    ...(forget !== undefined && { forget: (threadId: ThreadId) => forget.call(cache, ownerOf(threadId)) }),
  };
}

/** The same for one thread alone, whoever asks: for who hands a cache to a summarizer of his own. */
export function sealedSummaryCache(
  cache: SummaryCacheStore,
  keys: KeyStore,
  threadId: ThreadId,
  options: EncryptionOptions = {},
): SummaryCacheStore {
  const sealed = sealedSummaries(cache, keys, options);
  return {
    get: (key) => sealed.get(key, threadId),
    set: (key, entry) => sealed.set(key, entry, threadId),
    ...(sealed.forget !== undefined && { forget: sealed.forget }),
  };
}

async function opened(sealer: Sealer, name: string, entry: string): Promise<string | null> {
  try {
    return await sealer.open("summary", name, entry);
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "UNSEAL_FAILED") return null;
    throw error;
  }
}
