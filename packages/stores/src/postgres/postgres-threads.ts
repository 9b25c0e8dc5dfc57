import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Clock,
  type CompactionPlan,
  EventLoopTurns,
  type FoundMessage,
  isAbridgedPlan,
  type MessageId,
  type Page,
  type ResumedThread,
  ThreadAddition,
  type ThreadEntry,
  type ThreadEntryInput,
  type ThreadId,
  type ThreadInfo,
  type ThreadRanges,
  type ThreadStore,
} from "@threadfold/core";
import type { PlanRow } from "../shared/plans.ts";
import {
  entriesInSteps,
  entriesOf,
  linkAt,
  outlinedPlan,
  resumedThread,
  type StoredRange,
  shownRanges,
  type VersionRange,
} from "../shared/ranges.ts";
import {
  checkIdempotencyKey,
  checkThreadId,
  isSealedEntry,
  requireSeals,
  wholeNumber,
} from "../shared/store-basics.ts";
import {
  type AppendReceipt,
  answerRetry,
  idsIn,
  type LogEnd,
  pageOf,
  pageRequest,
  type ReceiptRow,
  receiptFor,
  receiptOf,
  requireVersion,
  type ThreadRow,
  threadInfoOf,
} from "../shared/threads.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import {
  addEntries,
  entryRows,
  PostgresThreadKeys,
  readBodies,
  readEnd,
  readEndAndStart,
  readKept,
  readLivePins,
  readMessages,
  readPinVersions,
  readPlaces,
} from "./postgres-entry-log.ts";

const FIND_RECEIPT =
  "SELECT request_digest, version, appended FROM @.receipts WHERE thread_key = $1 AND idempotency_key = $2";
const INSERT_RECEIPT = `INSERT INTO @.receipts (thread_key, tenant, idempotency_key, request_digest, version, appended)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const LIST = `
  (SELECT thread_key, thread_id, newest.version, newest.appended_at, first.appended_at AS created_at,
    plan.version AS plan_version, plan.committed_at, NULL AS archived_at
  FROM @.threads
    JOIN @.entries AS first USING (thread_key)
    CROSS JOIN LATERAL (SELECT version, appended_at FROM @.entries
      WHERE thread_key = threads.thread_key ORDER BY version DESC LIMIT 1) AS newest
    LEFT JOIN LATERAL (SELECT version, committed_at FROM @.plans
      WHERE thread_key = threads.thread_key ORDER BY version DESC LIMIT 1) AS plan ON true
  WHERE threads.tenant = $1 AND thread_key > $2 AND first.version = 1
  ORDER BY thread_key LIMIT $3)
  UNION ALL
  (SELECT thread_key, thread_id, version, appended_at, created_at, plan_version, committed_at, archived_at
  FROM @.threads JOIN @.archives USING (thread_key)
  WHERE threads.tenant = $1 AND thread_key > $2 AND is_cold
  ORDER BY thread_key LIMIT $3)
  ORDER BY thread_key LIMIT $3`;

/**
 * Stores threads in PostgreSQL. An append reads the end of the thread and never the whole, so its cost does not grow.
 */
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
      if (earlier !== undefined)
        return answerRetry(threadId, earlier, entries, await readKept(session, threadKey, idsIn(entries)));
      const areSealed = entries.every(isSealedEntry);
      const { end, first } = await readEndAndStart(session, threadKey, areSealed);
      requireVersion(threadId, end.version, options.expectedVersion);
      requireSeals(threadId, areSealed, () => first);
      const { version } = await this.#add(session, threadKey, end, entries, options.signal);
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
      // Entries never change, so what is read up to a version is consistent even while others append.
      const end = await readEnd(session, threadKey, atVersion);
      if (end.version === 0 && (await readEnd(session, threadKey)).version === 0) return null;
      const bodies = await readBodies(session, threadKey, 0, end.version);
      return new EventLoopTurns().finish(AgentThread.restoreInSteps(threadId, bodies, end.link));
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
    signal: AbortSignal | undefined,
  ): Promise<LogEnd> {
    const { messageIds, pinIds } = idsIn(inputs);
    const known = end.version === 0 ? new Map() : await readMessages(session, threadKey, messageIds);
    const pins = await readLivePins(session, threadKey, pinIds);
    const position = { turn: end.turn, step: end.step };
    const addition = new ThreadAddition(position, end.messages, pins, (id) => known.get(id));
    const turns = new EventLoopTurns();
    await turns.finish(addition.addInSteps(inputs), signal);
    const thread = { key: threadKey, tenant: this.#connection.tenant, end };
    const rows = await turns.finish(entryRows(addition.entries, end), signal);
    return addEntries(session, thread, rows, Math.trunc(this.#clock.now()));
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

const NEWEST_PLAN = "SELECT version, body FROM @.plan_bodies WHERE thread_key = $1 ORDER BY version DESC LIMIT 1";
const PLAN_AT = "SELECT version, body FROM @.plan_bodies WHERE thread_key = $1 AND version = $2";

/** Reads parts of threads in PostgreSQL. */
export class PostgresRanges implements ThreadRanges {
  readonly #connection: PostgresConnection;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const [row] = threadKey === undefined ? [] : await session.query<PlanRow>(NEWEST_PLAN, [threadKey]);
      if (threadKey === undefined || row === undefined || !isAbridgedPlan(row.body)) return null;
      const plan = outlinedPlan(row, threadId);
      const base = await readEnd(session, threadKey, plan.threadVersion);
      linkAt(plan.threadVersion, base, threadId);
      const toVersion = (await readEnd(session, threadKey)).version;
      const log = { session, threadId, threadKey };
      const shown: StoredRange[] = [];
      for (const range of shownRanges(plan, await readPinVersions(session, threadKey)))
        shown.push(await readRange(log, range));
      const tail = await readRange(log, { fromVersion: base.version, toVersion });
      return Object.freeze({ thread: resumedThread(threadId, base, shown, tail), plan });
    });
  }

  async loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    // A number that cannot be a plan's version may also be one that PostgreSQL cannot look up.
    const known = Number.isSafeInteger(version) ? version : 0;
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const [row] = threadKey === undefined ? [] : await session.query<PlanRow>(PLAN_AT, [threadKey, known]);
      return row === undefined ? null : outlinedPlan(row, threadId);
    });
  }

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const fromVersion = wholeNumber("fromVersion", range.fromVersion, 0, 0);
    const wanted = wholeNumber("toVersion", range.toVersion, 0, Number.MAX_SAFE_INTEGER);
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const toVersion = threadKey === undefined ? 0 : (await readEnd(session, threadKey, wanted)).version;
      if (threadKey === undefined || toVersion <= fromVersion) return Object.freeze([]);
      const stored = await readRange({ session, threadId, threadKey }, { fromVersion, toVersion });
      return Object.freeze(await new EventLoopTurns().finish(entriesInSteps(stored)));
    });
  }

  async findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      if (threadKey === undefined) return Object.freeze([]);
      const places = await readPlaces(session, threadKey, [...new Set(ids)]);
      const found: FoundMessage[] = [];
      for (const { version } of [...places.values()].sort((a, b) => a.version - b.version)) {
        const range = { fromVersion: version - 1, toVersion: version };
        const [entry] = entriesOf(await readRange({ session, threadId, threadKey }, range));
        if (entry?.type === "message") found.push(Object.freeze({ version, message: entry.message }));
      }
      return Object.freeze(found);
    });
  }
}

/** The log of a thread, and the session to read it with. */
interface Log {
  readonly session: SqlSession;
  readonly threadId: ThreadId;
  readonly threadKey: number;
}

async function readRange({ session, threadId, threadKey }: Log, range: VersionRange): Promise<StoredRange> {
  const { fromVersion, toVersion } = range;
  const bodies = await readBodies(session, threadKey, fromVersion, toVersion);
  const before = linkAt(fromVersion, await readEnd(session, threadKey, fromVersion), threadId);
  const after = linkAt(toVersion, await readEnd(session, threadKey, toVersion), threadId);
  return { fromVersion, toVersion, bodies, before, after };
}
