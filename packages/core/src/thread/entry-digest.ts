import { digestOf } from "../json/digest.ts";
import type { ThreadEntry } from "./thread-entry.ts";

const digests = new WeakMap<ThreadEntry, string>();

/** SHA-256 of an entry's canonical JSON, in hexadecimal. Entries are frozen, so each is hashed once. */
export function entryDigest(entry: ThreadEntry): string {
  let digest = digests.get(entry);
  if (digest === undefined) {
    digest = digestOf(entry);
    digests.set(entry, digest);
  }
  return digest;
}
