import type { AuditJournal, JournalEntry, JournalRecord, ThreadId } from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { journalRange } from "../rules/journal-range.ts";
import { type JournalRow, journalEntryOf } from "../rules/journal-row.ts";
import { sealJournalEntry } from "../rules/seal-journal-entry.ts";
import { type Columns, query, type SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const COLUMNS = "sequence, at, record, previous_hash, hash";
const KINDS: Columns<JournalRow> = {
  sequence: "integer",
  at: "text",
  record: "text",
  previous_hash: "text",
  hash: "text",
};
const LAST = query<JournalRow>(
  `SELECT ${COLUMNS} FROM journal WHERE thread_key = ? ORDER BY sequence DESC LIMIT 1`,
  KINDS,
);
const RANGE = query<JournalRow>(
  `SELECT ${COLUMNS} FROM journal WHERE thread_key = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
  KINDS,
);
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
    return this.#connection.whenFree(() => this.#connection.write(() => this.#append(threadId, record, at)));
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all(RANGE, threadKey, after, limit);
    return Object.freeze(rows.map((row) => journalEntryOf(row, threadId)));
  }

  #append(threadId: ThreadId, record: JournalRecord, at: string): JournalEntry {
    const threadKey = this.#keys.place(threadId);
    const last = this.#connection.get(LAST, threadKey);
    const previous = last === undefined ? null : journalEntryOf(last, threadId);
    const { entry, record: serialized } = sealJournalEntry(previous, threadId, record, at);
    this.#connection.run(INSERT, threadKey, entry.sequence, entry.at, serialized, entry.previousHash, entry.hash);
    return entry;
  }
}
