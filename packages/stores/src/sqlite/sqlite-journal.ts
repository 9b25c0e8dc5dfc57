import type { AuditJournal, JournalEntry, JournalRecord, ThreadId } from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { journalRange } from "../rules/journal-range.ts";
import { type JournalRow, journalEntryOf } from "../rules/journal-row.ts";
import { sealJournalEntry } from "../rules/seal-journal-entry.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const COLUMNS = "sequence, at, record, previous_hash, hash";
const LAST = `SELECT ${COLUMNS} FROM journal WHERE thread_key = ? ORDER BY sequence DESC LIMIT 1`;
const RANGE = `SELECT ${COLUMNS} FROM journal WHERE thread_key = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
const INSERT = `INSERT INTO journal (thread_key, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;

/** The journal in SQLite. */
export class SqliteJournal implements AuditJournal {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    return this.#connection.write(() => {
      const threadKey = this.#keys.place(threadId);
      const last = this.#connection.get<JournalRow>(LAST, threadKey);
      const previous = last === undefined ? null : journalEntryOf(last, threadId);
      const { entry, record: serialized } = sealJournalEntry(previous, threadId, record, at);
      this.#connection.run(INSERT, threadKey, entry.sequence, entry.at, serialized, entry.previousHash, entry.hash);
      return entry;
    });
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all<JournalRow>(RANGE, threadKey, after, limit);
    return Object.freeze(rows.map((row) => journalEntryOf(row, threadId)));
  }
}
