import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type KeyStore, type SummaryCacheStore, ThreadfoldError, type ThreadfoldStore } from "@threadfold/core";
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
import type { StoreOptions } from "./shared/store-basics.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";

/** How a store and what is kept with it are opened. */
export interface OpenStoreOptions extends StoreOptions {
  /**
   * Whose this is, in PostgreSQL, in a folder or bucket, and in Redis. A SQLite file and a memory store know nothing of
   * tenants: use one for each tenant.
   */
  readonly tenantId?: string | null;
  /** Keeps artifacts elsewhere: `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. */
  readonly artifacts?: string;
  /** What only artifacts in a bucket know. */
  readonly s3?: Pick<S3ArtifactsOptions, "client" | "requestTimeoutMs">;
  /**
   * Keeps summaries beyond this process: `redis://…` or `rediss://…`, and the secret that authenticates them. With
   * `encryption` they are sealed like the rest before they get there.
   */
  readonly summaryCache?: Omit<RedisSummaryCacheOptions, "tenantId" | "clock"> & { readonly address: string };
  /** Seals everything that anybody said with keys that are kept apart; see `encryptedStore`. The tenant is `tenantId`. */
  readonly encryption?: Omit<EncryptionOptions, "tenantId"> & { readonly keys: KeyStore };
  /** What only a PostgreSQL store knows. */
  readonly postgres?: Omit<PostgresStoreOptions, "tenantId" | "clock">;
}

/** A store, and the summary cache with it where one was asked for. Closing it closes both. */
export interface OpenedStore extends ThreadfoldStore {
  readonly summaryCache?: SummaryCacheStore;
}

/**
 * Opens a store by its address: `memory:` for one that lives in this process, `sqlite:PATH` or a bare path for a SQLite
 * file, `postgres://…` for a PostgreSQL. `sqlite:///folder/file` is read as an absolute path. Drivers of servers are
 * loaded when they are asked for: install `pg`, `@aws-sdk/client-s3` or `ioredis`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an address of another kind, an option that does not belong to it, or a
 * driver that is not installed, and what the backend throws.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
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
    throw new ThreadfoldError("INVALID_CONFIG", "The options postgres belong to a store at postgres://… alone.");
  return url === "memory:" ? createMemoryStore(common) : openSqliteStore(sqlitePath(url), common);
}

async function openArtifacts({
  artifacts,
  s3,
  tenantId = null,
  clock,
}: OpenStoreOptions): Promise<ClosableArtifacts | undefined> {
  if (s3 !== undefined && artifacts?.startsWith("s3://") !== true)
    throw new ThreadfoldError("INVALID_CONFIG", "The options s3 belong to artifacts at s3://… alone.");
  if (artifacts === undefined) return undefined;
  const options = { tenantId, ...(clock !== undefined && { clock }) };
  if (artifacts.startsWith("s3://")) {
    const { openS3Artifacts } = await import("./s3/s3-artifacts.ts");
    return openS3Artifacts(artifacts, { ...s3, ...options });
  }
  const path = artifacts.startsWith("file:") ? artifacts.slice("file:".length).replace(/^\/\//, "") : "";
  if (path !== "") return openFileArtifacts(path, options);
  throw unknownAddress("Artifacts", artifacts, "Give file:FOLDER or s3://bucket/prefix.");
}

async function openCache({
  summaryCache,
  tenantId = null,
  clock,
}: OpenStoreOptions): Promise<RedisSummaryCache | undefined> {
  if (summaryCache === undefined) return undefined;
  const { address, ...options } = summaryCache;
  if (!/^rediss?:\/\//.test(address)) throw unknownAddress("Summaries", address, "Give redis://… or rediss://…");
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

const STORE_ADDRESSES = "Give memory:, sqlite:PATH, the path of a file, or postgres://…";

function sqlitePath(url: string): string {
  const isSqlite = url.startsWith("sqlite:");
  const path = isSqlite ? url.slice("sqlite:".length).replace(/^\/\//, "") : url;
  // SQLite's own names for a database in memory: nobody means a file that is called so.
  if (/^\s*(file:)?:memory:/i.test(path)) throw unknownAddress("A store", url, 'Give "memory:" for a store in memory.');
  if (path !== "" && (isSqlite || !/^(memory:|[a-z][a-z0-9+.-]*:\/\/)/i.test(url))) return path;
  throw unknownAddress("A store", url, STORE_ADDRESSES);
}

function unknownAddress(what: string, address: string, hint: string): ThreadfoldError {
  // An address may hold a password, so no more than its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(address)?.[0] ?? (address === "" ? "(empty)" : "(none)");
  return new ThreadfoldError("INVALID_CONFIG", `${what} cannot be opened by an address of the kind ${scheme}`, {
    hint,
  });
}

/**
 * A store whose artifacts are kept elsewhere. Closing it closes both. Objects elsewhere cannot be erased one by one, so
 * such a store cannot erase; seal it with `encryptedStore`, and destroying keys does.
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
      // The store's own tables hold no artifacts; what may be read elsewhere is what there is to check.
      artifacts: (threadId) => portInspector(composed).artifacts(threadId),
      damage: () => inspector.damage(),
    },
  } satisfies InspectableStore);
}

/**
 * Opens places of segments: `file:FOLDER`, or `s3://bucket/prefix?region=…&endpoint=…`. A folder is made only for what is to
 * be put there.
 *
 * @param s3 what only a bucket knows. A client that is handed in stays open.
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
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

/** The address of a place as receipts keep it, which does not depend on where a process was started. */
export function segmentAddress(to: string): string {
  if (to.startsWith("s3://")) return to;
  const path = to.startsWith(FILE) ? to.slice(FILE.length).replace(/^\/\//, "") : to;
  if (path !== "" && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return `${FILE}${resolve(path)}`;
  throw new ThreadfoldError("INVALID_CONFIG", "Segments cannot be kept at an address of that kind.", {
    hint: "Give a folder, as its path or file:FOLDER, or s3://bucket/prefix.",
  });
}

/** Works with a place and closes it. @throws ThreadfoldError `STORE_UNAVAILABLE` when it is not there. */
export async function withPlace<Result>(
  open: OpenSegments,
  place: string,
  isNew: boolean,
  work: (folder: ObjectFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await open(place, isNew);
  if (folder === null)
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The place of the segment is not there: ${place}.`, {
      hint: "Mount or restore it, and call again.",
      details: { place },
    });
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}
