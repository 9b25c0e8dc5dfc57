import { canonicalJson } from "../json/canonical-json.ts";
import { sha256 } from "../json/sha256.ts";
import { knownDigests, stringifiedEntries } from "./known-digests.ts";
import type { ThreadEntry } from "./thread-entry.ts";

/** SHA-256 of an entry's canonical JSON, in hexadecimal. Entries are frozen, so each is hashed once. */
export function entryDigest(entry: ThreadEntry): string {
  return knownDigests.get(entry) ?? learnDigest(entry, textOf(entry));
}

/** The canonical JSON of an entry: what stores write down. Its digest is known from then on. */
export function serializeEntry(entry: ThreadEntry): string {
  const text = textOf(entry);
  if (!knownDigests.has(entry)) learnDigest(entry, text);
  return text;
}

const textOf = (entry: ThreadEntry): string =>
  stringifiedEntries.has(entry) ? JSON.stringify(entry) : canonicalJson(entry);

function learnDigest(entry: ThreadEntry, text: string): string {
  const digest = sha256(text);
  knownDigests.set(entry, digest);
  return digest;
}
