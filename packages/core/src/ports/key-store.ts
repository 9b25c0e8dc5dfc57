/** A key of one subject. */
export interface SubjectKey {
  /** From 1; the newest one seals, all of them open. */
  readonly version: number;
  /** 32 bytes. Whoever holds them reads what the subject's key seals, so they are never logged or stored. */
  readonly bytes: Uint8Array;
}

/**
 * Keeps the keys of subjects, apart from what they seal. A subject is whoever may ask to be forgotten: a thread, a
 * person, a customer. Destroying a key is what erases: everything that it sealed is noise from then on, also in backups
 * of the store. Backups of the key store itself have to age out.
 */
export interface KeyStore {
  /** The newest key, or one of its earlier versions; null when the subject has none, or none any more. */
  get(subject: string, version?: number): Promise<SubjectKey | null>;
  /**
   * The newest key, made when the subject has none.
   *
   * @throws ThreadfoldError `CONTENT_ERASED` when the subject's key was destroyed: it does not come back under its name.
   */
  getOrCreate(subject: string): Promise<SubjectKey>;
  /** Adds a next version of the key, which seals from now on. @throws ThreadfoldError `CONTENT_ERASED`. */
  rotate(subject: string): Promise<SubjectKey>;
  /** Destroys all versions of the key for good. Destroying it again does nothing. Returns whether there was a key. */
  shred(subject: string): Promise<boolean>;
  /** True once the key was destroyed. */
  isShredded(subject: string): Promise<boolean>;
}

/**
 * What a key management service does: it holds a master key and never gives it away. `context` is authenticated with the
 * key, so that what was wrapped for one subject is not unwrapped for another.
 */
export interface KeyWrapper {
  wrap(key: Uint8Array, context: Readonly<Record<string, string>>): Promise<Uint8Array>;
  /** @throws when the service refuses or the context differs. */
  unwrap(wrapped: Uint8Array, context: Readonly<Record<string, string>>): Promise<Uint8Array>;
}
