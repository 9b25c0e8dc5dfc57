import {
  canonicalJson,
  checkTimeLimit,
  type KeyStore,
  type Message,
  type PinEntry,
  type PinLiftedEntry,
  refuseArgument,
  type SubjectKey,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadId,
  withinLimit,
} from "@threadfold/core";
import {
  type EnvelopeContext,
  envelopeKeyVersion,
  isEnvelope,
  isSealedWith,
  keyedDigest,
  openEnvelope,
  sealEnvelope,
  unsealFailed,
} from "./sealed-envelope.ts";
import { KEY_BYTES } from "./subject-keys.ts";

/** Options for sealing the content of threads. */
export interface EncryptionOptions {
  /**
   * Bound to everything that is sealed, so that what one tenant's store sealed opens in no other's. Null by default.
   */
  readonly tenantId?: string | null;
  /**
   * Returns the subject of a thread, who may ask to have it forgotten. By default each thread is its own subject. If a
   * subject can have several threads, all threads are listed once for each new subject, before its key is created.
   */
  readonly subjectOf?: (threadId: ThreadId) => string;
  /**
   * True for a store in which others seal with keys that this key store does not have, such as one file shared by many
   * tenants. Then the only check before a new subject's key is created is whether something of its own thread is
   * sealed. False by default: a key store that opens nothing of what the store holds is assumed to be the wrong one,
   * such as a folder whose volume is not mounted, and creates no keys.
   */
  readonly isShared?: boolean;
  /** Time limit for each call of the key store, in milliseconds; 10 000 by default. */
  readonly keyTimeLimitMs?: number;
}

/** A thread with the key store and the subject whose keys seal it. */
export interface SealedPlace {
  readonly keys: KeyStore;
  readonly subject: string;
  readonly tenantId: string | null;
  readonly threadId: ThreadId;
}

/** Learns which keys open a thread, and knows why others do not. */
export interface OpeningWatch {
  /** Called with each key that opened something. */
  opened(key: SubjectKey): void;
  /** Returns the error for a text that was not sealed with a key for its place, or whose key does not exist. */
  refused(key: SubjectKey | null): Promise<ThreadfoldError>;
}

/** Finds the keys of a thread. */
export type PlaceOf = (threadId: ThreadId) => SealedPlace;

/**
 * Seals and opens the content of one thread with the keys of its subject. Made for one call, and its keys go with it.
 */
export class Sealer {
  readonly #place: SealedPlace;
  readonly #newest: SubjectKey | null;
  readonly #known = new Map<number, SubjectKey>();
  readonly #watch: OpeningWatch | undefined;

  /**
   * @param newest the key for sealing; null for opening only.
   * @param watch without it, all that does not open is `UNSEAL_FAILED`.
   */
  constructor(place: SealedPlace, newest: SubjectKey | null, watch?: OpeningWatch) {
    this.#place = place;
    this.#newest = newest;
    this.#watch = watch;
    if (newest !== null) this.#known.set(newest.version, newest);
  }

  seal(kind: string, id: string, content: string): string {
    return sealEnvelope(this.#sealing(), contextIn(this.#place, kind, id), content, "repeatable");
  }

  /**
   * @throws ThreadfoldError `UNSEAL_FAILED`, also for a text that is in the clear; `KEY_MISSING` when the key does not
   * exist, `KEY_MISMATCH` when it opens nothing else of the thread either.
   */
  async open(kind: string, id: string, envelope: string): Promise<string> {
    if (!isEnvelope(envelope)) throw inTheClear(this.#place.threadId);
    const version = envelopeKeyVersion(envelope);
    const known = this.#known.get(version);
    const key = known ?? (await this.#place.keys.get(this.#place.subject, version));
    if (key === null) throw await this.#refused(null);
    const context = contextIn(this.#place, kind, id);
    try {
      const content = openEnvelope(key, context, envelope);
      this.#known.set(version, key);
      this.#watch?.opened(key);
      return content;
    } catch (error) {
      const isRightKey = known !== undefined || (await isSealedWith(async () => key, context, envelope));
      throw isRightKey ? error : await this.#refused(key);
    }
  }

  /** Opens a text by what it is bound to, or was bound to formerly. @throws ThreadfoldError `UNSEAL_FAILED`. */
  async openText({ kind, id, formerId, envelope }: SealedText): Promise<string> {
    try {
      return await this.open(kind, id, envelope);
    } catch (error) {
      if (formerId === undefined || !ThreadfoldError.isInstance(error) || error.code !== "UNSEAL_FAILED") throw error;
      return this.open(kind, formerId, envelope);
    }
  }

  digest(digest: string): string {
    return keyedDigest(this.#sealing(), digest);
  }

  async #refused(key: SubjectKey | null): Promise<ThreadfoldError> {
    return (await this.#watch?.refused(key)) ?? unsealFailed();
  }

  #sealing(): SubjectKey {
    if (this.#newest === null) throw unsealFailed();
    return this.#newest;
  }
}

/** The error for a thread that was never sealed, or is no longer, where something of it was to be opened. */
const inTheClear = (threadId: ThreadId): ThreadfoldError =>
  new ThreadfoldError(
    "UNSEAL_FAILED",
    `Thread ${threadId} is stored in the clear, at least in part, so no key opens it.`,
    {
      hint: "If it was begun before encryption was turned on, open the store without keys to read it, append what it says to a new thread with keys, and erase the old one without keys. If it was sealed, somebody changed the store: restore an intact copy.",
      details: { threadId },
    },
  );

/**
 * Names subjects together with their tenant, so that two tenants never share a key.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the keys are no key store or the time limit is out of range.
 */
export function sealedPlaces(
  keyStore: KeyStore,
  { tenantId = null, subjectOf = String, keyTimeLimitMs = KEY_TIME_LIMIT_MS }: EncryptionOptions,
): PlaceOf {
  if (typeof Object(keyStore).getOrCreate !== "function")
    refuseArgument("keys", "it has to be a key store, such as that of fileKeyStore or memoryKeyStore.");
  const keys = limitedKeys(keyStore, checkTimeLimit("keyTimeLimitMs", keyTimeLimitMs));
  return (threadId) => ({ keys, tenantId, threadId, subject: canonicalJson([tenantId, subjectOf(threadId)]) });
}

const KEY_TIME_LIMIT_MS = 10_000;

/** Wraps a key store, such as a network service, with a time limit for each call, and refuses keys that are none. */
function limitedKeys(keys: KeyStore, milliseconds: number): KeyStore {
  const limit = { milliseconds, waitedFor: "the key store", option: "keyTimeLimitMs", timers: globalThis };
  return {
    get: async (subject, version) => {
      const key = await withinLimit(() => keys.get(subject, version), limit);
      return key === null ? null : soundKey(subject, key);
    },
    getOrCreate: async (subject) => soundKey(subject, await withinLimit(() => keys.getOrCreate(subject), limit)),
    rotate: async (subject) => soundKey(subject, await withinLimit(() => keys.rotate(subject), limit)),
    shred: (subject) => withinLimit(() => keys.shred(subject), limit),
    isShredded: (subject) => withinLimit(() => keys.isShredded(subject), limit),
  };
}

/**
 * Returns a key of a key store. Any other length would seal as well, but weakly, and an empty key with what everybody
 * knows.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the subject, and nothing of the key, unless it has 32 bytes.
 */
function soundKey(subject: string, key: SubjectKey): SubjectKey {
  const { version, bytes } = Object(key) as { readonly version?: unknown; readonly bytes?: unknown };
  if (ArrayBuffer.isView(bytes) && bytes.byteLength === KEY_BYTES) return key;
  const length = ArrayBuffer.isView(bytes) ? bytes.byteLength : 0;
  const found = ArrayBuffer.isView(bytes) ? `has ${length} bytes` : "is no Uint8Array";
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The key store returned no usable key for the subject ${subject}: it ${found}, and a key has ${KEY_BYTES} bytes.`,
    {
      hint: `${length > 0 ? KEEP_KEY : ""}Have the key store return { version, bytes } with ${KEY_BYTES} random bytes. \`keyStoreLaws\` tries key stores.`,
      details: { subject, version },
    },
  );
}

/** What to do about a key of another length: earlier builds sealed with it. */
const KEEP_KEY =
  "Do not replace the key: nothing else opens what it sealed. If it sealed threads, read them with an earlier build of Threadfold, which took keys of any length, and append what they say to new threads of a subject with a new key. ";

/** Returns what a text is bound to when it is sealed. */
export const contextIn = ({ tenantId, threadId }: SealedPlace, kind: string, id: string): EnvelopeContext => ({
  tenant: tenantId,
  thread: threadId,
  kind,
  id,
});

/** Returns who set a rule and all else that is readable about it: its sealed text opens only together with this. */
export function aboutPin({ pin: { id, authority, origin, source } }: PinEntry): string {
  const from = source && { messageId: source.messageId, start: source.start, end: source.end };
  return canonicalJson({ id, authority, origin, ...(from !== undefined && { source: from }) });
}

/** Returns who lifted which rule. */
export function aboutLifting({ pinId, authority }: PinLiftedEntry): string {
  return canonicalJson({ pinId, authority });
}

/** A sealed text, and where it belongs within its thread. */
export interface SealedText {
  readonly kind: string;
  readonly id: string;
  /** What texts of this kind were bound to formerly, when that was less. */
  readonly formerId?: string;
  readonly envelope: string;
}

/** Returns the sealed text of a stored entry; null for an entry that was never sealed. */
export function sealedTextOf(entry: ThreadEntry): SealedText | null {
  const text = textIn(entry);
  return isEnvelope(text.envelope) ? text : null;
}

/** Returns the text of an entry that is to be opened, whether it was sealed or not. */
export function textIn(entry: ThreadEntry): SealedText {
  switch (entry.type) {
    case "message":
      return { kind: "message", id: entry.message.id, envelope: envelopeIn(entry.message) };
    case "pin":
      return { kind: "pin", id: aboutPin(entry), formerId: entry.pin.id, envelope: entry.pin.text };
    case "pin-lifted":
      return { kind: "pin-lifted", id: aboutLifting(entry), formerId: entry.pinId, envelope: entry.reason };
  }
}

/** Returns the envelope of a sealed message, from its only part. */
export function envelopeIn({ parts: [part] }: Message): string {
  if (part?.type === "text") return part.text;
  return part?.type === "tool-result" && part.result.content.type === "text" ? part.result.content.text : "";
}
