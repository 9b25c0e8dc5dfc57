import type { ThreadId } from "@threadfold/core";
import { isPlainText } from "../rules/checked-arguments.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";

const FIND = query<{ thread_key: number }>("SELECT thread_key FROM threads WHERE thread_id = ?", {
  thread_key: "integer",
});

/** How many keys are remembered. Looking one up again is cheap; remembering every thread of a large store is not. */
const REMEMBERED = 4_096;

/** Threads have long ids; rows name them by a small key, which never changes. */
export class ThreadKeys {
  readonly #connection: SqliteConnection;
  readonly #known = new Map<ThreadId, number>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** The key of a thread that the store has heard of. */
  find(threadId: ThreadId): number | undefined {
    const known = this.#known.get(threadId);
    if (known !== undefined) return known;
    // SQLite would look for the replacement character where a lone surrogate stands, and find another thread.
    if (!isPlainText(threadId)) return undefined;
    const row = this.#connection.get(FIND, threadId);
    if (row !== undefined) this.#remember(threadId, row.thread_key);
    return row?.thread_key;
  }

  /**
   * The key of a thread, given to it when it is new. Call it once within a write transaction: a new key is not
   * remembered before it is read back, because the transaction may still be rolled back.
   */
  place(threadId: ThreadId): number {
    return this.find(threadId) ?? this.#connection.run("INSERT INTO threads (thread_id) VALUES (?)", threadId);
  }

  #remember(threadId: ThreadId, key: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(threadId, key);
  }
}
