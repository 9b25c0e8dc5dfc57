import { canonicalJson, sha256 } from "@threadfold/core";

/** A payload as the bytes that are recorded for it. */
export interface PayloadDigest {
  /** Canonical JSON (RFC 8785). */
  readonly text: string;
  /** SHA-256 of `text`, in hexadecimal. */
  readonly digest: string;
  /** Length of `text` in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * Serializes and hashes a payload. Computed when it is asked for and at no other time.
 *
 * @throws ThreadfoldError `INVALID_JSON` when the payload holds what JSON cannot carry.
 */
export function payloadDigest(payload: unknown): PayloadDigest {
  const text = canonicalJson(payload);
  return { text, digest: sha256(text), bytes: Buffer.byteLength(text) };
}
