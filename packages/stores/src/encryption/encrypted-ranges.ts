import {
  AgentThread,
  type FoundMessage,
  type Message,
  type MessageId,
  type ResumedThread,
  restoreRun,
  THREAD_CHAIN_START,
  type ThreadEntry,
  type ThreadId,
  type ThreadRanges,
} from "@threadfold/core";
import { openEntries } from "./sealed-entry.ts";
import { openedOutline } from "./sealed-plan.ts";
import type { Sealer } from "./sealer.ts";
import type { Sealers } from "./sealers.ts";

/**
 * Parts of threads whose entries are sealed. The store within checks what it reads by the hashes of what is stored; what
 * the thread's own digest was at a plan is sealed with the plan, because it cannot be reckoned from a part.
 */
export class EncryptedRanges implements ThreadRanges {
  readonly #inner: ThreadRanges;
  readonly #sealers: Sealers;

  constructor(inner: ThreadRanges, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    const sealer = await this.#opening(threadId);
    const sealed = await this.#inner.resume(threadId);
    const opened = sealed === null ? null : await openedOutline(sealer, sealed.plan);
    if (sealed === null || opened === null) return null;
    const { plan, threadDigest } = opened;
    const before = sealed.thread.atVersion(plan.threadVersion);
    const shown = [...before.entriesInMemory()];
    const entries = await openRun(
      sealer,
      shown.map(({ entry }) => entry),
    );
    const held = shown.map(({ version }, index) => ({ version, entry: entries[index] as ThreadEntry }));
    const tail = await openRun(sealer, sealed.thread.entriesBetween(plan.threadVersion));
    const { length, position } = before;
    const window = { version: plan.threadVersion, length, position, digest: threadDigest, held };
    return Object.freeze({ thread: AgentThread.resume(threadId, window, tail), plan });
  }

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const sealer = await this.#opening(threadId);
    return Object.freeze(await openRun(sealer, await this.#inner.loadRange(threadId, range)));
  }

  async findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]> {
    const sealer = await this.#opening(threadId);
    const found = await this.#inner.findMessages(threadId, ids);
    const opened = await openRun(
      sealer,
      found.map(({ message }) => ({ type: "message", message })),
    );
    const messages = opened as readonly { readonly message: Message }[];
    return Object.freeze(
      found.map(({ version }, index) => Object.freeze({ version, message: messages[index]?.message as Message })),
    );
  }

  #opening(threadId: ThreadId): Promise<Sealer> {
    return this.#sealers.toOpen(threadId);
  }
}

async function openRun(sealer: Sealer, sealed: Iterable<ThreadEntry>): Promise<readonly ThreadEntry[]> {
  const { serialized, digest } = await openEntries(sealer, sealed);
  return restoreRun(serialized, THREAD_CHAIN_START, digest);
}
