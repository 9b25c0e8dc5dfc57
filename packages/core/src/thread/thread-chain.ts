import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { sha256 } from "../json/sha256.ts";
import { AppendOnlyList } from "./append-only-list.ts";
import { entryDigest } from "./entry-digest.ts";
import { knownDigests } from "./known-digests.ts";
import type { ThreadEntry } from "./thread-entry.ts";
import { nextThreadLink, THREAD_CHAIN_START } from "./thread-link.ts";

/** Link n−1 of each list is its digest after n entries. Kept by family: an entry may stand in several logs, a link in one. */
const chains = new WeakMap<object, string[]>();

/** The running hash over all entries of a list. Links are kept, so only what is new is hashed. */
export function chainDigest(entries: AppendOnlyList<ThreadEntry>): string {
  const links = chains.get(entries.family) ?? [];
  chains.set(entries.family, links);
  for (let index = links.length; index < entries.length; index++) {
    links.push(nextThreadLink(links[index - 1] ?? THREAD_CHAIN_START, entryDigest(entries.at(index) as ThreadEntry)));
  }
  return links[entries.length - 1] ?? THREAD_CHAIN_START;
}

/** Reads entries that were written down as canonical JSON. Nothing is parsed before the chain is known to hold. */
export function restoreEntries(serialized: readonly string[], digest: string): AppendOnlyList<ThreadEntry> {
  const digests = serialized.map((text) => sha256(text));
  const links = linksOf(digests);
  if ((links.at(-1) ?? THREAD_CHAIN_START) !== digest) {
    throw new ThreadfoldError(
      "STORE_CORRUPT",
      `The ${serialized.length} entries that were kept do not give the thread's digest.`,
      {
        details: { entries: serialized.length, digest },
      },
    );
  }
  const entries = serialized.map((text, index) => {
    const entry = freezeDeep(JSON.parse(text) as ThreadEntry);
    knownDigests.set(entry, digests[index] as string);
    return entry;
  });
  const restored = AppendOnlyList.of(entries);
  chains.set(restored.family, links);
  return restored;
}

function linksOf(digests: readonly string[]): string[] {
  const links: string[] = [];
  for (const digest of digests) links.push(nextThreadLink(links.at(-1) ?? THREAD_CHAIN_START, digest));
  return links;
}
