import {
  type ErrorCode,
  type SubjectKey,
  type ThreadEntry,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf } from "../inspection/inspector.ts";
import { isKeyedDigest } from "../shared/journal.ts";
import { listedThreads } from "../shared/threads.ts";
import { isEnvelope, isSealedWith, keyFingerprint, unsealFailed } from "./sealed-envelope.ts";
import {
  contextIn,
  type EncryptionOptions,
  type PlaceOf,
  type SealedPlace,
  type SealedText,
  Sealer,
  sealedTextOf,
} from "./sealer.ts";
import { contentErased } from "./subject-keys.ts";

/** Number of threads whose keys are remembered to be right, so that writing to them again reads nothing. */
const REMEMBERED = 10_000;
/** Number of sealed threads used to check whether a key store belongs to this store. */
const WITNESSES = 100;
/** Number of journal entries searched for a sealed one; those of requests are. */
const JOURNALED = 64;

/** A key for sealing a thread's content. */
export interface SealingKey {
  readonly key: SubjectKey;
  /** True when nothing sealed was found in the thread, with any key. */
  readonly isFirst: boolean;
}

/**
 * Makes sure that a store is only ever written to with the keys that sealed its content. A key folder that is empty
 * because its volume is not mounted looks like one that never had a key, and other keys seal as well as the right ones:
 * once the right keys are back, what was written would be lost, and the thread with it. Every envelope commits to its
 * key, so anything already sealed serves as the check value, even in stores written before this guard existed.
 */
export class KeyGuard {
  readonly #store: ThreadfoldStore;
  readonly #placeOf: PlaceOf;
  readonly #options: EncryptionOptions;
  /** The fingerprint of the key that was found to be right, by thread. */
  readonly #known = new Map<ThreadId, string>();
  /** Something of another thread that this key store opened: proof that it belongs to this store. */
  #witness: { readonly place: SealedPlace; readonly text: SealedText } | undefined;

  constructor(store: ThreadfoldStore, placeOf: PlaceOf, options: EncryptionOptions) {
    this.#store = store;
    this.#placeOf = placeOf;
    this.#options = options;
  }

  /**
   * Returns the key that seals a thread's content from now on. It is created only for a subject that has nothing sealed
   * yet.
   *
   * @throws ThreadfoldError `KEY_MISSING` or `KEY_MISMATCH` before anything is written, `CONTENT_ERASED`.
   */
  async sealingKey(threadId: ThreadId): Promise<SealingKey> {
    const place = this.#placeOf(threadId);
    const found = await place.keys.get(place.subject);
    if (found !== null && this.#known.get(threadId) === keyFingerprint(found)) return { key: found, isFirst: false };
    if (found === null && (await place.keys.isShredded(place.subject))) throw contentErased();
    const sealed = await this.#newestOf(threadId);
    if (sealed !== null) await requireOpens(place, found, sealed);
    else await this.#requireOwnKeys(place, found === null);
    const key = found ?? (await place.keys.getOrCreate(place.subject));
    if (sealed !== null) this.opened(threadId, key);
    return { key, isFirst: sealed === null };
  }

  /** Records that a key opened something of a thread, which proves that it is the right one. */
  opened(threadId: ThreadId, key: SubjectKey): void {
    this.#known.delete(threadId);
    this.#known.set(threadId, keyFingerprint(key));
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  /**
   * Checks that the available keys are those of a thread, before they are destroyed for good.
   *
   * @throws ThreadfoldError `KEY_MISSING` or `KEY_MISMATCH`.
   */
  async requireKeys(threadId: ThreadId): Promise<void> {
    const place = this.#placeOf(threadId);
    if (await place.keys.isShredded(place.subject)) return;
    const key = await place.keys.get(place.subject);
    const sealed = await unlessCode("CONTENT_ERASED", () => this.#newestOf(threadId));
    if (sealed === "CONTENT_ERASED") await this.#requireKeysOfErased(place, key);
    else if (sealed !== null) await requireOpens(place, key, sealed);
  }

  /**
   * Returns why nothing opens at a place with a key that does not match, or with none. One text alone does not show
   * whether it was altered or another key sealed it; the other texts of its thread do.
   *
   * @param key the key of the version that sealed the text; null when there is none.
   */
  async whyRefused(threadId: ThreadId, key: SubjectKey | null): Promise<ThreadfoldError> {
    const place = this.#placeOf(threadId);
    if (await place.keys.isShredded(place.subject)) return contentErased();
    if (key === null) return keyMissing(place);
    if (this.#known.get(threadId) === keyFingerprint(key)) return unsealFailed();
    return (await readable(() => this.#isSealedUnder(place, key))) === false ? otherKeys(place) : unsealFailed();
  }

  /**
   * Checks beyond a thread that has nothing sealed yet: other threads of its subject may have, and the key store may
   * not be this store's.
   */
  async #requireOwnKeys(place: SealedPlace, isNew: boolean): Promise<void> {
    if (this.#options.isShared === true) return;
    if (isNew && this.#options.subjectOf !== undefined) {
      for await (const threadId of inspectorOf(this.#store).threadIds()) {
        const isSubjects = threadId !== place.threadId && this.#placeOf(threadId).subject === place.subject;
        if (isSubjects && (await this.#hasSealed(threadId))) throw keyMissing(place);
      }
    }
    await this.#requireWitness(place);
  }

  /**
   * Checks the keys of a thread that was erased through a store without keys. Its content is gone, but its journal
   * stays, and so do other threads.
   */
  async #requireKeysOfErased(place: SealedPlace, key: SubjectKey | null): Promise<void> {
    const { text, isKeyed } = await this.#journaled(place.threadId);
    if (text !== null) return requireOpens(place, key, text);
    if (key === null && isKeyed) throw keyMissing(place);
    if (this.#options.isShared !== true) await this.#requireWitness(place);
  }

  async #hasSealed(threadId: ThreadId): Promise<boolean> {
    const found = await unlessCode("THREAD_ARCHIVED", () =>
      unlessCode("CONTENT_ERASED", () => this.#newestOf(threadId)),
    );
    // It is not known here whether something in a segment is sealed, and most likely it is.
    if (found !== "CONTENT_ERASED") return found !== null;
    const { text, isKeyed } = await this.#journaled(threadId);
    return text !== null || isKeyed;
  }

  /**
   * Checks that a key store opens something of the store's oldest sealed threads: one that does not is not the one that
   * sealed them. Unencrypted threads prove nothing, however many they are, so all are walked until one is sealed: once
   * per process, because what opened is remembered.
   */
  async #requireWitness(place: SealedPlace): Promise<void> {
    if (this.#witness !== undefined && (await opens(this.#witness.place, this.#witness.text))) return;
    let strangers = 0;
    for await (const { threadId, text } of this.#threads()) {
      if (threadId === place.threadId || text === null) continue;
      const other = this.#placeOf(threadId);
      // A key store that knows of an erasure in this store is as good a proof as a key.
      if (await other.keys.isShredded(other.subject)) return;
      if (text === "unreadable") continue;
      if (await opens(other, text)) {
        this.#witness = { place: other, text };
        return;
      }
      if (++strangers === WITNESSES) break;
    }
    if (strangers > 0) throw foreignKeys(place);
  }

  /**
   * Yields all threads with something sealed in each: its newest entry, or, for a thread without entries, what is kept
   * with it.
   */
  async *#threads(): AsyncIterable<{
    readonly threadId: ThreadId;
    readonly text: SealedText | "unreadable" | null;
  }> {
    const listed = new Set<ThreadId>();
    for await (const { threadId, version } of listedThreads(this.#store)) {
      listed.add(threadId);
      yield { threadId, text: await readable(() => this.#sealedAt(threadId, version)) };
    }
    for await (const threadId of inspectorOf(this.#store).threadIds())
      if (!listed.has(threadId)) yield { threadId, text: await readable(() => this.#besideThread(threadId)) };
  }

  /** Returns the newest sealed text of a thread, which also reveals a missing rotated key. */
  async #newestOf(threadId: ThreadId): Promise<SealedText | null> {
    return newestSealed(await this.#entriesOf(threadId)) ?? (await this.#besideThread(threadId));
  }

  /** Checks whether a key sealed any of the newest texts of a thread. */
  async #isSealedUnder(place: SealedPlace, key: SubjectKey): Promise<boolean> {
    const texts = (await this.#entriesOf(place.threadId)).slice(-WITNESSES).map(sealedTextOf);
    for (const text of [...texts, await this.#besideThread(place.threadId)])
      if (text !== null && (await opens(place, text, async (version) => (version === key.version ? key : null))))
        return true;
    return false;
  }

  /** Returns the entries of a thread that a resumed session holds, or all of them. */
  async #entriesOf(threadId: ThreadId): Promise<readonly ThreadEntry[]> {
    const resumed = await this.#store.ranges?.resume(threadId);
    if (resumed !== null && resumed !== undefined)
      return [...resumed.thread.entriesInMemory()].map(({ entry }) => entry);
    return [...((await this.#store.threads.load(threadId))?.entries ?? [])];
  }

  async #besideThread(threadId: ThreadId): Promise<SealedText | null> {
    const { artifacts } = this.#store;
    for (const artifactId of (await artifacts.list(threadId)).toReversed()) {
      const artifact = await artifacts.retrieve(artifactId);
      if (artifact === null || !isEnvelope(artifact.content)) continue;
      return { kind: "artifact", id: JSON.stringify(artifact.metadata.tenantId), envelope: artifact.content };
    }
    return (await this.#journaled(threadId)).text;
  }

  /** Returns a sealed text of a thread's journal, which no erasure empties, and whether a key made any digest there. */
  async #journaled(threadId: ThreadId): Promise<{ readonly text: SealedText | null; readonly isKeyed: boolean }> {
    let isKeyed = false;
    for (const { record } of await this.#store.journal.read(threadId, { limit: JOURNALED })) {
      if (record.type === "request-rendered" && isEnvelope(record.payloadDigest))
        return { text: { kind: "request", id: "", envelope: record.payloadDigest }, isKeyed };
      isKeyed ||= Object.values(record).some(isKeyedDigest);
    }
    return { text: null, isKeyed };
  }

  async #sealedAt(threadId: ThreadId, version: number): Promise<SealedText | null> {
    const { ranges, threads } = this.#store;
    const range = { fromVersion: version - 1, toVersion: version };
    return newestSealed(
      (await ranges?.loadRange(threadId, range)) ?? [...((await threads.load(threadId))?.entries ?? [])],
    );
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(["CONTENT_ERASED", "STORE_CORRUPT", "THREAD_ARCHIVED"]);

/** Reads from another thread, whose damage is no reason to refuse this one. */
async function readable<Found>(read: () => Promise<Found>): Promise<Found | "unreadable"> {
  try {
    return await read();
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && UNREADABLE.has(error.code)) return "unreadable";
    throw error;
  }
}

/** Returns what was read, or the error's code when reading failed with that one. */
async function unlessCode<Found, Code extends ErrorCode>(
  code: Code,
  read: () => Promise<Found>,
): Promise<Found | Code> {
  try {
    return await read();
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === code) return code;
    throw error;
  }
}

function newestSealed(entries: readonly ThreadEntry[]): SealedText | null {
  const newest = entries.at(-1);
  return newest === undefined ? null : sealedTextOf(newest);
}

/** Checks whether the keys of a place, or one of them, open a sealed text there. */
async function opens(
  place: SealedPlace,
  { kind, id, formerId, envelope }: SealedText,
  keyOf = (version: number) => place.keys.get(place.subject, version),
): Promise<boolean> {
  const isBoundTo = (to: string): Promise<boolean> => isSealedWith(keyOf, contextIn(place, kind, to), envelope);
  return (await isBoundTo(id)) || (formerId !== undefined && (await isBoundTo(formerId)));
}

async function requireOpens(place: SealedPlace, newest: SubjectKey | null, text: SealedText): Promise<void> {
  if (newest === null) throw keyMissing(place);
  if (!(await opens(place, text))) throw otherKeys(place);
}

const AWAY =
  "Mount or restore the place where the keys are kept, or pass the key store that sealed this store. Nothing was written.";

const keyMissing = ({ subject, threadId }: SealedPlace): ThreadfoldError =>
  new ThreadfoldError(
    "KEY_MISSING",
    `The key for the subject of thread ${threadId} is missing, but content is sealed with it.`,
    { details: { subject, threadId }, hint: AWAY },
  );

const otherKeys = ({ subject, threadId }: SealedPlace): ThreadfoldError =>
  new ThreadfoldError("KEY_MISMATCH", `The available keys are not the ones that sealed thread ${threadId}.`, {
    details: { subject, threadId },
    hint: AWAY,
  });

const foreignKeys = ({ subject, threadId }: SealedPlace): ThreadfoldError =>
  new ThreadfoldError(
    "KEY_MISMATCH",
    `The available keys open nothing that the store holds, so thread ${threadId} is not sealed with them.`,
    { details: { subject, threadId }, hint: `${AWAY} If several key stores share one store, say so with isShared.` },
  );

/** Creates the sealers of a store's threads. */
export class Sealers {
  readonly #placeOf: PlaceOf;
  readonly #guard: KeyGuard;

  constructor(placeOf: PlaceOf, guard: KeyGuard) {
    this.#placeOf = placeOf;
    this.#guard = guard;
  }

  /** Returns a sealer for sealing. @throws ThreadfoldError `CONTENT_ERASED`, `KEY_MISSING` or `KEY_MISMATCH`. */
  async toSeal(threadId: ThreadId): Promise<Sealer> {
    return (await this.toSealFirst(threadId)).sealer;
  }

  /** Returns the same, and whether nothing of the thread was sealed before. */
  async toSealFirst(threadId: ThreadId): Promise<{ readonly sealer: Sealer; readonly isFirst: boolean }> {
    const { key, isFirst } = await this.#guard.sealingKey(threadId);
    return { sealer: new Sealer(this.#placeOf(threadId), key), isFirst };
  }

  /** Returns a sealer for opening. @throws ThreadfoldError `CONTENT_ERASED` when the subject was erased. */
  async toOpen(threadId: ThreadId): Promise<Sealer> {
    if (await this.isShredded(threadId)) throw contentErased();
    return new Sealer(this.#placeOf(threadId), null, {
      opened: (key) => this.#guard.opened(threadId, key),
      refused: (key) => this.#guard.whyRefused(threadId, key),
    });
  }

  isShredded(threadId: ThreadId): Promise<boolean> {
    const { keys, subject } = this.#placeOf(threadId);
    return keys.isShredded(subject);
  }
}
