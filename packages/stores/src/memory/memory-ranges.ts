import type { FoundMessage, MessageId, ResumedThread, ThreadEntry, ThreadId, ThreadRanges } from "@threadfold/core";
import { wholeNumber } from "../rules/checked-arguments.ts";
import type { MemoryState } from "./memory-state.ts";

/** Parts of threads in memory, where a whole thread costs as little as a part of it. */
export class MemoryRanges implements ThreadRanges {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    const kept = this.#state.threads.get(threadId);
    const plan = kept?.plans.at(-1);
    return kept === undefined || plan === undefined ? null : Object.freeze({ thread: kept.thread, plan });
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
