/** One version of a subject's key. */
export interface SubjectKey {
  /** Counted from 1; the newest version seals, every version opens. */
  readonly version: number;
  /** 32 bytes. Whoever has them can read everything sealed with the key, so they are never logged or stored. */
  readonly bytes: Uint8Array;
}

/**
 * Keeps the keys of subjects, separate from the content that they seal. A subject is whoever may ask to be forgotten: a
 * thread, a person, a customer. Destroying a key is the erasure: everything that it sealed is noise from then on, in
 * backups of the store as well. Backups of the key store itself must age out.
 */
export interface KeyStore {
  /** Returns the newest key, or one of its earlier versions; null when the subject has no key or no longer has one. */
  get(subject: string, version?: number): Promise<SubjectKey | null>;
  /**
   * Returns the newest key, creating one when the subject has none.
   *
   * @throws ThreadfoldError `CONTENT_ERASED` when the subject's key was destroyed: no new key is made under that name.
   */
  getOrCreate(subject: string): Promise<SubjectKey>;
  /** Adds a new version of the key, which seals from now on. @throws ThreadfoldError `CONTENT_ERASED`. */
  rotate(subject: string): Promise<SubjectKey>;
  /** Permanently destroys all versions of the key. Repeating it does nothing. Returns whether there was a key. */
  shred(subject: string): Promise<boolean>;
  /** True once the key was destroyed. */
  isShredded(subject: string): Promise<boolean>;
}

/**
 * A key management service, which holds a master key and never discloses it. `context` is authenticated along with the
 * key, so that a key wrapped for one subject cannot be unwrapped for another.
 */
export interface KeyWrapper {
  wrap(key: Uint8Array, context: Readonly<Record<string, string>>): Promise<Uint8Array>;
  /** @throws when the service refuses or the context differs. */
  unwrap(wrapped: Uint8Array, context: Readonly<Record<string, string>>): Promise<Uint8Array>;
}

/** What sealed content begins with, wherever it is stored. */
export const SEALED_PREFIX = "sealed1.";

/** The beginning of an envelope of the first format, with as many characters as header and tag have. */
const ENVELOPE = /^sealed1\.AQ[\w-]{128}/;
/** What no envelope has after its beginning. Searched for by itself, because texts may have many megabytes. */
const WORDS = /[^\w-]/;

/** Checks whether a text is sealed content, and nothing besides: whoever has no key can only see that there is some. */
export function isSealedText(text: unknown): boolean {
  return typeof text === "string" && ENVELOPE.test(text) && !WORDS.test(text.slice(SEALED_PREFIX.length));
}
