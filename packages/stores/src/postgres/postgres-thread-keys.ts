import type { ThreadId } from "@threadfold/core";
import { isPlainText } from "../rules/checked-arguments.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";

/** How many keys are remembered. Looking one up again is cheap; remembering every thread of a large store is not. */
const REMEMBERED = 4_096;
const FIND = "SELECT thread_key FROM @.threads WHERE tenant = $1 AND thread_id = $2";
const INSERT =
  "INSERT INTO @.threads (tenant, thread_id) VALUES ($1, $2) ON CONFLICT (tenant, thread_id) DO NOTHING RETURNING thread_key";

/** Threads have long ids; rows name them by a small key, which never changes. */
export class PostgresThreadKeys {
  readonly #connection: PostgresConnection;
  readonly #known = new Map<ThreadId, number>();

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** The key of a thread of this tenant that the store has heard of. */
  async find(session: SqlSession, threadId: ThreadId): Promise<number | undefined> {
    const known = this.#known.get(threadId);
    if (known !== undefined) return known;
    // What PostgreSQL cannot keep was never kept, and some of it would be read as another id.
    if (!isPlainText(threadId)) return undefined;
    const key = await this.#read(session, threadId);
    if (key !== undefined) this.#remember(threadId, key);
    return key;
  }

  /** The key of a thread, given to it when it is new; a new one is not remembered, for it may still be rolled back. */
  async place(session: SqlSession, threadId: ThreadId): Promise<number> {
    const known = await this.find(session, threadId);
    if (known !== undefined) return known;
    const [row] = await session.query<{ thread_key: number }>(INSERT, [this.#connection.tenant, threadId]);
    return row?.thread_key ?? ((await this.#read(session, threadId)) as number);
  }

  async #read(session: SqlSession, threadId: ThreadId): Promise<number | undefined> {
    const [row] = await session.query<{ thread_key: number }>(FIND, [this.#connection.tenant, threadId]);
    return row?.thread_key;
  }

  #remember(threadId: ThreadId, key: number): void {
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(threadId, key);
  }
}
