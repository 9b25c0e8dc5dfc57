import type { AuditJournal, JournalEntry, JournalRecord, ThreadId } from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { journalRange } from "../rules/journal-range.ts";
import { sealJournalEntry } from "../rules/seal-journal-entry.ts";
import type { MemoryState } from "./memory-state.ts";

/** The journal in memory. */
export class MemoryJournal implements AuditJournal {
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
