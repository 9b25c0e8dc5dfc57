import { canonicalJson } from "../json/canonical-json.ts";
import { sha256 } from "../json/sha256.ts";
import { type KnownForm, knownForms } from "./known-form.ts";
import type { ThreadEntry } from "./thread-entry.ts";

/** An entry as stores write it down. */
export interface SerializedEntry {
  /** Its canonical JSON. */
  readonly body: string;
  /** SHA-256 of that, in hexadecimal. */
  readonly digest: string;
}

/** SHA-256 of an entry's canonical JSON, in hexadecimal. Entries are frozen, so each is hashed once. */
export function entryDigest(entry: ThreadEntry): string {
  return knownForms.get(entry)?.digest ?? serializeEntry(entry).digest;
}

/** The canonical JSON of an entry and its digest, which is known from then on. */
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
