import type { AuditJournal, JournalEntry, JournalRecord, ThreadId } from "@threadfold/core";
import { checkThreadId } from "../rules/checked-arguments.ts";
import { journalRange } from "../rules/journal-range.ts";
import { type JournalRow, journalEntryOf } from "../rules/journal-row.ts";
import { sealJournalEntry } from "../rules/seal-journal-entry.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";

const COLUMNS = "sequence, at, record, previous_hash, hash";
const LAST = `SELECT ${COLUMNS} FROM @.journal WHERE thread_key = $1 ORDER BY sequence DESC LIMIT 1`;
const RANGE = `SELECT ${COLUMNS} FROM @.journal WHERE thread_key = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`;
const INSERT = `INSERT INTO @.journal (thread_key, tenant, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`;

/** The journal in PostgreSQL. */
export class PostgresJournal implements AuditJournal {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async append(threadId: ThreadId, record: JournalRecord, at: string): Promise<JournalEntry> {
    checkThreadId(threadId);
    return this.#connection.write("journal", threadId, async (session) => {
      const threadKey = await this.#keys.place(session, threadId);
      const [last] = await session.query<JournalRow>(LAST, [threadKey]);
      const previous = last === undefined ? null : journalEntryOf(last, threadId);
      const { entry, record: serialized } = sealJournalEntry(previous, threadId, record, at);
      const { sequence, previousHash, hash } = entry;
      const { tenant } = this.#connection;
      await session.query(INSERT, [threadKey, tenant, sequence, entry.at, serialized, previousHash, hash]);
      return entry;
    });
  }

  async read(
    threadId: ThreadId,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly JournalEntry[]> {
    const { after, limit } = journalRange(options);
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const rows = threadKey === undefined ? [] : await session.query<JournalRow>(RANGE, [threadKey, after, limit]);
      return Object.freeze(rows.map((row) => journalEntryOf(row, threadId)));
    });
  }
}
