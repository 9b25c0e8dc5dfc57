import {
  type AgentThread,
  type Artifact,
  type ArtifactId,
  asThreadId,
  type CompactionPlan,
  emptyPlan,
  type SecurityContext,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { MemoryRecallIndex, type SearchThreadSources } from "@threadfold/rehydration";
import { refuseSealedArtifact, refuseSealedThread } from "@threadfold/stores";
import { ToolFailure, type ToolListeners } from "./tool-call.ts";

/**
 * What one client of the server may see. It is derived from how the client connected (the process's options over stdio,
 * the verified token over HTTP), never from the arguments of a tool call.
 */
export interface ThreadAccess {
  /** The store, opened for the client's tenant. */
  readonly store: ThreadfoldStore;
  /** On whose behalf externalized content is read. */
  readonly requester: SecurityContext;
  /** The threads that may be read; `all` for every thread of the store. */
  readonly threadIds: readonly ThreadId[] | "all";
  /** The branch that the client's agent is on; the main branch when absent. */
  readonly branch?: string;
}

/** A thread and its plan, as the store has them at one moment. */
export interface ServedThread {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
}

/**
 * What one client may see of a store, read afresh on every call. A thread that may not be read and one that does not
 * exist look the same.
 */
export class ThreadArchive {
  readonly #access: ThreadAccess;
  readonly #searched: SearchedThreads;

  constructor(access: ThreadAccess, searched: SearchedThreads = new SearchedThreads()) {
    this.#access = access;
    this.#searched = searched;
  }

  get branch(): string | undefined {
    return this.#access.branch;
  }

  /**
   * Returns the thread that a call names, or the only one that is served.
   *
   * @throws ToolFailure; ThreadfoldError `KEY_MISSING` for a sealed thread in a store without keys.
   */
  async thread(named: string | undefined): Promise<ServedThread> {
    const { store } = this.#access;
    const threadId = named === undefined ? await this.#onlyThread() : asThreadId(named);
    const thread = this.#mayRead(threadId) ? await store.threads.load(threadId) : null;
    if (thread === null) throw noThread();
    await refuseSealedThread(store, thread);
    const { plan } = await store.plans.getCurrentPlan(threadId);
    return { thread, plan: plan ?? emptyPlan(threadId, "none") };
  }

  /** Returns an artifact of a readable thread, or null. @throws ThreadfoldError `KEY_MISSING`. */
  async artifact(artifactId: ArtifactId, threadId?: ThreadId): Promise<Artifact | null> {
    const { store, requester } = this.#access;
    const artifact = await store.artifacts.retrieve(artifactId, requester);
    if (artifact === null || !this.#mayRead(artifact.metadata.threadId)) return null;
    if (threadId !== undefined && artifact.metadata.threadId !== threadId) return null;
    refuseSealedArtifact(store, artifact);
    return artifact;
  }

  /** Checks whether an artifact can be read now. */
  async isReadable(artifactId: ArtifactId): Promise<boolean> {
    const { store, requester } = this.#access;
    return (await store.artifacts.getMetadata(artifactId, requester)) !== null;
  }

  /** Returns the sources for a search of a thread. */
  searchSources(
    { thread, plan }: ServedThread,
    counting: Pick<SearchThreadSources, "countTokens" | "maxTokens">,
  ): SearchThreadSources {
    const { store, requester, branch } = this.#access;
    const index = this.#searched.indexOf(thread.id);
    const sources = { ...counting, index, thread, plan, artifacts: store.artifacts, requester };
    return branch === undefined ? sources : { ...sources, branch };
  }

  #mayRead(threadId: ThreadId): boolean {
    const { threadIds } = this.#access;
    return threadIds === "all" || threadIds.includes(threadId);
  }

  async #onlyThread(): Promise<ThreadId> {
    const { store, threadIds } = this.#access;
    const known = threadIds === "all" ? await firstThreads(store) : threadIds;
    const [only, ...others] = known;
    if (only !== undefined && others.length === 0) return only;
    throw only === undefined
      ? noThread()
      : new ToolFailure("invalid-input", "Several threads are served; say which one with thread_id.");
  }
}

/** One thread of a store, or two when it has several; archived threads do not count. */
async function firstThreads(store: ThreadfoldStore): Promise<readonly ThreadId[]> {
  const found: ThreadId[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < 2; ) {
    const { items, nextCursor } = await store.threads.list(cursor === undefined ? {} : { cursor });
    found.push(...items.flatMap(({ threadId, archivedAt }) => (archivedAt === undefined ? [threadId] : [])));
    cursor = nextCursor === cursor ? null : nextCursor;
  }
  return found;
}

/** How many threads stay indexed for search; the least recently searched one is dropped first. */
const MOST_INDEXED = 8;

/** The search indexes of searched threads, in memory: a server that only reads writes nothing to the store. */
export class SearchedThreads {
  readonly #indexes = new Map<ThreadId, MemoryRecallIndex>();

  indexOf(threadId: ThreadId): MemoryRecallIndex {
    const index = this.#indexes.get(threadId) ?? new MemoryRecallIndex();
    this.#indexes.delete(threadId);
    this.#indexes.set(threadId, index);
    const [oldest] = this.#indexes.keys();
    if (this.#indexes.size > MOST_INDEXED && oldest !== undefined) this.#indexes.delete(oldest);
    return index;
  }
}

const noThread = (): ToolFailure =>
  new ToolFailure("not-found", "There is no such thread, or it may not be read. Leave thread_id out, or check it.");

/** What the tools and resources of one server share. */
export interface ServerHost extends ToolListeners {
  readonly archive: ThreadArchive;
  readonly countTokens: (text: string) => number;
  /** Maximum tokens of a result when the call gives no limit. */
  readonly maxTokens: number;
  readonly maxCacheMs: number;
}
