import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ArtifactStore,
  canonicalJson,
  hasMember,
  nextThreadLink,
  serializeEntry,
  serializePlan,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import type { ListedArtifacts } from "../shared/object-artifacts.ts";
import { endAfter, idsOf, listedThreads, START_OF_LOG } from "../shared/threads.ts";

/** An entry as stored; nothing in it has been verified. */
export interface StoredEntry {
  readonly version: number;
  readonly kind: string;
  readonly messageId: string | null;
  readonly pinId: string | null;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  readonly digest: string;
  readonly link: string;
  /** Canonical JSON; null when it is gone. */
  readonly body: string | null;
}

/** A plan as stored. */
export interface StoredPlan {
  readonly version: number;
  readonly planId: string;
  readonly threadVersion: number;
  readonly createdAt: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly body: string | null;
}

/** A journal entry as stored. */
export interface StoredJournalEntry {
  readonly sequence: number;
  readonly at: string;
  /** Canonical JSON. */
  readonly record: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** An artifact as stored, expired or not. */
export interface StoredArtifact {
  readonly artifactId: string;
  readonly tenantId: string | null;
  readonly createdAt: string;
  readonly ttlSeconds: number | null;
  readonly sensitivity: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly content: string | null;
}

/** Reads what a store actually holds, bypassing all access rules and without failing on damaged data. */
export interface StoreInspector {
  /** Every thread that the store knows, including those without entries. */
  threadIds(): AsyncIterable<ThreadId>;
  /** Oldest first, like all of the following. */
  entries(threadId: ThreadId): AsyncIterable<StoredEntry>;
  plans(threadId: ThreadId): AsyncIterable<StoredPlan>;
  journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry>;
  artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact>;
  /**
   * Checks whether a thread's content was erased, so that its bodies are rightly missing. Absent if nothing can be
   * erased.
   */
  isErased?(threadId: ThreadId): Promise<boolean>;
  /** The damage that the backend itself finds in its files. */
  damage(): Promise<readonly string[]>;
}

/** A store that shows what it actually holds. */
export interface InspectableStore extends ThreadfoldStore {
  readonly inspector: StoreInspector;
}

/** Checks whether a store shows what it actually holds. */
export function isInspectable(store: ThreadfoldStore): store is InspectableStore {
  return hasMember(store, "inspector");
}

/**
 * Returns an inspector of what a store actually holds if the store shows that, else of what it returns to readers.
 * Reading yields to the event loop regularly, and an aborted signal ends it.
 *
 * @throws ThreadfoldError `ABORTED` while rows are read.
 */
export function inspectorOf(store: ThreadfoldStore, signal?: AbortSignal): StoreInspector {
  const inspector = isInspectable(store) ? store.inspector : portInspector(store);
  const { isErased } = inspector;
  const ofThread =
    <Row>(read: (threadId: ThreadId) => AsyncIterable<Row>) =>
    (threadId: ThreadId): AsyncIterable<Row> =>
      inTurns(read(threadId), signal);
  return {
    threadIds: () => inTurns(inspector.threadIds(), signal),
    entries: ofThread((threadId) => inspector.entries(threadId)),
    plans: ofThread((threadId) => inspector.plans(threadId)),
    journal: ofThread((threadId) => inspector.journal(threadId)),
    artifacts: ofThread((threadId) => inspector.artifacts(threadId)),
    ...(isErased !== undefined && { isErased: (threadId) => isErased.call(inspector, threadId) }),
    damage: async () => {
      refuseAborted(signal);
      return inspector.damage();
    },
  };
}

/** Number of rows after which a reader yields to the event loop, so that signals and other work get their turn. */
const ROWS_AT_A_STRETCH = 16;

async function* inTurns<Row>(rows: AsyncIterable<Row>, signal: AbortSignal | undefined): AsyncGenerator<Row> {
  let read = 0;
  for await (const row of rows) {
    if (read++ % ROWS_AT_A_STRETCH === 0) await nextTurn();
    refuseAborted(signal);
    yield row;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ThreadfoldError("ABORTED", "Reading the store was aborted.");
}

/**
 * Presents what a store returns as if it were its rows: for stores that have no rows, and for wrapped ones. It sees
 * only what may be read, so no expired artifacts.
 */
export function portInspector(store: ThreadfoldStore): StoreInspector {
  return {
    threadIds: () => withThreadsOf(store.artifacts, threadIds(store)),
    entries: (threadId) => entries(store, threadId),
    plans: (threadId) => plans(store, threadId),
    journal: (threadId) => journal(store, threadId),
    artifacts: (threadId) => artifacts(store, threadId),
    damage: async () => [],
  };
}

async function* threadIds(store: ThreadfoldStore): AsyncIterable<ThreadId> {
  for await (const { threadId } of listedThreads(store)) yield threadId;
}

/** Yields these threads, then any others that have artifacts, if the artifact store can list them. */
export async function* withThreadsOf(
  artifacts: ArtifactStore,
  threadIds: AsyncIterable<ThreadId>,
): AsyncIterable<ThreadId> {
  const known = new Set<ThreadId>();
  for await (const threadId of threadIds) {
    known.add(threadId);
    yield threadId;
  }
  if (isListed(artifacts)) yield* artifacts.threadIds(known);
}

const isListed = (artifacts: ArtifactStore): artifacts is ArtifactStore & ListedArtifacts => "threadIds" in artifacts;

async function* entries(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredEntry> {
  let end = START_OF_LOG;
  for (const entry of (await store.threads.load(threadId))?.entries ?? []) {
    const serialized = serializeEntry(entry);
    end = endAfter(end, entry, nextThreadLink(end.link, serialized.digest));
    yield { ...end, ...idsOf(entry), kind: entry.type, ...serialized };
  }
}

async function* plans(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredPlan> {
  for (const info of await store.plans.listPlans(threadId)) {
    const plan = await store.plans.getPlan(threadId, info.version);
    yield { ...info, body: plan === null ? null : serializePlan(plan) };
  }
}

async function* journal(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
  for (const { sequence, at, record, previousHash, hash } of await store.journal.read(threadId)) {
    yield { sequence, at, record: canonicalJson(record), previousHash, hash };
  }
}

async function* artifacts(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredArtifact> {
  for (const artifactId of await store.artifacts.list(threadId)) {
    const artifact = await store.artifacts.retrieve(artifactId);
    if (artifact === null) continue;
    yield { artifactId, ...artifact.metadata, content: artifact.content };
  }
}
