import {
  abridgePlan,
  type Clock,
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  EventLoopTurns,
  type MessageId,
  type MessagePlace,
  type PlanInfo,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import {
  admitPlan,
  HiddenMessages,
  isSealedPlan,
  type PlanRow,
  readableRuns,
  requireKnownMessages,
  wholePlanInSteps,
} from "../shared/plans.ts";
import { requireSeals } from "../shared/store-basics.ts";
import { EntryLog, ThreadKeys } from "./entry-log.ts";
import { type Columns, query, type SqliteConnection } from "./sqlite-connection.ts";

const PLAN_COLUMNS: Columns<PlanRow> = { version: "integer", body: "text" };
const NEWEST = query<PlanRow>(
  "SELECT version, body FROM plans WHERE thread_key = ? ORDER BY version DESC LIMIT 1",
  PLAN_COLUMNS,
);
const AT = query<PlanRow>("SELECT version, body FROM plans WHERE thread_key = ? AND version = ?", PLAN_COLUMNS);
const VERSION = query<{ version: number }>(
  "SELECT version FROM plans WHERE thread_key = ? ORDER BY version DESC LIMIT 1",
  { version: "integer" },
);
const IDS = query<{ current: number | null; planId: string | null }>(
  `SELECT max(version) AS current,
    (SELECT plan_id FROM plans WHERE thread_key = :thread AND version = :version) AS planId
  FROM plans WHERE thread_key = :thread`,
  { current: "integer or null", planId: "text or null" },
);
const LIST = query<PlanInfo>(
  `SELECT plan_id AS planId, version, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens FROM plans WHERE thread_key = ? ORDER BY version`,
  {
    planId: "text",
    version: "integer",
    threadVersion: "integer",
    createdAt: "text",
    originalTokens: "number",
    compactedTokens: "number",
  },
);
const INSERT_PLAN = `INSERT INTO plans
  (thread_key, version, plan_id, thread_version, created_at, original_tokens, compacted_tokens, committed_at, body)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Stores plans in a SQLite file. */
export class SqlitePlans implements CompactionStore {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #keys: ThreadKeys;
  readonly #log: EntryLog;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new ThreadKeys(connection);
    this.#log = new EntryLog(connection);
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const plan = await this.#read(threadId, (threadKey) => this.#connection.get(NEWEST, threadKey));
    return Object.freeze({ plan, version: plan?.version ?? 0 });
  }

  async getCurrentVersion(threadId: ThreadId): Promise<number> {
    const threadKey = this.#keys.find(threadId);
    const row = threadKey === undefined ? undefined : this.#connection.get(VERSION, threadKey);
    return row?.version ?? 0;
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#read(threadId, (threadKey) => this.#connection.get(AT, threadKey, version));
  }

  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all(LIST, threadKey);
    return Object.freeze(rows.map((row) => Object.freeze({ ...row })));
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const admitted = admitPlan(threadId, candidate, expectedVersion);
    return this.#connection.whenFree(() =>
      this.#connection.write(() => Object.freeze(this.#commit(threadId, admitted, expectedVersion))),
    );
  }

  #commit(threadId: ThreadId, plan: CompactionPlan, expectedVersion: number): CommitResult {
    const threadKey = this.#keys.find(threadId);
    const end = threadKey === undefined ? undefined : this.#log.end(threadKey);
    if (threadKey === undefined || end === undefined || end.version === 0) {
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to commit a plan to.`);
    }
    requireSeals(threadId, isSealedPlan(plan), () => this.#log.sealedStart(threadKey));
    const found = this.#connection.get(IDS, { thread: threadKey, version: plan.version });
    const currentVersion = found?.current ?? 0;
    if (found?.planId === plan.planId) return { status: "committed", version: plan.version };
    if (currentVersion !== expectedVersion) return { status: "conflict", currentVersion };
    const places = new Map<MessageId, MessagePlace>();
    const placeOf = (id: MessageId): MessagePlace | undefined => {
      const place = places.get(id) ?? this.#log.placeOf(threadKey, id);
      if (place !== undefined) places.set(id, place);
      return place;
    };
    requireKnownMessages(plan, end.version, placeOf);
    this.#insert(threadKey, plan, abridgePlan(plan, placeOf));
    return { status: "committed", version: plan.version };
  }

  #insert(threadKey: number, plan: CompactionPlan, body: string): void {
    const { version, planId, threadVersion, createdAt, originalTokens, compactedTokens } = plan;
    const committedAt = Math.trunc(this.#clock.now());
    this.#connection.run(
      INSERT_PLAN,
      threadKey,
      version,
      planId,
      threadVersion,
      createdAt,
      originalTokens,
      compactedTokens,
      committedAt,
      body,
    );
  }

  /** Reads a plan and then, in steps, the ids that it hides: logs are append-only, so that they are as they were. */
  async #read(threadId: ThreadId, find: (threadKey: number) => PlanRow | undefined): Promise<CompactionPlan | null> {
    const threadKey = this.#keys.find(threadId);
    const row = threadKey === undefined ? undefined : find(threadKey);
    if (threadKey === undefined || row === undefined) return null;
    const messages = new HiddenMessages();
    const part = messages.unread(readableRuns(row.body));
    const turns = new EventLoopTurns();
    if (part !== null) messages.add(await turns.finish(this.#log.messagesInSteps(threadKey, part)), part);
    return turns.finish(wholePlanInSteps(row, threadId, (run) => messages.in(run)));
  }
}
