import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  type AuditJournal,
  freezeDeep,
  type JournalEntry,
  type JournalRecord,
  type KeyStore,
  type RequestRenderedRecord,
  type SecurityContext,
  type SummaryCacheStore,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { type ArchivableStore, isArchivable } from "../audit/segment.ts";
import type { ErasableStore, StoreEraser } from "../erasure/erase-subject.ts";
import { type InspectableStore, inspectorOf, type StoreInspector } from "../inspection/inspector.ts";
import { admitArtifact } from "../shared/artifacts.ts";
import { asKeyedDigest } from "../shared/journal.ts";
import { checkThreadId } from "../shared/store-basics.ts";
import { EncryptedPlans } from "./encrypted-plans.ts";
import { clearParts, EncryptedRanges, EncryptedThreads } from "./encrypted-threads.ts";
import { KeyGuard, Sealers } from "./key-guard.ts";
import { envelopeContentBytes, isEnvelope } from "./sealed-envelope.ts";
import { type EncryptionOptions, type PlaceOf, Sealer, sealedPlaces } from "./sealer.ts";

/**
 * Returns a store that keeps nothing that anybody said in the clear: entries, pins, plans with their summaries,
 * artifacts and digests of requests are sealed before they reach the inner store. Ids, roles, times, versions, token
 * figures and lengths stay readable. Hashes are over what is stored, so the chains verify without any key, even after
 * one is destroyed; `inspector` shows what is stored.
 *
 * It can be written to only with the keys that sealed its content: when they are missing, a write is refused with
 * `KEY_MISSING` or `KEY_MISMATCH` before anything is stored, and no new key is created. The inner store refuses entries,
 * plans and artifacts in the clear for a thread that began sealed; only artifacts that are kept elsewhere, in a folder
 * or a bucket, know nothing of their thread. Reading without the right keys fails with the same codes; `UNSEAL_FAILED`
 * means that content was altered, or moved from another place.
 *
 * A sealed store has no word index: search runs in memory over opened content. Closing it closes the inner store, but
 * not the keys.
 */
export function encryptedStore(
  store: ThreadfoldStore,
  keys: KeyStore,
  options: EncryptionOptions = {},
): InspectableStore & ErasableStore & Partial<ArchivableStore> {
  const placeOf = sealedPlaces(keys, options);
  const guard = new KeyGuard(store, placeOf, options);
  const sealers = new Sealers(placeOf, guard);
  const inspector = inspectorOf(store);
  const { subjectOf = String } = options;
  const threads = new EncryptedThreads(store.threads, sealers);
  const ranges = store.ranges && new EncryptedRanges(store.ranges, store.plans, sealers);
  return Object.freeze({
    threads,
    plans: new EncryptedPlans(store.plans, { threads, ranges }, sealers),
    ...(ranges !== undefined && { ranges }),
    artifacts: new EncryptedArtifacts(store.artifacts, sealers),
    journal: new EncryptedJournal(store.journal, sealers),
    inspector,
    eraser: new KeyEraser(placeOf, subjectOf, guard, inspector, store),
    // Rows move in their stored form, so that sealed content stays sealed.
    ...(isArchivable(store) && { archiver: store.archiver }),
    close: () => store.close(),
  });
}

/**
 * Artifacts whose content is sealed, each under its own key. Their ids are those of what is stored, so an id confirms
 * no guess of the content; storing the same content again still yields the same id.
 */
class EncryptedArtifacts implements ArtifactStore {
  readonly #inner: ArtifactStore;
  readonly #sealers: Sealers;

  constructor(inner: ArtifactStore, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const sealer = await this.#sealers.toSeal(metadata.threadId);
    return this.#inner.store(sealer.seal("artifact", owner(metadata), content), given);
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    const metadata = await this.#inner.getMetadata(artifactId, requester);
    return metadata === null ? null : opened(metadata);
  }

  /** @throws ThreadfoldError `CONTENT_ERASED` for requesters that could otherwise read it, `UNSEAL_FAILED`. */
  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    const artifact = await this.#inner.retrieve(artifactId, requester);
    if (artifact === null) return null;
    const sealer = await this.#sealers.toOpen(artifact.metadata.threadId);
    const content = await sealer.open("artifact", owner(artifact.metadata), artifact.content);
    return Object.freeze({ artifactId, content, metadata: opened(artifact.metadata) });
  }

  list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]> {
    return this.#inner.list(threadId, requester, mediaType);
  }
}

/** The artifact's own tenant is sealed with it, in addition to the store's. */
const owner = ({ tenantId }: ArtifactMetadata): string => JSON.stringify(tenantId);

const opened = (metadata: ArtifactMetadata): ArtifactMetadata =>
  Object.freeze({ ...metadata, bytes: envelopeContentBytes(metadata.bytes) });

/**
 * A journal without bare digests of plain content, which would let anybody confirm a guess of it, even after it was
 * erased. Digests of threads, plans and diffs are kept under the subject's key; those of requests and their prefixes
 * are sealed, because a replay needs them back. Hashes are over what is stored: a request's entry that was opened for
 * reading does not match its own hash, and `verifyStore` checks what is stored.
 */
class EncryptedJournal implements AuditJournal {
  readonly #inner: AuditJournal;
  readonly #sealers: Sealers;

  constructor(inner: AuditJournal, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    const entry = await this.#inner.append(threadId, await this.#sealed(threadId, record), at);
    return this.#opened(threadId, entry);
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const entries = await this.#inner.read(threadId, options);
    return Object.freeze(await Promise.all(entries.map((entry) => this.#opened(threadId, entry))));
  }

  /** Only records with digests need a key, so that an erasure can be recorded after the key is gone. */
  async #sealed(threadId: ThreadId, record: JournalRecord): Promise<JournalRecord> {
    const toSeal = (): Promise<Sealer> => this.#sealers.toSeal(threadId);
    switch (record.type) {
      case "entries-appended":
        return { ...record, threadDigest: asKeyedDigest((await toSeal()).digest(record.threadDigest)) };
      case "plan-committed": {
        const sealer = await toSeal();
        const { planId, diffDigest } = record;
        return {
          ...record,
          planId: asKeyedDigest(sealer.digest(planId)),
          diffDigest: asKeyedDigest(sealer.digest(diffDigest)),
        };
      }
      case "request-rendered": {
        const sealer = await toSeal();
        const payloadDigest = sealer.seal("request", "", record.payloadDigest);
        return withPrefixes({ ...record, payloadDigest }, (digest) => sealer.seal("prefix", "", digest));
      }
      default:
        return record;
    }
  }

  async #opened(threadId: ThreadId, entry: JournalEntry): Promise<JournalEntry> {
    const { record } = entry;
    if (record.type !== "request-rendered" || !isEnvelope(record.payloadDigest)) return entry;
    try {
      const sealer = await this.#sealers.toOpen(threadId);
      const payloadDigest = await sealer.open("request", "", record.payloadDigest);
      const opened = new Map<string, string>();
      // Digests recorded before prefixes were sealed are kept unchanged.
      for (const { digest } of record.cache?.prefixes ?? [])
        opened.set(digest, isEnvelope(digest) ? await sealer.open("prefix", "", digest) : digest);
      const whole = withPrefixes({ ...record, payloadDigest }, (digest) => opened.get(digest) ?? digest);
      return freezeDeep({ ...entry, record: whole });
    } catch (error) {
      // For an erased thread, the record stays as proof, still sealed.
      if (ThreadfoldError.isInstance(error) && error.code === "CONTENT_ERASED") return entry;
      throw error;
    }
  }
}

/** Returns a request with its prefix digests replaced: equal ones stay equal, which is all that a bill needs. */
function withPrefixes(record: RequestRenderedRecord, digestOf: (digest: string) => string): RequestRenderedRecord {
  const { cache } = record;
  if (cache === undefined) return record;
  const prefixes = cache.prefixes.map((prefix) => ({ ...prefix, digest: digestOf(prefix.digest) }));
  return { ...record, cache: { ...cache, prefixes } };
}

/** Erases by destroying a subject's key, after which what it sealed is noise, wherever there are copies of it. */
class KeyEraser implements StoreEraser {
  readonly #placeOf: PlaceOf;
  readonly #subjectOf: (threadId: ThreadId) => string;
  readonly #guard: KeyGuard;
  readonly #inspector: StoreInspector;
  readonly #inner: Partial<ErasableStore>;

  constructor(
    placeOf: PlaceOf,
    subjectOf: (threadId: ThreadId) => string,
    guard: KeyGuard,
    inspector: StoreInspector,
    inner: Partial<ErasableStore>,
  ) {
    this.#placeOf = placeOf;
    this.#subjectOf = subjectOf;
    this.#guard = guard;
    this.#inspector = inspector;
    this.#inner = inner;
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const found: ThreadId[] = [];
    for await (const threadId of this.#inspector.threadIds())
      if (this.#subjectOf(threadId) === subject) found.push(threadId);
    return found;
  }

  subjectOf(threadId: ThreadId): string {
    return this.#subjectOf(threadId);
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    const { keys, subject } = this.#placeOf(threadId);
    return keys.isShredded(subject);
  }

  async requireErasable(subject: string): Promise<void> {
    // Destroying a key that is missing, somebody else's, or does not seal all would only look like an erasure.
    for (const threadId of await this.threadsOf(subject)) {
      const clear = await clearParts(this.#inspector, threadId);
      if (clear.length > 0) throw notErasedByKey(threadId, clear);
      await this.#guard.requireKeys(threadId);
    }
  }

  async erase(subject: string): Promise<boolean> {
    const [threadId] = await this.threadsOf(subject);
    if (threadId === undefined) return false;
    await this.requireErasable(subject);
    const { keys, subject: name } = this.#placeOf(threadId);
    await keys.shred(name);
    return true;
  }

  async sweep(nowMs: number): Promise<number> {
    return (await this.#inner.eraser?.sweep(nowMs)) ?? 0;
  }
}

/** The error for an erasure by key that would leave something in the clear. */
const notErasedByKey = (threadId: ThreadId, clear: readonly string[]): ThreadfoldError =>
  new ThreadfoldError(
    "UNSEAL_FAILED",
    `Thread ${threadId} is stored in the clear, at least in part (${clear.join(", ")}): no key takes that with it.`,
    {
      hint: "Nothing was erased. First erase the thread in the store opened without keys, which empties all of it; objects in a folder or bucket have to be deleted there. Then, if part of it is sealed, erase it again with the keys, which destroys them.",
      details: { threadId, clear },
    },
  );

/**
 * Returns a summary cache whose entries are sealed with the key of a thread's subject, under names derived from that
 * key: threads of one subject share what they cached, and an erasure covers it without searching the cache. What cannot
 * be opened is a miss. It creates no keys: without a thread, or for a subject that has no key or no longer has one,
 * everything is a miss and nothing is kept.
 */
export function sealedSummaries(
  cache: SummaryCacheStore,
  keys: KeyStore,
  options: EncryptionOptions = {},
): SummaryCacheStore {
  const placeOf = sealedPlaces(keys, options);
  const ownerOf = (threadId: ThreadId): ThreadId => placeOf(threadId).subject as ThreadId;
  const sealing = async (threadId: ThreadId | undefined) => {
    if (threadId === undefined) return null;
    const owner = ownerOf(threadId);
    const place = placeOf(threadId);
    const key = await place.keys.get(owner);
    return key && { owner, sealer: new Sealer({ ...place, threadId: owner }, key) };
  };
  const { forget } = cache;
  return {
    async get(key, threadId) {
      const found = await sealing(threadId);
      if (found === null) return null;
      const name = found.sealer.digest(key);
      const entry = await cache.get(name, found.owner);
      return entry === null ? null : openedSummary(found.sealer, name, entry);
    },
    async set(key, entry, threadId) {
      const found = await sealing(threadId);
      if (found === null) return;
      const name = found.sealer.digest(key);
      await cache.set(name, found.sealer.seal("summary", name, entry), found.owner);
    },
    ...(forget !== undefined && { forget: (threadId: ThreadId) => forget.call(cache, ownerOf(threadId)) }),
  };
}

/** Does the same for a single thread, whoever calls: for hosts that pass a cache to their own summarizer. */
export function sealedSummaryCache(
  cache: SummaryCacheStore,
  keys: KeyStore,
  threadId: ThreadId,
  options: EncryptionOptions = {},
): SummaryCacheStore {
  const sealed = sealedSummaries(cache, keys, options);
  return {
    get: (key) => sealed.get(key, threadId),
    set: (key, entry) => sealed.set(key, entry, threadId),
    ...(sealed.forget !== undefined && { forget: sealed.forget }),
  };
}

async function openedSummary(sealer: Sealer, name: string, entry: string): Promise<string | null> {
  try {
    return await sealer.open("summary", name, entry);
  } catch (error) {
    if (ThreadfoldError.isInstance(error) && error.code === "UNSEAL_FAILED") return null;
    throw error;
  }
}
