import type { ThreadEntry } from "./thread-entry.ts";

/** Digests of entries that were hashed once already. Entries are frozen, so a digest stays true. */
export const knownDigests = new WeakMap<ThreadEntry, string>();

/** Entries whose canonical JSON is what `JSON.stringify` gives, which is several times faster. */
export const stringifiedEntries = new WeakSet<ThreadEntry>();
