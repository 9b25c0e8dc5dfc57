import { type KeyStore, type SummaryCacheStore, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type EncryptionOptions, sealedPlaces } from "./sealed-places.ts";
import { Sealer } from "./sealer.ts";

/**
 * A summary cache whose entries are sealed with the key of one thread's subject, under names that only the key gives: an
 * erasure reaches it without looking for anything in it. What cannot be opened is a miss.
 *
 * @throws ThreadfoldError `CONTENT_ERASED` on writing for an erased subject.
 */
export function sealedSummaryCache(
  cache: SummaryCacheStore,
  keys: KeyStore,
  threadId: ThreadId,
  options: EncryptionOptions = {},
): SummaryCacheStore {
  const place = sealedPlaces(keys, options)(threadId);
  // Threads of one subject share what they cached.
  const shared = { ...place, threadId: place.subject as ThreadId };
  return {
    async get(key) {
      if (await keys.isShredded(place.subject)) return null;
      const sealer = await Sealer.toSeal(shared);
      const name = sealer.digest(key);
      const entry = await cache.get(name);
      return entry === null ? null : opened(sealer, name, entry);
    },
    async set(key, entry) {
      const sealer = await Sealer.toSeal(shared);
      const name = sealer.digest(key);
      await cache.set(name, sealer.seal("summary", name, entry));
    },
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
