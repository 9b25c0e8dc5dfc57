/**
 * Named bytes that never change: what a folder of files and a bucket of S3 have in common. Keys are parts of lower-case
 * letters, digits, `_`, `-` and `.`, joined by `/`; they are made from digests and never from anybody's text.
 */
export interface ObjectFolder {
  /** Puts bytes under a key, whole or not at all, and gives false when something is there already, which then stays. */
  putNew(key: string, bytes: Uint8Array): Promise<boolean>;
  /** The bytes under a key, or null. */
  get(key: string): Promise<Uint8Array | null>;
  /** The keys that begin with a prefix that ends in `/`, in the order of their characters. */
  list(prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
