import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Page,
  START_OF_THREAD,
  ThreadAddition,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadId,
  type ThreadInfo,
  type ThreadStore,
  threadEntryInputSchema,
} from "@threadfold/core";
import { checkIdempotencyKey, checkThreadId } from "../rules/checked-arguments.ts";
import { openEntries, sealEntry } from "./sealed-entry.ts";
import type { Sealers } from "./sealers.ts";

/** Threads whose entries are sealed. */
export class EncryptedThreads implements ThreadStore {
  readonly #inner: ThreadStore;
  readonly #sealers: Sealers;

  constructor(inner: ThreadStore, sealers: Sealers) {
    this.#inner = inner;
    this.#sealers = sealers;
  }

  async append(
    threadId: ThreadId,
    entries: readonly ThreadEntryInput[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    checkThreadId(threadId);
    checkIdempotencyKey(options.idempotencyKey);
    checkEntries(entries);
    // Of two who begin a thread at once with different keys one must lose, whatever version they expect.
    for (let mayClaim = options.expectedVersion === "any"; ; mayClaim = false) {
      const { sealer, isFirst } = await this.#sealers.toSealFirst(threadId);
      const sealed = entries.map((entry) => sealEntry(sealer, entry));
      if (!mayClaim || !isFirst) return this.#inner.append(threadId, sealed, options);
      try {
        return await this.#inner.append(threadId, sealed, { ...options, expectedVersion: "no-thread" });
      } catch (error) {
        if (!ThreadfoldError.isInstance(error) || error.code !== "VERSION_CONFLICT") throw error;
      }
    }
  }

  async load(threadId: ThreadId, options?: { readonly atVersion?: number }): Promise<AgentThread | null> {
    const sealed = await this.#inner.load(threadId, options);
    if (sealed === null) return null;
    const sealer = await this.#sealers.toOpen(threadId);
    const { serialized, digest } = await openEntries(sealer, sealed.entries);
    return AgentThread.restore(threadId, serialized, digest);
  }

  list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>> {
    return this.#inner.list(options);
  }
}

/** Sealed entries all look well, so what is wrong with one has to be found before. */
function checkEntries(entries: readonly ThreadEntryInput[]): void {
  const messages = new ThreadAddition(START_OF_THREAD, 0, new Map(), () => undefined);
  for (const entry of entries) {
    if (entry.type === "pin-lifted") {
      if (!threadEntryInputSchema.safeParse(entry).success)
        throw new ThreadfoldError("INVALID_PIN", `Lifting of pin ${String(entry.pinId)}: it is not complete.`);
    } else if (entry.type === "pin") new ThreadAddition(START_OF_THREAD, 0, new Map(), () => undefined).add(entry);
    else messages.add(entry);
  }
}
