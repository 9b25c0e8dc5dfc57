import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  type AuditJournal,
  artifactIdOf,
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  checkOptions,
  EventLoopTurns,
  type FoundMessage,
  isSealedText,
  type JournalEntry,
  type JournalRecord,
  type MessageId,
  type MessagePlace,
  type Page,
  type PlanInfo,
  type ResumedThread,
  type SecurityContext,
  type ThreadEntry,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadId,
  type ThreadInfo,
  type ThreadRanges,
  type ThreadStore,
} from "@threadfold/core";
import type { ErasableStore } from "../erasure/erase-subject.ts";
import { refuseErased, threadErased } from "../erasure/refuse-erased.ts";
import type { InspectableStore } from "../inspection/inspector.ts";
import { admitArtifact, isOfType, isReadable, mergeMetadata } from "../shared/artifacts.ts";
import { journalRange, sealJournalEntry } from "../shared/journal.ts";
import type { ListedArtifacts } from "../shared/object-artifacts.ts";
import { admitPlan, isSealedPlan, planInfo, requireKnownMessages } from "../shared/plans.ts";
import {
  checkIdempotencyKey,
  checkThreadId,
  isSealedEntry,
  MANY_ENTRIES,
  requireSeals,
  type StoreOptions,
  systemClock,
  wholeNumber,
} from "../shared/store-basics.ts";
import {
  type AppendReceipt,
  answerRetry,
  type KeptIds,
  pageOf,
  pageRequest,
  receiptFor,
  requireVersion,
} from "../shared/threads.ts";
import { MemoryEraser, MemoryState, type MemoryThread, memoryInspector } from "./memory-state.ts";

/**
 * Creates a store that lives as long as the process, or until it is closed.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an option that makes no sense.
 */
export function createMemoryStore(options: StoreOptions = {}): InspectableStore & ErasableStore {
  checkOptions("options", options, { clock: "clock" });
  const state = new MemoryState(options.clock ?? systemClock);
  const parts = {
    threads: new MemoryThreads(state),
    plans: new MemoryPlans(state),
    artifacts: new MemoryArtifacts(state),
    journal: new MemoryJournal(state),
    ranges: new MemoryRanges(state),
  };
  const eraser = new MemoryEraser(state, parts);
  return Object.freeze({
    ...parts,
    ...refuseErased(parts, (threadId) => eraser.isErasedNow(threadId), true),
    inspector: memoryInspector(state, parts),
    eraser,
    close: async () => state.close(),
  });
}

class MemoryThreads implements ThreadStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async append(
    threadId: ThreadId,
    entries: readonly ThreadEntryInput[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    checkThreadId(threadId);
    checkIdempotencyKey(options.idempotencyKey);
    const kept = this.#state.threads.get(threadId);
    const earlier = options.idempotencyKey === undefined ? undefined : kept?.receipts.get(options.idempotencyKey);
    if (earlier !== undefined) return answerRetry(threadId, earlier, entries, NOBODY_ELSE_WRITES);
    const before = kept?.thread ?? AgentThread.empty(threadId);
    requireVersion(threadId, before.version, options.expectedVersion);
    requireSeals(threadId, entries.every(isSealedEntry), () => firstOf(before));
    const many = entries.length >= MANY_ENTRIES;
    const after = many ? await this.#grown(before, entries, options) : before.appendEntries(entries);
    // Another append may have been faster: then this one is appended after it, or refused.
    if (many && this.#versionOf(threadId) !== before.version) return this.append(threadId, entries, options);
    const result = Object.freeze({ version: after.version, appended: after.version - before.version });
    const receipt = options.idempotencyKey === undefined ? undefined : receiptFor(entries, result);
    this.#keep(after, options.idempotencyKey, receipt);
    return result;
  }

  async load(threadId: ThreadId, options: { readonly atVersion?: number } = {}): Promise<AgentThread | null> {
    const atVersion = wholeNumber("atVersion", options.atVersion, 0, Number.MAX_SAFE_INTEGER);
    const thread = this.#state.threads.get(threadId)?.thread;
    return thread === undefined || thread.version === 0 ? null : thread.atVersion(atVersion);
  }

  async list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>> {
    const page = pageRequest(options);
    const found = [...this.#state.threads.values()]
      .filter((kept) => kept.place > page.after && versionOf(kept) > 0)
      .slice(0, page.limit + 1)
      .map((kept) => ({ place: kept.place, item: infoOf(kept) }));
    return pageOf(found, page);
  }

  #grown(before: AgentThread, entries: readonly ThreadEntryInput[], { signal }: AppendOptions): Promise<AgentThread> {
    return new EventLoopTurns().finish(before.appendEntriesInSteps(entries), signal);
  }

  /** @throws ThreadfoldError `CONTENT_ERASED`. */
  #versionOf(threadId: ThreadId): number {
    const kept = this.#state.threads.get(threadId);
    if (kept?.erased) throw threadErased(threadId);
    return kept?.thread.version ?? 0;
  }

  /** Stores an append. Nothing can fail from here on, so it is stored completely or not at all. */
  #keep(thread: AgentThread, key: string | undefined, receipt: AppendReceipt | undefined): void {
    const kept = this.#state.place(thread.id);
    if (thread.version > kept.thread.version) {
      kept.appendedAt = this.#state.clock.now();
      if (kept.thread.version === 0) kept.createdAt = kept.appendedAt;
      kept.thread = thread;
    }
    if (key !== undefined && receipt !== undefined) kept.receipts.set(key, receipt);
  }
}

const versionOf = ({ thread, erased }: MemoryThread): number => erased?.entries.length ?? thread.version;

function infoOf(kept: MemoryThread): ThreadInfo {
  const { thread, plans, erased, createdAt, appendedAt, committedAt } = kept;
  return Object.freeze({
    threadId: thread.id,
    version: versionOf(kept),
    planVersion: erased?.plans.length ?? plans.length,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(Math.max(appendedAt, committedAt)).toISOString(),
  });
}

/** Reads parts of threads in memory, where a whole thread is as cheap as a part. */
class MemoryRanges implements ThreadRanges {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    const kept = this.#state.threads.get(threadId);
    const plan = kept?.plans.at(-1);
    return kept === undefined || plan === undefined ? null : Object.freeze({ thread: kept.thread, plan });
  }

  async loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#state.threads.get(threadId)?.plans[version - 1] ?? null;
  }

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const fromVersion = wholeNumber("fromVersion", range.fromVersion, 0, 0);
    const toVersion = wholeNumber("toVersion", range.toVersion, 0, Number.MAX_SAFE_INTEGER);
    const thread = this.#state.threads.get(threadId)?.thread;
    return Object.freeze(thread?.entriesBetween(fromVersion, toVersion) ?? []);
  }

  async findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]> {
    const thread = this.#state.threads.get(threadId)?.thread;
    const wanted = new Set(ids.filter((id) => thread?.message(id) !== undefined));
    if (thread === undefined || wanted.size === 0) return Object.freeze([]);
    const found: FoundMessage[] = [];
    for (const { version, entry } of thread.entriesInMemory()) {
      if (entry.type === "message" && wanted.has(entry.message.id))
        found.push(Object.freeze({ version, message: entry.message }));
    }
    return Object.freeze(found);
  }
}

class MemoryPlans implements CompactionStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const plans = this.#state.threads.get(threadId)?.plans ?? [];
    return Object.freeze({ plan: plans.at(-1) ?? null, version: plans.length });
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#state.threads.get(threadId)?.plans[version - 1] ?? null;
  }

  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const kept = this.#state.threads.get(threadId);
    const erased = kept?.erased?.plans.map(({ body: _body, ...info }) => Object.freeze(info));
    return Object.freeze(erased ?? (kept?.plans ?? []).map(planInfo));
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    const kept = this.#state.threads.get(threadId);
    if (kept === undefined || kept.thread.version === 0) {
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to commit a plan to.`);
    }
    requireSeals(threadId, isSealedPlan(plan), () => firstOf(kept.thread));
    if (kept.plans[expectedVersion]?.planId === plan.planId)
      return Object.freeze({ status: "committed", version: plan.version });
    if (kept.plans.length !== expectedVersion)
      return Object.freeze({ status: "conflict", currentVersion: kept.plans.length });
    requireKnownMessages(plan, kept.thread.version, placesIn(kept, plan));
    kept.plans.push(plan);
    kept.committedAt = this.#state.clock.now();
    return Object.freeze({ status: "committed", version: plan.version });
  }
}

const firstOf = (thread: AgentThread): ThreadEntry | undefined => thread.entriesBetween(0, 1)[0];

/**
 * Tells where messages are. Their versions are counted in messages: never later than the true ones, in the same order,
 * and without a list of entries.
 */
function placesIn({ thread }: MemoryThread, plan: CompactionPlan): (id: MessageId) => MessagePlace | undefined {
  const covered = thread.atVersion(plan.threadVersion);
  return (id) => {
    const message = covered.message(id);
    return message === undefined ? undefined : { version: message.ordinal + 1, ordinal: message.ordinal };
  };
}

/** Receipts in this process's own memory always match what was appended. */
const NOBODY_ELSE_WRITES: KeptIds = { message: () => true, pin: () => true };

class MemoryArtifacts implements ArtifactStore, ListedArtifacts {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async store(content: string, given: Omit<ArtifactMetadata, "bytes">): Promise<ArtifactId> {
    const metadata = admitArtifact(content, given);
    const artifactId = artifactIdOf(metadata.threadId, metadata.tenantId, content);
    const known = this.#state.artifacts.get(artifactId);
    if (known === undefined) {
      const kept = this.#state.place(metadata.threadId);
      requireSeals(metadata.threadId, isSealedText(content), () => firstOf(kept.thread));
      kept.artifactIds.push(artifactId);
    }
    const merged = known === undefined ? metadata : mergeMetadata(known.metadata, metadata);
    this.#state.artifacts.set(artifactId, Object.freeze({ artifactId, content, metadata: merged }));
    return artifactId;
  }

  async getMetadata(artifactId: ArtifactId, requester?: SecurityContext): Promise<ArtifactMetadata | null> {
    return this.#readable(artifactId, requester)?.metadata ?? null;
  }

  async retrieve(artifactId: ArtifactId, requester?: SecurityContext): Promise<Artifact | null> {
    return this.#readable(artifactId, requester) ?? null;
  }

  async list(threadId: ThreadId, requester?: SecurityContext, mediaType?: string): Promise<readonly ArtifactId[]> {
    const ids = this.#state.threads.get(threadId)?.artifactIds ?? [];
    return Object.freeze(ids.filter((id) => isOfType(this.#readable(id, requester)?.metadata, mediaType)));
  }

  async *threadIds(known: ReadonlySet<ThreadId>): AsyncIterable<ThreadId> {
    for (const [threadId, { artifactIds }] of this.#state.threads)
      if (!known.has(threadId) && artifactIds.some((id) => this.#readable(id, undefined))) yield threadId;
  }

  #readable(artifactId: ArtifactId, requester: SecurityContext | undefined): Artifact | undefined {
    const found = this.#state.artifacts.get(artifactId);
    return found !== undefined && isReadable(found.metadata, this.#state.clock.now(), requester) ? found : undefined;
  }
}

class MemoryJournal implements AuditJournal {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    const previous = this.#state.threads.get(threadId)?.journal.at(-1) ?? null;
    const { entry } = sealJournalEntry(previous, threadId, record, at);
    this.#state.place(threadId).journal.push(entry);
    return entry;
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    return Object.freeze((this.#state.threads.get(threadId)?.journal ?? []).slice(after, after + limit));
  }
}
