import { resolve } from "node:path";
import {
  checkOptions,
  type KeyStore,
  type OptionKinds,
  type SummaryCacheStore,
  ThreadfoldError,
  type ThreadfoldStore,
} from "@threadfold/core";
import type { OpenSegments } from "./audit/segment.ts";
import { encryptedStore, sealedSummaries } from "./encryption/encrypted-store.ts";
import type { EncryptionOptions } from "./encryption/sealer.ts";
import type { ErasableStore } from "./erasure/erase-subject.ts";
import { unerasedSummaries } from "./erasure/refuse-erased.ts";
import { fileFolder, openFileArtifacts, prepareFolder } from "./filesystem/file-artifacts.ts";
import { type InspectableStore, isInspectable, portInspector, withThreadsOf } from "./inspection/inspector.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import type { PostgresStoreOptions } from "./postgres/postgres-store.ts";
import type { RedisSummaryCache, RedisSummaryCacheOptions } from "./redis/redis-summary-cache.ts";
import type { S3ArtifactsOptions } from "./s3/s3-artifacts.ts";
import type { ClosableArtifacts, ObjectFolder } from "./shared/object-artifacts.ts";
import { nodeFiles } from "./shared/on-demand.ts";
import { checkTextOption, type StoreOptions } from "./shared/store-basics.ts";

/** Options for opening a store, its artifacts and its summary cache. */
export interface OpenStoreOptions extends StoreOptions {
  /**
   * The tenant that the data belongs to in PostgreSQL, in a folder or bucket, and in Redis. A SQLite file and a memory
   * store do not support tenants: use one for each tenant.
   */
  readonly tenantId?: string | null;
  /** Keeps artifacts elsewhere: `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. */
  readonly artifacts?: string;
  /** Options that apply only to artifacts in a bucket. */
  readonly s3?: Pick<S3ArtifactsOptions, "client" | "requestTimeoutMs">;
  /**
   * Keeps summaries beyond this process: `redis://…` or `rediss://…`, and the secret that authenticates them. With
   * `encryption` they are sealed like everything else before they are sent there.
   */
  readonly summaryCache?: Omit<RedisSummaryCacheOptions, "tenantId" | "clock"> & { readonly address: string };
  /** Seals all content with keys that are kept separately; see `encryptedStore`. The tenant is `tenantId`. */
  readonly encryption?: Omit<EncryptionOptions, "tenantId"> & { readonly keys: KeyStore };
  /** Options that apply only to a PostgreSQL store. */
  readonly postgres?: Omit<PostgresStoreOptions, "tenantId" | "clock">;
}

/** A store, with a summary cache if one was requested. Closing it closes both. */
export interface OpenedStore extends ThreadfoldStore {
  readonly summaryCache?: SummaryCacheStore;
}

/**
 * Opens a store by its address: `memory:` for one that lives in this process, `sqlite:PATH` or a bare path for a SQLite
 * file, `postgres://…` for a PostgreSQL database. `sqlite:///folder/file` is read as an absolute path. Server drivers
 * are loaded on demand: install `pg`, `@aws-sdk/client-s3` or `ioredis`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an address of another kind, an option that does not apply to it, or a
 * driver that is not installed, and whatever the backend throws.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  // Otherwise a store that was to be sealed would be written in the clear.
  checkOptions("options", options, OPTIONS);
  const store = await openMain(url, options);
  const opened: { close(): Promise<void> }[] = [store];
  try {
    const artifacts = await openArtifacts(options);
    if (artifacts !== undefined) opened.push(artifacts);
    const whole = sealed(artifacts === undefined ? store : storeWithArtifacts(store, artifacts), options);
    const summaryCache = await openCache(options);
    return summaryCache === undefined ? whole : withCache(whole, summaryCache, options);
  } catch (error) {
    for (const part of opened) await part.close();
    throw error;
  }
}

/** Every option by name; the compiler ensures that none is missing. */
const OPTIONS: OptionKinds<OpenStoreOptions> = {
  clock: "clock",
  tenantId: "any",
  artifacts: "text",
  s3: "object",
  summaryCache: "object",
  encryption: "object",
  postgres: "object",
};

function sealed(store: ThreadfoldStore, { encryption, tenantId = null }: OpenStoreOptions): ThreadfoldStore {
  if (encryption === undefined) return store;
  const { keys, ...options } = encryption;
  return encryptedStore(store, keys, { ...options, tenantId });
}

async function openMain(url: string, options: OpenStoreOptions): Promise<ThreadfoldStore> {
  if (typeof url !== "string") throw unknownAddress("A store", "", STORE_ADDRESSES);
  const { clock, tenantId, postgres } = options;
  const common = clock === undefined ? {} : { clock };
  if (/^postgres(ql)?:\/\//i.test(url)) {
    const { openPostgresStore } = await import("./postgres/postgres-store.ts");
    return openPostgresStore(url, { ...postgres, ...common, ...(tenantId !== undefined && { tenantId }) });
  }
  if (postgres !== undefined)
    throw new ThreadfoldError("INVALID_CONFIG", "The postgres options apply only to a postgres://… store.");
  if (url === "memory:") return createMemoryStore(common);
  const path = sqlitePath(url);
  const { openSqliteStore } = await import("./sqlite/sqlite-store.ts");
  return openSqliteStore(path, common);
}

async function openArtifacts({
  artifacts,
  s3,
  tenantId = null,
  clock,
}: OpenStoreOptions): Promise<ClosableArtifacts | undefined> {
  if (s3 !== undefined && artifacts?.startsWith("s3://") !== true)
    throw new ThreadfoldError("INVALID_CONFIG", "The s3 options apply only to s3://… artifacts.");
  if (artifacts === undefined) return undefined;
  const options = { tenantId, ...(clock !== undefined && { clock }) };
  if (artifacts.startsWith("s3://")) {
    const { openS3Artifacts } = await import("./s3/s3-artifacts.ts");
    return openS3Artifacts(artifacts, { ...s3, ...options });
  }
  const path = artifacts.startsWith("file:") ? artifacts.slice("file:".length).replace(/^\/\//, "") : "";
  if (path !== "") return openFileArtifacts(path, options);
  throw unknownAddress("Artifacts", artifacts, "Use file:FOLDER or s3://bucket/prefix.");
}

async function openCache({
  summaryCache,
  tenantId = null,
  clock,
}: OpenStoreOptions): Promise<RedisSummaryCache | undefined> {
  if (summaryCache === undefined) return undefined;
  const { address, ...options } = summaryCache;
  if (!/^rediss?:\/\//.test(address)) throw unknownAddress("Summaries", address, "Use redis://… or rediss://…");
  const { openRedisSummaryCache } = await import("./redis/redis-summary-cache.ts");
  return openRedisSummaryCache(address, { ...options, tenantId, ...(clock !== undefined && { clock }) });
}

function withCache(
  store: ThreadfoldStore,
  cache: RedisSummaryCache,
  { encryption, tenantId = null }: OpenStoreOptions,
): OpenedStore {
  const close = async (): Promise<void> => {
    await store.close();
    await cache.close();
  };
  const summaryCache =
    encryption === undefined
      ? unerasedSummaries(cache, store)
      : sealedSummaries(cache, encryption.keys, { ...encryption, tenantId });
  return Object.freeze({ ...store, summaryCache, close });
}

const STORE_ADDRESSES = "Use memory:, sqlite:PATH, the path of a file, or postgres://…";

function sqlitePath(url: string): string {
  const isSqlite = url.startsWith("sqlite:");
  const path = isSqlite ? url.slice("sqlite:".length).replace(/^\/\//, "") : url;
  // SQLite's own names for an in-memory database: nobody means a file with such a name.
  if (/^\s*(file:)?:memory:/i.test(path)) throw unknownAddress("A store", url, 'Use "memory:" for a store in memory.');
  if (path !== "" && (isSqlite || !/^(memory:|[a-z][a-z0-9+.-]*:\/\/)/i.test(url))) return path;
  throw unknownAddress("A store", url, STORE_ADDRESSES);
}

function unknownAddress(what: string, address: string, hint: string): ThreadfoldError {
  // An address may contain a password, so only its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(address)?.[0] ?? (address === "" ? "(empty)" : "(none)");
  return new ThreadfoldError("INVALID_CONFIG", `${what} cannot be opened at an address of the kind ${scheme}`, {
    hint,
  });
}

/**
 * Returns a store whose artifacts are kept elsewhere. Closing it closes both. Objects elsewhere cannot be erased
 * individually, so such a store cannot erase; to erase by destroying keys, seal it with `encryptedStore`.
 */
export function storeWithArtifacts(
  main: ThreadfoldStore,
  artifacts: ClosableArtifacts,
): ThreadfoldStore | InspectableStore {
  const { eraser: _eraser, ...store } = main as ThreadfoldStore & Partial<ErasableStore>;
  const close = async (): Promise<void> => {
    await store.close();
    await artifacts.close();
  };
  const composed: ThreadfoldStore = { ...store, artifacts, close };
  if (!isInspectable(store)) return Object.freeze(composed);
  const { inspector } = store;
  return Object.freeze({
    ...composed,
    inspector: {
      threadIds: () => withThreadsOf(artifacts, inspector.threadIds()),
      entries: (threadId) => inspector.entries(threadId),
      plans: (threadId) => inspector.plans(threadId),
      journal: (threadId) => inspector.journal(threadId),
      // The store's own tables hold no artifacts; what can be read elsewhere is what there is to check.
      artifacts: (threadId) => portInspector(composed).artifacts(threadId),
      damage: () => inspector.damage(),
    },
  } satisfies InspectableStore);
}

/**
 * Returns a function that opens places of segments: `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. A
 * folder is created only when something is to be stored in it.
 *
 * @param s3 options that apply only to a bucket. A client that is passed in stays open.
 */
export function segmentPlaces(s3: Pick<S3ArtifactsOptions, "client" | "requestTimeoutMs"> = {}): OpenSegments {
  return async (address, isNew) => {
    if (address.startsWith("s3://")) {
      const { openS3Folder } = await import("./s3/s3-artifacts.ts");
      const folder = openS3Folder(address, s3);
      return s3.client === undefined ? folder : { ...folder, close: async () => undefined };
    }
    const root = address.slice(FILE.length);
    if (isNew) await prepareFolder(root, Date.now());
    else if (!(await isFolder(root))) return null;
    return fileFolder(root);
  };
}

const FILE = "file:";

const isFolder = (path: string): Promise<boolean> =>
  nodeFiles()
    .stat(path)
    .then(
      (stats) => stats.isDirectory(),
      () => false,
    );

/**
 * Returns the address of a place as stored in receipts, independent of the directory a process was started in.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for what is no address of a place.
 */
export function segmentAddress(to: string): string {
  checkTextOption("to", to);
  if (to.startsWith("s3://")) return to;
  const path = to.startsWith(FILE) ? to.slice(FILE.length).replace(/^\/\//, "") : to;
  if (path !== "" && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return `${FILE}${resolve(path)}`;
  throw new ThreadfoldError("INVALID_CONFIG", "Segments cannot be kept at an address of that kind.", {
    hint: "Use a folder, as its path or file:FOLDER, or s3://bucket/prefix.",
  });
}

/** Runs work on a place and closes it. @throws ThreadfoldError `STORE_UNAVAILABLE` when the place does not exist. */
export async function withPlace<Result>(
  open: OpenSegments,
  place: string,
  isNew: boolean,
  work: (folder: ObjectFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await open(place, isNew);
  if (folder === null)
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The place of the segment does not exist: ${place}.`, {
      hint: "Mount or restore it, then call again.",
      details: { place },
    });
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}
