import {
  AgentThread,
  type AppendOptions,
  type AppendResult,
  type Clock,
  type CompactionPlan,
  EventLoopTurns,
  type FoundMessage,
  finishSteps,
  isAbridgedPlan,
  type MessageId,
  type Page,
  type Pin,
  type PinId,
  type ResumedThread,
  type Steps,
  ThreadAddition,
  type ThreadEntry,
  type ThreadEntryInput,
  type ThreadId,
  type ThreadInfo,
  type ThreadPosition,
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
  MANY_ENTRIES,
  requireSeals,
  wholeNumber,
} from "../shared/store-basics.ts";
import {
  type AppendReceipt,
  answerRetry,
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
import { afterMessages, EntryLog, inThread, type KnownEnd, KnownEnds, keyAt, ThreadKeys } from "./entry-log.ts";
import { isRefusedRow, query, type SqliteConnection } from "./sqlite-connection.ts";

const LIST = query<ThreadRow>(
  `
  SELECT threads.thread_key, thread_id, coalesce(last.version, archives.version) AS version,
    coalesce(last.appended_at, archives.appended_at) AS appended_at,
    coalesce((SELECT appended_at FROM entries WHERE entry_key = ${keyAt("threads.thread_key", "1")}),
      archives.created_at) AS created_at,
    coalesce((SELECT max(version) FROM plans WHERE thread_key = threads.thread_key), plan_version) AS plan_version,
    coalesce((SELECT committed_at FROM plans WHERE thread_key = threads.thread_key ORDER BY version DESC LIMIT 1),
      committed_at) AS committed_at, archived_at
  FROM threads LEFT JOIN entries AS last
      ON last.entry_key = (SELECT max(entry_key) FROM entries WHERE ${inThread("threads.thread_key")})
    LEFT JOIN archives ON archives.thread_key = threads.thread_key AND is_cold = 1
  WHERE threads.thread_key > ? AND (last.version IS NOT NULL OR archived_at IS NOT NULL)
  ORDER BY threads.thread_key LIMIT ?`,
  {
    thread_key: "integer",
    thread_id: "text",
    version: "integer",
    appended_at: "integer",
    created_at: "integer",
    plan_version: "integer or null",
    committed_at: "integer or null",
    archived_at: "text or null",
  },
);

/** Stores threads in SQLite. An append reads the end of the thread and never the whole, so its cost does not grow. */
export class SqliteThreads implements ThreadStore {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;
  readonly #writer: LogWriter;
  readonly #ends = new KnownEnds();

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
    this.#writer = new LogWriter(connection, clock, this.#keys);
  }

  async append(
    threadId: ThreadId,
    entries: readonly ThreadEntryInput[],
    options: AppendOptions,
  ): Promise<AppendResult> {
    checkThreadId(threadId);
    checkIdempotencyKey(options.idempotencyKey);
    const request: AppendRequest = { threadId, entries, options };
    if (entries.length < MANY_ENTRIES)
      return this.#connection.whenFree(() => this.#appendAtKnownEnd(request) ?? this.#appendAtEnd(request));
    return this.#noted(
      await this.#connection.writeInSteps(
        (own) => new LogWriter(own, this.#clock).appendInSteps(request),
        options.signal,
      ),
    );
  }

  /** Looks up what the append needs, and appends. */
  #appendAtEnd(request: AppendRequest): AppendResult {
    return this.#noted(this.#connection.write(() => finishSteps(this.#writer.appendInSteps(request))));
  }

  /** Remembers the end of a thread after an append. */
  #noted({ result, reached }: Appended): AppendResult {
    if (reached !== undefined) this.#ends.remember(reached.threadKey, reached);
    return result;
  }

  /**
   * Appends messages at the end where this connection left the thread, without looking anything up. Returns undefined,
   * and appends nothing, when another writer has appended since, or when the thread already has one of the messages,
   * which the schema or the recent ids reveal.
   */
  #appendAtKnownEnd({ threadId, entries, options }: AppendRequest): AppendResult | undefined {
    const { expectedVersion, idempotencyKey } = options;
    const threadKey = idempotencyKey === undefined ? this.#keys.find(threadId) : undefined;
    const known = threadKey === undefined ? undefined : this.#ends.of(threadKey);
    if (threadKey === undefined || known === undefined) return undefined;
    const { end, mayBeSealed, recent = new Set(this.#log.recentIds(threadKey, end)) } = known;
    if (mayBeSealed && !entries.every(isSealedEntry)) return undefined;
    const ids = entries.map((entry) => (entry.type === "message" ? entry.message?.id : undefined));
    // If nothing is added, nothing is refused either.
    if (ids.length === 0 || !ids.every((id) => id !== undefined && !recent.has(id))) return undefined;
    if (expectedVersion !== "any" && expectedVersion !== end.version) return undefined;
    try {
      const add = (): LogEnd => finishSteps(this.#writer.addNewInSteps(threadKey, end, entries));
      // One row is one statement, which is its own transaction.
      const after = entries.length === 1 ? add() : this.#connection.write(add);
      this.#ends.remember(threadKey, afterMessages({ end, recent, mayBeSealed }, ids as readonly MessageId[], after));
      return Object.freeze({ version: after.version, appended: after.version - end.version });
    } catch (error) {
      this.#ends.forget(threadKey);
      if (isRefusedRow(error)) return undefined;
      throw error;
    }
  }

  async load(threadId: ThreadId, options: { readonly atVersion?: number } = {}): Promise<AgentThread | null> {
    const atVersion = wholeNumber("atVersion", options.atVersion, 0, Number.MAX_SAFE_INTEGER);
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined || this.#log.end(threadKey).version === 0) return null;
    // Entries never change, so what is read up to a version is consistent even while others append.
    const end = this.#log.end(threadKey, atVersion);
    const turns = new EventLoopTurns();
    const bodies = await turns.finish(this.#log.bodiesInSteps(threadKey, 0, end.version));
    return turns.finish(AgentThread.restoreInSteps(threadId, bodies, end.link));
  }

  async list(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<ThreadInfo>> {
    const page = pageRequest(options);
    const rows = this.#connection.all(LIST, page.after, page.limit + 1);
    return pageOf(
      rows.map((row) => ({ place: row.thread_key, item: threadInfoOf(row) })),
      page,
    );
  }
}

const FIND_RECEIPT = query<ReceiptRow>(
  "SELECT request_digest, version, appended FROM receipts WHERE thread_key = ? AND idempotency_key = ?",
  { request_digest: "text", version: "integer", appended: "integer" },
);
const INSERT_RECEIPT =
  "INSERT INTO receipts (thread_key, idempotency_key, request_digest, version, appended) VALUES (?, ?, ?, ?, ?)";
const NO_PINS: ReadonlyMap<PinId, Pin> = new Map();

/** A request to append entries to a thread. */
interface AppendRequest {
  readonly threadId: ThreadId;
  readonly entries: readonly ThreadEntryInput[];
  readonly options: AppendOptions;
}

interface Appended {
  readonly result: AppendResult;
  /** The new end of the thread; absent when the append was a retry. */
  readonly reached?: KnownEnd & { readonly threadKey: number };
}

/** Appends within a write transaction of its connection. */
class LogWriter {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;

  constructor(connection: SqliteConnection, clock: Clock, keys = new ThreadKeys(connection)) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = keys;
    this.#log = new EntryLog(connection);
  }

  /** Looks up what the append needs, and appends. */
  *appendInSteps({ threadId, entries, options }: AppendRequest): Steps<Appended> {
    const { expectedVersion, idempotencyKey } = options;
    const threadKey = this.#keys.place(threadId);
    const earlier = this.#findReceipt(threadKey, idempotencyKey);
    if (earlier !== undefined) return { result: answerRetry(threadId, earlier, entries, this.#log.kept(threadKey)) };
    const before = this.#log.end(threadKey);
    requireVersion(threadId, before.version, expectedVersion);
    requireSeals(threadId, entries.every(isSealedEntry), () => this.#log.sealedStart(threadKey));
    const existing = (id: MessageId) => (before.version === 0 ? undefined : this.#log.message(threadKey, id));
    const pins = this.#livePins(threadKey, entries);
    const addition = new ThreadAddition(positionOf(before), before.messages, pins, existing);
    yield* addition.addInSteps(entries);
    const end = yield* this.#log.addInSteps(threadKey, before, addition.entries, Math.trunc(this.#clock.now()));
    const result = Object.freeze({ version: end.version, appended: end.version - before.version });
    if (idempotencyKey !== undefined) this.#keepReceipt(threadKey, idempotencyKey, receiptFor(entries, result));
    return { result, reached: { threadKey, end, mayBeSealed: entries.some(isSealedEntry) } };
  }

  /** Appends messages that are assumed to be new, and returns the thread's new end. */
  *addNewInSteps(threadKey: number, end: LogEnd, inputs: readonly ThreadEntryInput[]): Steps<LogEnd> {
    const addition = new ThreadAddition(positionOf(end), end.messages, NO_PINS, () => undefined);
    yield* addition.addInSteps(inputs);
    return yield* this.#log.addInSteps(threadKey, end, addition.entries, Math.trunc(this.#clock.now()));
  }

  /** Returns the live pins among those that the entries name; others cannot matter to them. */
  #livePins(threadKey: number, inputs: readonly ThreadEntryInput[]): ReadonlyMap<PinId, Pin> {
    const pins = new Map<PinId, Pin>();
    for (const input of inputs) {
      const id = input.type === "pin" ? input.pin?.id : input.type === "pin-lifted" ? input.pinId : undefined;
      const pin = typeof id === "string" ? this.#log.livePin(threadKey, id) : undefined;
      if (pin !== undefined) pins.set(pin.id, pin);
    }
    return pins;
  }

  #findReceipt(threadKey: number, key: string | undefined): AppendReceipt | undefined {
    const row = key === undefined ? undefined : this.#connection.get(FIND_RECEIPT, threadKey, key);
    return row && receiptOf(row);
  }

  #keepReceipt(threadKey: number, key: string, { requestDigest, result }: AppendReceipt): void {
    this.#connection.run(INSERT_RECEIPT, threadKey, key, requestDigest, result.version, result.appended);
  }
}

const positionOf = ({ turn, step }: LogEnd): ThreadPosition => ({ turn, step });

const NEWEST_PLAN = query<PlanRow>(
  "SELECT version, body FROM plans WHERE thread_key = ? ORDER BY version DESC LIMIT 1",
  { version: "integer", body: "text" },
);
const PLAN_AT = query<PlanRow>("SELECT version, body FROM plans WHERE thread_key = ? AND version = ?", {
  version: "integer",
  body: "text",
});

/** Reads parts of threads in SQLite. Entries and plans never change, so a consistent read needs no transaction. */
export class SqliteRanges implements ThreadRanges {
  readonly #connection: SqliteConnection;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
  }

  async resume(threadId: ThreadId): Promise<ResumedThread | null> {
    const threadKey = this.#keys.find(threadId);
    const row = threadKey === undefined ? undefined : this.#connection.get(NEWEST_PLAN, threadKey);
    if (threadKey === undefined || row === undefined || !isAbridgedPlan(row.body)) return null;
    const plan = outlinedPlan(row, threadId);
    const base = this.#log.end(threadKey, plan.threadVersion);
    linkAt(plan.threadVersion, base, threadId);
    const toVersion = this.#log.end(threadKey).version;
    const read = (range: VersionRange) => this.#read(threadId, threadKey, range);
    const shown = shownRanges(plan, this.#log.pinVersions(threadKey)).map(read);
    const tail = read({ fromVersion: base.version, toVersion });
    return Object.freeze({ thread: resumedThread(threadId, base, shown, tail), plan });
  }

  async loadPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    const threadKey = this.#keys.find(threadId);
    const row = threadKey === undefined ? undefined : this.#connection.get(PLAN_AT, threadKey, version);
    return row === undefined ? null : outlinedPlan(row, threadId);
  }

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const fromVersion = wholeNumber("fromVersion", range.fromVersion, 0, 0);
    const wanted = wholeNumber("toVersion", range.toVersion, 0, Number.MAX_SAFE_INTEGER);
    const threadKey = this.#keys.find(threadId);
    const toVersion = threadKey === undefined ? 0 : this.#log.end(threadKey, wanted).version;
    if (threadKey === undefined || toVersion <= fromVersion) return Object.freeze([]);
    const turns = new EventLoopTurns();
    const stored = await turns.finish(this.#readInSteps(threadId, threadKey, { fromVersion, toVersion }));
    return Object.freeze(await turns.finish(entriesInSteps(stored)));
  }

  async findMessages(threadId: ThreadId, ids: readonly MessageId[]): Promise<readonly FoundMessage[]> {
    const threadKey = this.#keys.find(threadId);
    if (threadKey === undefined) return Object.freeze([]);
    const places = [...new Set(ids)].flatMap((id) => this.#log.placeOf(threadKey, id) ?? []);
    const found = places
      .sort((a, b) => a.version - b.version)
      .flatMap(({ version }) => {
        const [entry] = entriesOf(this.#read(threadId, threadKey, { fromVersion: version - 1, toVersion: version }));
        return entry?.type === "message" ? [Object.freeze({ version, message: entry.message })] : [];
      });
    return Object.freeze(found);
  }

  #read(threadId: ThreadId, threadKey: number, range: VersionRange): StoredRange {
    return finishSteps(this.#readInSteps(threadId, threadKey, range));
  }

  *#readInSteps(threadId: ThreadId, threadKey: number, { fromVersion, toVersion }: VersionRange): Steps<StoredRange> {
    const bodies = yield* this.#log.bodiesInSteps(threadKey, fromVersion, toVersion);
    const before = linkAt(fromVersion, this.#log.end(threadKey, fromVersion), threadId);
    const after = linkAt(toVersion, this.#log.end(threadKey, toVersion), threadId);
    return { fromVersion, toVersion, bodies, before, after };
  }
}
