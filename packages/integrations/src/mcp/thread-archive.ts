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
import { ToolFailure, type ToolListeners } from "./tool-call.ts";

/**
 * What one client of the server may see. It is made from how the client came in (the process's options over stdio, the
 * verified token over HTTP) and never from what a tool is called with.
 */
export interface ThreadAccess {
  /** The store, as it is opened for the client's tenant. */
  readonly store: ThreadfoldStore;
  /** On whose behalf externalized content is read. */
  readonly requester: SecurityContext;
  /** The threads that may be read; `all` for every thread of the store. */
  readonly threadIds: readonly ThreadId[] | "all";
  /** The branch that the client's agent is on; the main branch when it is absent. */
  readonly branch?: string;
}

/** A thread and the plan over it, as the store has them at one moment. */
export interface ServedThread {
  readonly thread: AgentThread;
  readonly plan: CompactionPlan;
}

/** What one client may see of a store, read afresh at every call. What may not be seen and what never was look alike. */
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

  /** The thread that a call means: the one it names, or the only one that is served. @throws ToolFailure. */
  async thread(named: string | undefined): Promise<ServedThread> {
    const { store } = this.#access;
    const threadId = named === undefined ? await this.#onlyThread() : asThreadId(named);
    const thread = this.#mayRead(threadId) ? await store.threads.load(threadId) : null;
    if (thread === null) throw noThread();
    const { plan } = await store.plans.getCurrentPlan(threadId);
    return { thread, plan: plan ?? emptyPlan(threadId, "none") };
  }

  /** An artifact of a thread that may be read, or null. */
  async artifact(artifactId: ArtifactId, threadId?: ThreadId): Promise<Artifact | null> {
    const { store, requester } = this.#access;
    const artifact = await store.artifacts.retrieve(artifactId, requester);
    if (artifact === null || !this.#mayRead(artifact.metadata.threadId)) return null;
    return threadId === undefined || artifact.metadata.threadId === threadId ? artifact : null;
  }

  /** True while an artifact can be read. */
  async isReadable(artifactId: ArtifactId): Promise<boolean> {
    const { store, requester } = this.#access;
    return (await store.artifacts.getMetadata(artifactId, requester)) !== null;
  }

  /** What a search of a thread works on. */
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

/** One thread of a store, or two where it has several; those that are archived are none. */
async function firstThreads(store: ThreadfoldStore): Promise<readonly ThreadId[]> {
  const found: ThreadId[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < 2; ) {
    const { items, nextCursor } = await store.threads.list(cursor === undefined ? {} : { cursor });
    found.push(...items.flatMap(({ threadId, archivedAt }) => (archivedAt === undefined ? [threadId] : [])));
    cursor = nextCursor === cursor ? null : nextCursor;
  }
  return found;
}

/** How many threads stay indexed for search; the one that was searched longest ago is dropped first. */
const MOST_INDEXED = 8;

/** The search indexes of the threads that were searched, in memory: a server that only reads writes nothing into the store. */
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
  /** Most tokens of a result whose call does not say. */
  readonly maxTokens: number;
  readonly maxCacheMs: number;
}
