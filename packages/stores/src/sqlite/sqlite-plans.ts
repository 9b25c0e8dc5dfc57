import {
  type Clock,
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  freezeDeep,
  type PlanId,
  type PlanInfo,
  parsePlan,
  serializePlan,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";
import { admitPlan, requireKnownMessages } from "../rules/admit-plan.ts";
import { EntryLog } from "./entry-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const NEWEST =
  "SELECT version, body FROM plans JOIN bodies USING (body_key) WHERE thread_key = ? ORDER BY version DESC LIMIT 1";
const AT = "SELECT version, body FROM plans JOIN bodies USING (body_key) WHERE thread_key = ? AND version = ?";
const IDS = `SELECT max(version) AS current, (SELECT plan_id FROM plans WHERE thread_key = ? AND version = ?) AS planId
  FROM plans WHERE thread_key = ?`;
const LIST = `SELECT plan_id AS planId, version, thread_version AS threadVersion, created_at AS createdAt,
  original_tokens AS originalTokens, compacted_tokens AS compactedTokens FROM plans WHERE thread_key = ? ORDER BY version`;
const INSERT_BODY = "INSERT INTO bodies (body) VALUES (?)";
const INSERT_PLAN = `INSERT INTO plans
  (thread_key, version, plan_id, thread_version, created_at, original_tokens, compacted_tokens, committed_at, body_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface PlanRow {
  readonly version: number;
  readonly body: string;
}

/** Plans in SQLite. */
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
    const plan = this.#read(threadId, (threadKey) => this.#connection.get<PlanRow>(NEWEST, threadKey));
    return Object.freeze({ plan, version: plan?.version ?? 0 });
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    return this.#read(threadId, (threadKey) => this.#connection.get<PlanRow>(AT, threadKey, version));
  }

  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    const threadKey = this.#keys.find(threadId);
    const rows = threadKey === undefined ? [] : this.#connection.all<PlanInfo>(LIST, threadKey);
    return Object.freeze(rows.map((row) => Object.freeze({ ...row })));
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const admitted = admitPlan(threadId, candidate, expectedVersion);
    return this.#connection.write(() => Object.freeze(this.#commit(threadId, admitted, expectedVersion)));
  }

  #commit(threadId: ThreadId, plan: CompactionPlan, expectedVersion: number): CommitResult {
    const threadKey = this.#keys.find(threadId);
    const end = threadKey === undefined ? undefined : this.#log.end(threadKey);
    if (threadKey === undefined || end === undefined || end.version === 0) {
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to commit a plan to.`);
    }
    const found = this.#connection.get<{ current: number | null; planId: PlanId | null }>(
      IDS,
      threadKey,
      plan.version,
      threadKey,
    );
    const currentVersion = found?.current ?? 0;
    if (found?.planId === plan.planId) return { status: "committed", version: plan.version };
    if (currentVersion !== expectedVersion) return { status: "conflict", currentVersion };
    requireKnownMessages(plan, end.version, (id) => this.#log.versionOf(threadKey, id));
    this.#insert(threadKey, plan);
    return { status: "committed", version: plan.version };
  }

  #insert(threadKey: number, plan: CompactionPlan): void {
    const { version, planId, threadVersion, createdAt, originalTokens, compactedTokens } = plan;
    const committedAt = Math.trunc(this.#clock.now());
    const bodyKey = this.#connection.run(INSERT_BODY, serializePlan(plan));
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
      bodyKey,
    );
  }

  #read(threadId: ThreadId, find: (threadKey: number) => PlanRow | undefined): CompactionPlan | null {
    const threadKey = this.#keys.find(threadId);
    const row = threadKey === undefined ? undefined : find(threadKey);
    return row === undefined ? null : planOf(row, threadId);
  }
}

/** A plan from its row. @throws ThreadfoldError `STORE_CORRUPT` when it is not the plan that it stands for. */
export function planOf({ body, version }: PlanRow, threadId: ThreadId): CompactionPlan {
  const where = `Plan ${version} of thread ${threadId}`;
  let plan: CompactionPlan;
  try {
    plan = parsePlan(body);
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `${where} cannot be read.`, { cause, details: { threadId, version } });
  }
  if (plan.version === version && plan.threadId === threadId) return freezeDeep(plan);
  throw new ThreadfoldError("STORE_CORRUPT", `${where} is kept as another plan.`, { details: { threadId, version } });
}
