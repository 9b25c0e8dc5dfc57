import {
  type FoundMessage,
  isAbridgedPlan,
  type MessageId,
  type ResumedThread,
  type ThreadEntry,
  type ThreadId,
  type ThreadRanges,
} from "@threadfold/core";
import { wholeNumber } from "../rules/checked-arguments.ts";
import type { PlanRow } from "../rules/plan-row.ts";
import { entriesOf, linkAt, outlinedPlan, resumedThread, type StoredRange } from "../rules/resumed-thread.ts";
import { shownRanges, type VersionRange } from "../rules/shown-ranges.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { SqlSession } from "./postgres-driver.ts";
import { readBodies, readEnd, readPinVersions, readPlaces } from "./postgres-entry-log.ts";
import { PostgresThreadKeys } from "./postgres-thread-keys.ts";

const NEWEST_PLAN = "SELECT version, body FROM @.plan_bodies WHERE thread_key = $1 ORDER BY version DESC LIMIT 1";

/** Parts of threads in PostgreSQL. */
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
      return Object.freeze(entriesOf(stored));
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

/** One log of one store. */
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
