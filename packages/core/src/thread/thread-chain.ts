import { checkArgument } from "../errors/checked-options.ts";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { freezeDeep } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { portableSha256, sha256 } from "../json/sha256.ts";
import { finishSteps, type Steps } from "../time/steps.ts";
import { AppendOnlyList } from "./append-only-list.ts";
import { type KnownForm, knownForms, type ThreadEntry } from "./thread-entry.ts";

/** The digest of a thread without entries, on which the first link of every thread builds. */
export const THREAD_CHAIN_START = portableSha256("threadfold-thread-v1");

/** Returns the digest of a thread after one more entry, given its previous digest and the digest of the entry. */
export function nextThreadLink(link: string, entryDigest: string): string {
  return sha256(link + entryDigest);
}

/**
 * Link n−1 of a list is its digest after n entries from its start. By family: an entry may be in several logs, a link
 * in one.
 */
const chains = new WeakMap<object, string[]>();

/**
 * Computes the running hash over all entries of a list, in steps. Links are kept, so only new entries are hashed.
 *
 * @param startLink the hash over the entries before the list's start.
 */
export function* chainDigestInSteps(
  entries: AppendOnlyList<ThreadEntry>,
  startLink: string = THREAD_CHAIN_START,
): Steps<string> {
  const links = chains.get(entries.family) ?? [];
  chains.set(entries.family, links);
  const { start } = entries;
  // `links.length` is read again each time: between two steps, another caller may have extended the same links.
  for (let index = links.length; index < entries.length - start; index = links.length) {
    const digest = entryDigest(entries.at(start + index) as ThreadEntry);
    links.push(nextThreadLink(links[index - 1] ?? startLink, digest));
    yield;
  }
  return links[entries.length - start - 1] ?? startLink;
}

/** Reads all entries of a thread from their canonical JSON, in steps. */
export function* restoreEntriesInSteps(
  serialized: readonly string[],
  digest: string,
): Steps<AppendOnlyList<ThreadEntry>> {
  checkArgument("serialized", serialized, "list");
  const { entries, links } = yield* readRun(serialized, THREAD_CHAIN_START, digest);
  const restored = AppendOnlyList.of(entries);
  chains.set(restored.family, links);
  return restored;
}

/**
 * Reads a run of entries from their canonical JSON. Nothing is parsed before the chain has been verified.
 *
 * @param before the thread's digest before the run.
 * @param after the thread's digest after the run.
 * @throws ThreadfoldError `STORE_CORRUPT` when the entries do not lead from the first digest to the second.
 */
export function restoreRun(serialized: readonly string[], before: string, after: string): readonly ThreadEntry[] {
  return finishSteps(restoreRunInSteps(serialized, before, after));
}

/** Does the same as {@link restoreRun}, in steps. */
export function* restoreRunInSteps(
  serialized: readonly string[],
  before: string,
  after: string,
): Steps<readonly ThreadEntry[]> {
  return (yield* readRun(serialized, before, after)).entries;
}

function* readRun(
  serialized: readonly string[],
  before: string,
  after: string,
): Steps<{ readonly entries: readonly ThreadEntry[]; readonly links: string[] }> {
  const digests: string[] = [];
  const links: string[] = [];
  for (const text of serialized) {
    // A damaged file may yield something other than text.
    const digest = typeof text === "string" ? sha256(text) : "";
    digests.push(digest);
    links.push(nextThreadLink(links.at(-1) ?? before, digest));
    yield;
  }
  if ((links.at(-1) ?? before) !== after) {
    throw new ThreadfoldError(
      "STORE_CORRUPT",
      `The ${serialized.length} stored entries do not produce the thread's digest.`,
      {
        details: { entries: serialized.length, digest: after },
      },
    );
  }
  const entries: ThreadEntry[] = [];
  for (const [index, text] of serialized.entries()) {
    const entry = freezeDeep(parseJson(text) as ThreadEntry);
    knownForms.set(entry, { isChecked: false, stringifies: false, digest: digests[index] as string });
    entries.push(entry);
    yield;
  }
  return { entries, links };
}

/** An entry in the form in which stores keep it. */
export interface SerializedEntry {
  /** Its canonical JSON. */
  readonly body: string;
  /** SHA-256 of `body`, in hexadecimal. */
  readonly digest: string;
}

/**
 * Returns the SHA-256 of an entry's canonical JSON, in hexadecimal. Entries are frozen, so each is hashed only once.
 */
export function entryDigest(entry: ThreadEntry): string {
  return knownForms.get(entry)?.digest ?? serializeEntry(entry).digest;
}

/** Returns the canonical JSON of an entry and its digest, which is remembered. */
export function serializeEntry(entry: ThreadEntry): SerializedEntry {
  const form = knownForms.get(entry);
  const body = form?.stringifies === true ? JSON.stringify(entry) : canonicalJson(entry);
  const digest = form?.digest ?? learnDigest(entry, form, body);
  return { body, digest };
}

function learnDigest(entry: ThreadEntry, form: KnownForm | undefined, body: string): string {
  const digest = sha256(body);
  if (form === undefined) knownForms.set(entry, { isChecked: false, stringifies: false, digest });
  else form.digest = digest;
  return digest;
}
