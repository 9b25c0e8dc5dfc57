import { canonicalJson, sha256 } from "@threadfold/core";
import { type PortableChange, portableChangesSchema } from "./portable-changes.ts";

const DIGEST_LENGTH = 64;

/** A cache entry as text: the seal of key and content, and the content. */
export function writeEntry(key: string, changes: readonly PortableChange[], secret: string | null): string {
  const content = canonicalJson(changes);
  return seal(key, content, secret) + content;
}

/**
 * The changes of an entry; null when it was garbled, moved under another key, written by somebody without the secret, or
 * has another shape than changes have.
 */
export function readEntry(key: string, entry: string, secret: string | null): readonly PortableChange[] | null {
  const content = entry.slice(DIGEST_LENGTH);
  if (seal(key, content, secret) !== entry.slice(0, DIGEST_LENGTH)) return null;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  const parsed = portableChangesSchema.safeParse(value);
  return parsed.success ? (parsed.data as unknown as readonly PortableChange[]) : null;
}

/** With a secret, a digest within a digest, so that nothing can be hung on to what was sealed. */
function seal(key: string, content: string, secret: string | null): string {
  if (secret === null) return sha256(`${key}\n${content}`);
  return sha256(canonicalJson([secret, sha256(canonicalJson([secret, key, content]))]));
}
