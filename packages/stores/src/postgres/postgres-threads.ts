import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Clock,
  type Page,
  ThreadAddition,
  type ThreadEntryInput,
  type ThreadId,
  type ThreadInfo,
  type ThreadStore,
} from "@threadfold/core";
import { type AppendReceipt, answerRetry, receiptFor } from "../rules/append-receipt.ts";
import { checkIdempotencyKey, checkThreadId, wholeNumber } from "../rules/checked-arguments.ts";
import { requireVersion } from "../rules/expected-version.ts";
import type { LogEnd } from "../rules/log-end.ts";
import { pageOf, pageRequest } from "../rules/thread-page.ts";
import { type ReceiptRow, receiptOf, type ThreadRow, threadInfoOf } from "../rules/thread-row.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { addEntries, readBodies, readEnd, readLivePins, readMessages } from "./postgres-entry-log.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";

const FIND_RECEIPT =
  "SELECT request_digest, version, appended FROM @.receipts WHERE thread_key = $1 AND idempotency_key = $2";
const INSERT_RECEIPT = `INSERT INTO @.receipts (thread_key, tenant, idempotency_key, request_digest, version, appended)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const LIST = `
  SELECT thread_key, thread_id, newest.version, newest.appended_at, first.appended_at AS created_at,
    plan.version AS plan_version, plan.committed_at
  FROM @.threads
    JOIN @.entries AS first USING (thread_key)
    CROSS JOIN LATERAL (SELECT version, appended_at FROM @.entries
      WHERE thread_key = threads.thread_key ORDER BY version DESC LIMIT 1) AS newest
    LEFT JOIN LATERAL (SELECT version, committed_at FROM @.plans
      WHERE thread_key = threads.thread_key ORDER BY version DESC LIMIT 1) AS plan ON true
  WHERE threads.tenant = $1 AND thread_key > $2 AND first.version = 1
  ORDER BY thread_key LIMIT $3`;

/** Threads in PostgreSQL. An append reads where the thread ends and never the thread, so its cost does not grow with it. */
export class PostgresThreads implements ThreadStore {
  readonly #connection: PostgresConnection;
  readonly #clock: Clock;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async append(
    threadId: ThreadId,
    entries: readonly ThreadEntryInput[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    checkThreadId(threadId);
    checkIdempotencyKey(options.idempotencyKey);
    return this.#connection.write("log", threadId, async (session) => {
      const threadKey = await this.#keys.place(session, threadId);
      const earlier = await findReceipt(session, threadKey, options.idempotencyKey);
      if (earlier !== undefined) return answerRetry(threadId, earlier, entries);
      const end = await readEnd(session, threadKey);
      requireVersion(threadId, end.version, options.expectedVersion);
      const { version } = await this.#add(session, threadKey, end, entries);
      const result = Object.freeze({ version, appended: version - end.version });
      if (options.idempotencyKey !== undefined)
        await this.#keepReceipt(session, threadKey, options.idempotencyKey, receiptFor(entries, result));
      return result;
    });
  }

  async load(threadId: ThreadId, options: { readonly atVersion?: number } = {}): Promise<AgentThread | null> {
    const atVersion = wholeNumber("atVersion", options.atVersion, 0, Number.MAX_SAFE_INTEGER);
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      if (threadKey === undefined) return null;
      // Entries never change, so what is read up to a version is one state even while others append.
      const end = await readEnd(session, threadKey, atVersion);
      if (end.version === 0 && (await readEnd(session, threadKey)).version === 0) return null;
      return AgentThread.restore(threadId, await readBodies(session, threadKey, 0, end.version), end.link);
    });
  }

  async list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>> {
    const page = pageRequest(options);
    const rows = await this.#connection.query<ThreadRow>(LIST, this.#connection.tenant, page.after, page.limit + 1);
    return pageOf(
      rows.map((row) => ({ place: row.thread_key, item: threadInfoOf(row) })),
      page,
    );
  }

  async #add(
    session: SqlSession,
    threadKey: number,
    end: LogEnd,
    inputs: readonly ThreadEntryInput[],
  ): Promise<LogEnd> {
    const { messageIds, pinIds } = idsIn(inputs);
    const known = end.version === 0 ? new Map() : await readMessages(session, threadKey, messageIds);
    const pins = await readLivePins(session, threadKey, pinIds);
    const position = { turn: end.turn, step: end.step };
    const addition = new ThreadAddition(position, end.messages, pins, (id) => known.get(id));
    for (const input of inputs) addition.add(input);
    const thread = { key: threadKey, tenant: this.#connection.tenant, end };
    return addEntries(session, thread, addition.entries, Math.trunc(this.#clock.now()));
  }

  async #keepReceipt(
    session: SqlSession,
    threadKey: number,
    key: string,
    { requestDigest, result }: AppendReceipt,
  ): Promise<void> {
    const { version, appended } = result;
    await session.query(INSERT_RECEIPT, [threadKey, this.#connection.tenant, key, requestDigest, version, appended]);
  }
}

async function findReceipt(
  session: SqlSession,
  threadKey: number,
  key: string | undefined,
): Promise<AppendReceipt | undefined> {
  const [row] = key === undefined ? [] : await session.query<ReceiptRow>(FIND_RECEIPT, [threadKey, key]);
  return row && receiptOf(row);
}

/** The ids that entries name. They come before the entries are checked, so anything may stand where an id is expected. */
function idsIn(inputs: readonly ThreadEntryInput[]): {
  readonly messageIds: readonly string[];
  readonly pinIds: readonly string[];
} {
  const messageIds = inputs.map((input) => (input.type === "message" ? (input.message?.id as unknown) : undefined));
  const pinIds = inputs.map((input) =>
    input.type === "pin"
      ? (input.pin?.id as unknown)
      : input.type === "pin-lifted"
        ? (input.pinId as unknown)
        : undefined,
  );
  return { messageIds: messageIds.filter(isText), pinIds: pinIds.filter(isText) };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.isWellFormed();
