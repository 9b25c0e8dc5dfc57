import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  artifactIdOf,
  type Clock,
  canonicalJson,
  type SecurityContext,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { admitArtifact, isOfType, isReadable, mergeMetadata } from "./artifacts.ts";
import { nodeCrypto } from "./on-demand.ts";
import { closedStoreError, systemClock } from "./store-basics.ts";

/**
 * Named bytes that never change and can only be removed as a whole: what a folder of files and an S3 bucket have in
 * common. Keys are parts of lower-case letters, digits, `_`, `-` and `.`, joined by `/`; they are made from digests and
 * never from anybody's text.
 */
export interface ObjectFolder {
  /** Stores bytes under a key, completely or not at all. Returns false, and changes nothing, when the key exists. */
  putNew(key: string, bytes: Uint8Array): Promise<boolean>;
  /** The bytes under a key, or null. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what is under a key, if anything. */
  remove(key: string): Promise<void>;
  /** The keys that begin with a prefix ending in `/`, in character order. */
  list(prefix: string): Promise<readonly string[]>;
  /** The path segments that directly follow a prefix ending in `/`, up to the next `/`, each once. */
  folders(prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Stores bytes under a new key and reads them back. @throws ThreadfoldError `STORE_UNAVAILABLE` when they differ. */
export async function putAndRead(folder: ObjectFolder, key: string, bytes: Uint8Array): Promise<void> {
  // A service may report that the key already exists if it lost the response to the first try.
  await folder.putNew(key, bytes);
  const found = await folder.get(key);
  if (found !== null && Buffer.from(bytes).equals(found)) return;
  throw new ThreadfoldError("STORE_UNAVAILABLE", `The folder or bucket does not return what was stored at ${key}.`, {
    hint: "Use another one. Nothing was removed.",
    details: { key },
  });
}

/** Options for opening artifacts in a folder or bucket. */
export interface ObjectArtifactsOptions {
  /** Supplies the time, for expiry and order. The machine's clock by default. */
  readonly clock?: Clock;
  /** The tenant whose artifacts these are; those of other tenants are under other keys. Null by default. */
  readonly tenantId?: string | null;
}

/** Artifacts that are kept apart from the rest of a store, and must be closed separately. */
export interface ClosableArtifacts extends ArtifactStore {
  close(): Promise<void>;
}

/** Artifacts that can list the threads they belong to. */
export interface ListedArtifacts {
  /** The threads with at least one readable artifact, except the known ones, whose artifacts are not looked at. */
  threadIds(known: ReadonlySet<ThreadId>): AsyncIterable<ThreadId>;
}

/** Number of a thread's artifacts whose metadata is read concurrently. */
const AT_A_TIME = 16;

/**
 * Stores artifacts as objects that never change. Content is written first and its metadata last, so whatever is found
 * is complete. Renewing metadata adds its next version, and when two writers do so at once, one of them starts over.
 */
export class ObjectArtifacts implements ClosableArtifacts, ListedArtifacts {
  readonly #folder: ObjectFolder;
  readonly #clock: Clock;
  readonly #keys: ArtifactKeys;
  #newestMs = 0;
  #count = 0;
  #closed = false;

  constructor(folder: ObjectFolder, { clock = systemClock, tenantId = null }: ObjectArtifactsOptions) {
    this.#folder = folder;
    this.#clock = clock;
    this.#keys = artifactKeys(tenantId);
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    this.#requireOpen();
    const metadata = admitArtifact(content, given);
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    // Taken before the first await, so that what is stored first in this process is also listed first.
    const place = this.#nextPlace(metadata.threadId, artifactId);
    await this.#putContent(artifactId, Buffer.from(content));
    while (!(await this.#addRecord(artifactId, metadata, place)));
    return artifactId;
  }

  async #putContent(artifactId: ArtifactId, content: Buffer): Promise<void> {
    const key = this.#keys.content(artifactId);
    const isNew = await this.#folder.putNew(key, content);
    // Existing bytes are kept, so they must equal the new ones; new ones are acknowledged only once they can be read
    // back.
    if (await this.#holds(key, content)) return;
    throw isNew
      ? notKept("content", artifactId)
      : corrupt(`Artifact ${artifactId} already exists with different content, so it was not stored.`, artifactId);
  }

  async #holds(key: string, expected: Buffer): Promise<boolean> {
    const bytes = await this.#folder.get(key);
    return bytes !== null && expected.equals(bytes);
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    this.#requireOpen();
    const metadata = (await this.#newest(artifactId))?.metadata;
    return metadata !== undefined && isReadable(metadata, this.#clock.now(), requester) ? metadata : null;
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    const metadata = await this.getMetadata(artifactId, requester);
    if (metadata === null) return null;
    const bytes = await this.#folder.get(this.#keys.content(artifactId));
    const content = bytes === null ? null : Buffer.from(bytes).toString("utf8");
    if (content === null || artifactIdOf(metadata.threadId, metadata.tenantId, content) !== artifactId) {
      throw corrupt(`The content of artifact ${artifactId} is not what was stored.`, artifactId);
    }
    return Object.freeze({ artifactId, content, metadata });
  }

  async list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]> {
    this.#requireOpen();
    const places = await this.#folder.list(this.#keys.places(threadId));
    const ids = [...new Set(places.map(artifactOfPlace))];
    const readable: ArtifactId[] = [];
    for (let start = 0; start < ids.length; start += AT_A_TIME) {
      const some = ids.slice(start, start + AT_A_TIME);
      const found = await Promise.all(some.map((id) => this.getMetadata(id, requester)));
      readable.push(...some.filter((_, index) => isOfType(found[index], mediaType)));
    }
    return Object.freeze(readable);
  }

  async *threadIds(known: ReadonlySet<ThreadId>): AsyncIterable<ThreadId> {
    this.#requireOpen();
    const all = this.#keys.threads;
    const passed = new Set([...known].map((threadId) => this.#keys.places(threadId)));
    for (const name of await this.#folder.folders(all)) {
      const places = `${all}${name}/`;
      const threadId = passed.has(places) ? undefined : await this.#threadOf(places);
      if (threadId !== undefined) yield threadId;
    }
  }

  /** Returns the thread whose artifact places are under a key. The key does not reveal it; metadata does. */
  async #threadOf(places: string): Promise<ThreadId | undefined> {
    for (const place of await this.#folder.list(places)) {
      const metadata = await this.getMetadata(artifactOfPlace(place));
      if (metadata !== null) return metadata.threadId;
    }
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#folder.close();
  }

  /**
   * Adds the merged metadata if it differs. Returns false when another writer was faster and it must be merged again.
   */
  async #addRecord(artifactId: ArtifactId, metadata: ArtifactMetadata, place: string): Promise<boolean> {
    const known = await this.#newest(artifactId);
    const merged = known === null ? metadata : mergeMetadata(known.metadata, metadata);
    const record = canonicalJson(merged);
    if (known !== null && record === canonicalJson(known.metadata)) return true;
    if (known === null && (await this.#folder.putNew(place, EMPTY)) && !(await this.#holds(place, EMPTY)))
      throw notKept("place", artifactId);
    const version = known?.version ?? 0;
    const [key, bytes] = [this.#keys.record(artifactId, version + 1), Buffer.from(record)];
    if (await this.#folder.putNew(key, bytes)) {
      if (await this.#holds(key, bytes)) return true;
      throw notKept("metadata", artifactId);
    }
    // By now the faster writer's version can be found. If something else took the key, this would repeat forever.
    if (((await this.#newest(artifactId))?.version ?? 0) > version) return false;
    throw corrupt(`Version ${version + 1} of the metadata of artifact ${artifactId} is not a record.`, artifactId);
  }

  /** The newest version of an artifact's metadata. */
  async #newest(
    artifactId: ArtifactId,
  ): Promise<{ readonly version: number; readonly metadata: ArtifactMetadata } | null> {
    if (!isArtifactId(artifactId)) return null;
    const key = (await this.#folder.list(this.#keys.records(artifactId))).at(-1);
    const bytes = key === undefined ? null : await this.#folder.get(key);
    if (key === undefined || bytes === null) return null;
    const version = Number(key.slice(key.lastIndexOf("/") + 1));
    if (!Number.isSafeInteger(version) || version < 1)
      throw corrupt(`Artifact ${artifactId} has a metadata object that is not a record.`, artifactId);
    return { version, metadata: parseRecord(artifactId, Buffer.from(bytes).toString("utf8")) };
  }

  #nextPlace(threadId: ThreadId, artifactId: ArtifactId): string {
    this.#newestMs = Math.max(this.#newestMs, this.#clock.now());
    return this.#keys.place(threadId, this.#newestMs, this.#count++, artifactId);
  }

  #requireOpen(): void {
    if (this.#closed) throw closedStoreError();
  }
}

function parseRecord(artifactId: ArtifactId, text: string): ArtifactMetadata {
  try {
    const { bytes, ...given } = JSON.parse(text) as ArtifactMetadata;
    const metadata = admitArtifact("", given);
    if (Number.isSafeInteger(bytes) && bytes >= 0) return Object.freeze({ ...metadata, bytes });
  } catch {
    // The text may contain anything, so the error does not quote it.
  }
  throw corrupt(`The metadata of artifact ${artifactId} cannot be read.`, artifactId);
}

const corrupt = (message: string, artifactId: ArtifactId): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", message, { details: { artifactId } });

const EMPTY = Buffer.alloc(0);

const notKept = (what: string, artifactId: ArtifactId): ThreadfoldError =>
  corrupt(`The ${what} of artifact ${artifactId} was accepted but does not read back as written.`, artifactId);

/** The keys of one tenant's artifacts. A key does not reveal the tenant or the thread. */
interface ArtifactKeys {
  /** Key of the content's bytes. */
  content(artifactId: ArtifactId): string;
  /** Prefix of the versions of an artifact's metadata. */
  records(artifactId: ArtifactId): string;
  /** Key of one version of an artifact's metadata, from 1. */
  record(artifactId: ArtifactId, version: number): string;
  /** Prefix of the places of all threads' artifacts. */
  readonly threads: string;
  /** Prefix of the places of a thread's artifacts. */
  places(threadId: ThreadId): string;
  /** Key of an artifact's place among those of its thread: ordered by time, then by a count. */
  place(threadId: ThreadId, atMs: number, count: number, artifactId: ArtifactId): string;
}

/** Returns the keys of one tenant's artifacts. */
function artifactKeys(tenantId: string | null): ArtifactKeys {
  const tenant = digest(["tenant", tenantId]);
  const fan = (artifactId: ArtifactId): string => `${artifactId.slice(-2)}/${artifactId}`;
  const records = (artifactId: ArtifactId): string => `${tenant}/records/${fan(artifactId)}/`;
  const threads = `${tenant}/threads/`;
  const places = (threadId: ThreadId): string => `${threads}${digest(["thread", threadId])}/`;
  return {
    threads,
    content: (artifactId) => `${tenant}/contents/${fan(artifactId)}`,
    records,
    record: (artifactId, version) => `${records(artifactId)}${padded(version, 10)}`,
    places,
    place: (threadId, atMs, count, artifactId) =>
      `${places(threadId)}${padded(Math.trunc(atMs), 16)}-${padded(count, 8)}-${artifactId}`,
  };
}

/** Returns the artifact that a place belongs to. */
const artifactOfPlace = (key: string): ArtifactId => key.slice(key.lastIndexOf("-") + 1) as ArtifactId;

const ARTIFACT_ID = /^artifact_[0-9a-f]{24}$/;

/** Checks whether an id has the form of an artifact id; any other names nothing, whatever path it would make. */
const isArtifactId = (id: string): boolean => ARTIFACT_ID.test(id);

const digest = (value: readonly (string | null)[]): string =>
  nodeCrypto().createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

const padded = (number: number, digits: number): string => String(Math.max(0, number)).padStart(digits, "0");
