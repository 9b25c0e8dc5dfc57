import {
  abridgePlan,
  borderIds,
  type Clock,
  type CommitResult,
  type CompactionPlan,
  type CompactionStore,
  checkArgument,
  checkCalls,
  EventLoopTurns,
  type MessageId,
  type MessagePlace,
  type PlanId,
  type PlanInfo,
  planRecords,
  runsOfSpan,
  type SpanReference,
  ThreadfoldError,
  type ThreadId,
  tellListener,
} from "@threadfold/core";
import { admitPlan, isSealedPlan, type PlanRow, requireKnownMessages, wholePlanInSteps } from "../shared/plans.ts";
import { requireSeals } from "../shared/store-basics.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { PostgresThreadKeys, readEndAndStart, readHidden, readPlaces } from "./postgres-entry-log.ts";

const VERSION = "SELECT coalesce(max(version), 0) AS version FROM @.plans WHERE thread_key = $1";
const NEWEST = "SELECT version, body FROM @.plan_bodies WHERE thread_key = $1 ORDER BY version DESC LIMIT 1";
const AT = "SELECT version, body FROM @.plan_bodies WHERE thread_key = $1 AND version = $2";
const IDS = `SELECT (SELECT max(version) FROM @.plans WHERE thread_key = $1) AS current,
  (SELECT plan_id FROM @.plans WHERE thread_key = $1 AND version = $2) AS plan_id`;
const LIST = `SELECT plan_id AS "planId", version, thread_version AS "threadVersion", created_at AS "createdAt",
  original_tokens AS "originalTokens", compacted_tokens AS "compactedTokens"
  FROM @.plans WHERE thread_key = $1 ORDER BY version`;
const INSERT_BODY = "INSERT INTO @.plan_bodies (thread_key, tenant, version, body) VALUES ($1, $2, $3, $4)";
const INSERT_PLAN = `INSERT INTO @.plans
  (thread_key, tenant, version, plan_id, thread_version, created_at, original_tokens, compacted_tokens, committed_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const NOTIFY = "SELECT pg_notify($1, $2)";

/** Stores plans in PostgreSQL. A commit that wins notifies listeners as soon as others can see it. */
export class PostgresPlans implements CompactionStore {
  readonly #connection: PostgresConnection;
  readonly #clock: Clock;
  readonly #keys: PostgresThreadKeys;

  constructor(connection: PostgresConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#keys = new PostgresThreadKeys(connection);
  }

  async getCurrentPlan(
    threadId: ThreadId,
  ): Promise<{ readonly plan: CompactionPlan | null; readonly version: number }> {
    const plan = await this.#read(threadId, NEWEST);
    return Object.freeze({ plan, version: plan?.version ?? 0 });
  }

  async getCurrentVersion(threadId: ThreadId): Promise<number> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const [row] = threadKey === undefined ? [] : await session.query<{ version: number }>(VERSION, [threadKey]);
      return row?.version ?? 0;
    });
  }

  async getPlan(threadId: ThreadId, version: number): Promise<CompactionPlan | null> {
    // A number that cannot be a plan's version may also be one that PostgreSQL cannot look up.
    return this.#read(threadId, AT, Number.isSafeInteger(version) ? version : 0);
  }

  async listPlans(threadId: ThreadId): Promise<readonly PlanInfo[]> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const rows = threadKey === undefined ? [] : await session.query<PlanInfo>(LIST, [threadKey]);
      return Object.freeze(rows.map((row) => Object.freeze({ ...row })));
    });
  }

  async commitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const plan = admitPlan(threadId, candidate, expectedVersion);
    return this.#connection.write("plans", threadId, async (session) =>
      Object.freeze(await this.#commit(session, plan, expectedVersion)),
    );
  }

  async #commit(session: SqlSession, plan: CompactionPlan, expectedVersion: number): Promise<CommitResult> {
    const { threadId } = plan;
    const threadKey = await this.#keys.find(session, threadId);
    const isSealed = isSealedPlan(plan);
    const found = threadKey === undefined ? undefined : await readEndAndStart(session, threadKey, isSealed);
    if (threadKey === undefined || found === undefined || found.end.version === 0) {
      throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to commit a plan to.`);
    }
    requireSeals(threadId, isSealed, () => found.first);
    const [known] = await session.query<{ current: number | null; plan_id: PlanId | null }>(IDS, [
      threadKey,
      plan.version,
    ]);
    const currentVersion = known?.current ?? 0;
    if (known?.plan_id === plan.planId) return { status: "committed", version: plan.version };
    if (currentVersion !== expectedVersion) return { status: "conflict", currentVersion };
    const places = await placesFor(session, threadKey, plan);
    const placeOf = (id: MessageId): MessagePlace | undefined => places.get(id);
    requireKnownMessages(plan, found.end.version, placeOf);
    await this.#insert(session, threadKey, plan, abridgePlan(plan, placeOf));
    return { status: "committed", version: plan.version };
  }

  async #insert(session: SqlSession, threadKey: number, plan: CompactionPlan, body: string): Promise<void> {
    const { tenant, channel } = this.#connection;
    const { version, planId, threadVersion, createdAt, originalTokens, compactedTokens } = plan;
    const committedAt = Math.trunc(this.#clock.now());
    await session.query(INSERT_BODY, [threadKey, tenant, version, body]);
    await session.query(INSERT_PLAN, [
      threadKey,
      tenant,
      version,
      planId,
      threadVersion,
      createdAt,
      originalTokens,
      compactedTokens,
      committedAt,
    ]);
    // Any role may listen to any channel, so no id is sent: whoever may see the thread looks it up by its key.
    await session.query(NOTIFY, [channel, `${threadKey} ${version}`]);
  }

  #read(threadId: ThreadId, sql: string, ...values: readonly number[]): Promise<CompactionPlan | null> {
    return this.#connection.read(async (session) => {
      const threadKey = await this.#keys.find(session, threadId);
      const [row] = threadKey === undefined ? [] : await session.query<PlanRow>(sql, [threadKey, ...values]);
      if (threadKey === undefined || row === undefined) return null;
      const messagesOf = await readHidden(session, threadKey, row.body);
      return new EventLoopTurns().finish(wholePlanInSteps(row, threadId, messagesOf));
    });
  }
}

/** A notice about plans: one was committed, or the connection was lost for a while and some may have been missed. */
export type PlanNotice =
  | { readonly type: "plan-committed"; readonly threadId: ThreadId; readonly version: number }
  | { readonly type: "notices-missed" };

/** Receives notices. Exceptions that it throws are ignored. */
export type PlanNoticeListener = (notice: PlanNotice) => void;

const THREAD_OF_KEY = "SELECT thread_id FROM @.threads WHERE thread_key = $1 AND tenant = $2";

/**
 * Calls the listener when anybody commits a plan to this tenant's threads, until the returned function is called. A
 * notice is a hint to look, not a record: after `notices-missed`, look at every thread that matters.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE`; `INVALID_CONFIG` without a listener.
 */
export async function listenToPlans(
  connection: PostgresConnection,
  listener: PlanNoticeListener,
): Promise<() => Promise<void>> {
  checkCalls("connection", connection, ["listen"]);
  checkArgument("listener", listener, "call");
  const tell = (notice: PlanNotice): void => tellListener(listener, Object.freeze(notice));
  const onNotice = async (payload: string): Promise<void> => {
    const [, key, version] = /^(\d{1,15}) (\d{1,15})$/.exec(payload) ?? [];
    if (key === undefined) return;
    const [row] = await connection.query<{ thread_id: ThreadId }>(THREAD_OF_KEY, Number(key), connection.tenant);
    if (row !== undefined) tell({ type: "plan-committed", threadId: row.thread_id, version: Number(version) });
  };
  const missed = (): void => tell({ type: "notices-missed" });
  return connection.listen((payload) => void onNotice(payload).catch(missed), missed);
}

/** Reads where the messages are that tell the places of all messages of a plan. */
async function placesFor(
  session: SqlSession,
  threadKey: number,
  plan: CompactionPlan,
): Promise<ReadonlyMap<string, MessagePlace>> {
  const spans = planRecords(plan).map(({ span }) => span);
  const places = await readPlaces(session, threadKey, spans.flatMap(borderIds));
  const isPlaced = (span: SpanReference): boolean => runsOfSpan(span, (id) => places.get(id)?.ordinal) !== undefined;
  if (spans.every(isPlaced)) return places;
  // Of a span that was placed in another thread, too few are known to say what is wrong with it.
  return readPlaces(
    session,
    threadKey,
    spans.flatMap(({ messageIds }) => messageIds),
  );
}
