import { createHash } from "node:crypto";
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
import { closedStoreError, systemClock } from "./store-basics.ts";

/**
 * Named bytes that never change, but for what is taken away as a whole: what a folder of files and a bucket of S3 have in
 * common. Keys are parts of lower-case letters, digits, `_`, `-` and `.`, joined by `/`; they are made from digests and
 * never from anybody's text.
 */
export interface ObjectFolder {
  /** Puts bytes under a key, whole or not at all. Returns false when something is there already; that then stays. */
  putNew(key: string, bytes: Uint8Array): Promise<boolean>;
  /** The bytes under a key, or null. */
  get(key: string): Promise<Uint8Array | null>;
  /** Takes away what is under a key. Nothing may be there. */
  remove(key: string): Promise<void>;
  /** The keys that begin with a prefix that ends in `/`, in the order of their characters. */
  list(prefix: string): Promise<readonly string[]>;
  /** What stands behind a prefix that ends in `/`, up to the next `/`, in keys that have one there: each once. */
  folders(prefix: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Puts bytes under a key of their own, and reads them back. @throws ThreadfoldError `STORE_UNAVAILABLE` when they do not come. */
export async function putAndRead(folder: ObjectFolder, key: string, bytes: Uint8Array): Promise<void> {
  // A service may say that they are there already when it lost the answer to the first try.
  await folder.putNew(key, bytes);
  const found = await folder.get(key);
  if (found !== null && Buffer.from(bytes).equals(found)) return;
  throw new ThreadfoldError("STORE_UNAVAILABLE", `The folder or bucket does not give back what was put at ${key}.`, {
    hint: "Take another one. Nothing was removed.",
    details: { key },
  });
}

/** How artifacts in a folder or bucket are opened. */
export interface ObjectArtifactsOptions {
  /** Says what time it is, for expiry and order. The machine's clock by default. */
  readonly clock?: Clock;
  /** Whose artifacts these are; another tenant's are under other keys. Null by default. */
  readonly tenantId?: string | null;
}

/** Artifacts that are kept apart from the rest of a store, and have to be closed by themselves. */
export interface ClosableArtifacts extends ArtifactStore {
  close(): Promise<void>;
}

/** Artifacts that say of which threads they are. */
export interface ListedArtifacts {
  /** The threads of which there is an artifact that may be read, but for those that are known; none of these is looked at. */
  threadIds(known: ReadonlySet<ThreadId>): AsyncIterable<ThreadId>;
}

/** Records of a thread that are read at the same time. */
const AT_A_TIME = 16;

/**
 * Artifacts as objects that never change. Content comes first and its metadata last, so that whatever is found is whole;
 * when metadata is renewed, a next version of it is added, and of two who do so at once one begins again.
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
    // Taken before anything is awaited, so that what is stored first in this process also comes first.
    const place = this.#nextPlace(metadata.threadId, artifactId);
    await this.#putContent(artifactId, Buffer.from(content));
    while (!(await this.#addRecord(artifactId, metadata, place)));
    return artifactId;
  }

  async #putContent(artifactId: ArtifactId, content: Buffer): Promise<void> {
    const key = this.#keys.content(artifactId);
    const isNew = await this.#folder.putNew(key, content);
    // What is there already is kept, so it has to be what would have been put; and what is new is acknowledged when it is there.
    if (await this.#holds(key, content)) return;
    throw isNew
      ? notKept("content", artifactId)
      : corrupt(`Artifact ${artifactId} is there with other content, so it was not stored.`, artifactId);
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

  /** The thread whose artifacts have their places under a key. The key does not say; metadata does. */
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

  /** Adds what holds from now on, if that differs. False when another writer was faster, so that it has to be merged again. */
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
    // By now the faster writer's version is found. If something else took the key, this would repeat for ever.
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
      throw corrupt(`Something that is not a record lies among those of artifact ${artifactId}.`, artifactId);
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
    // What it says instead may be anything, so nothing of it is repeated.
  }
  throw corrupt(`The metadata of artifact ${artifactId} cannot be read.`, artifactId);
}

const corrupt = (message: string, artifactId: ArtifactId): ThreadfoldError =>
  new ThreadfoldError("STORE_CORRUPT", message, { details: { artifactId } });

const EMPTY = Buffer.alloc(0);

const notKept = (what: string, artifactId: ArtifactId): ThreadfoldError =>
  corrupt(`The ${what} of artifact ${artifactId} was taken and is not there as it was given.`, artifactId);

/** Where things of one tenant are kept. Whose they are and of which thread is not to be read off a key. */
interface ArtifactKeys {
  /** The content's bytes. */
  content(artifactId: ArtifactId): string;
  /** What holds the versions of an artifact's metadata. */
  records(artifactId: ArtifactId): string;
  /** One version of an artifact's metadata, from 1. */
  record(artifactId: ArtifactId, version: number): string;
  /** What holds the places of all threads' artifacts. */
  readonly threads: string;
  /** What holds the places of a thread's artifacts. */
  places(threadId: ThreadId): string;
  /** An artifact's place among those of its thread: by time, then by a count. */
  place(threadId: ThreadId, atMs: number, count: number, artifactId: ArtifactId): string;
}

/** The keys of one tenant's artifacts. */
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

/** The artifact whose place a key is. */
const artifactOfPlace = (key: string): ArtifactId => key.slice(key.lastIndexOf("-") + 1) as ArtifactId;

const ARTIFACT_ID = /^artifact_[0-9a-f]{24}$/;

/** True for ids that an artifact can have; all others name nothing, whatever path they would make. */
const isArtifactId = (id: string): boolean => ARTIFACT_ID.test(id);

const digest = (value: readonly (string | null)[]): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

const padded = (number: number, digits: number): string => String(Math.max(0, number)).padStart(digits, "0");
