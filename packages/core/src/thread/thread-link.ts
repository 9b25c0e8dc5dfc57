import { sha256 } from "../json/sha256.ts";

/** The digest of a thread without entries: what the first link of every thread builds on. */
export const THREAD_CHAIN_START = sha256("threadfold-thread-v1");

/** The digest of a thread after one more entry, from its digest before and the digest of the entry. */
export function nextThreadLink(link: string, entryDigest: string): string {
  return sha256(link + entryDigest);
}
