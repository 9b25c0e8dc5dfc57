import { canonicalJson, sha256 } from "@threadfold/core";
import { type PortableChange, portableChangesSchema } from "./portable-changes.ts";

const DIGEST_LENGTH = 64;

/** A cache entry as text: the digest of key and content, and the content. */
export function writeEntry(key: string, changes: readonly PortableChange[]): string {
  const content = canonicalJson(changes);
  return sha256(`${key}\n${content}`) + content;
}

/** The changes of an entry; null when it was garbled, moved under another key, or has another shape than changes have. */
export function readEntry(key: string, entry: string): readonly PortableChange[] | null {
  const content = entry.slice(DIGEST_LENGTH);
  if (sha256(`${key}\n${content}`) !== entry.slice(0, DIGEST_LENGTH)) return null;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  const parsed = portableChangesSchema.safeParse(value);
  return parsed.success ? (parsed.data as unknown as readonly PortableChange[]) : null;
}
