import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Page,
  type ThreadEntryInput,
  type ThreadId,
  type ThreadInfo,
  type ThreadStore,
} from "@threadfold/core";
import { type AppendReceipt, answerRetry, receiptFor } from "../rules/append-receipt.ts";
import { checkIdempotencyKey, checkThreadId, wholeNumber } from "../rules/checked-arguments.ts";
import { requireVersion } from "../rules/expected-version.ts";
import { pageOf, pageRequest } from "../rules/thread-page.ts";
import type { MemoryState, MemoryThread } from "./memory-state.ts";

/** Threads in memory. */
export class MemoryThreads implements ThreadStore {
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
    if (earlier !== undefined) return answerRetry(threadId, earlier, entries);
    const before = kept?.thread ?? AgentThread.empty(threadId);
    requireVersion(threadId, before.version, options.expectedVersion);
    const after = before.appendEntries(entries);
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

  /** Nothing can fail from here on, so an append is kept whole or not at all. */
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
