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
import { EntryLog } from "./entry-log.ts";
import { query, type SqliteConnection } from "./sqlite-connection.ts";
import { ThreadKeys } from "./thread-keys.ts";

const NEWEST_PLAN = query<PlanRow>(
  "SELECT version, body FROM plans WHERE thread_key = ? ORDER BY version DESC LIMIT 1",
  { version: "integer", body: "text" },
);

/** Parts of threads in SQLite. Entries and plans never change, so that no transaction is needed to read what fits together. */
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

  async loadRange(
    threadId: ThreadId,
    range: { readonly fromVersion: number; readonly toVersion?: number },
  ): Promise<readonly ThreadEntry[]> {
    const fromVersion = wholeNumber("fromVersion", range.fromVersion, 0, 0);
    const wanted = wholeNumber("toVersion", range.toVersion, 0, Number.MAX_SAFE_INTEGER);
    const threadKey = this.#keys.find(threadId);
    const toVersion = threadKey === undefined ? 0 : this.#log.end(threadKey, wanted).version;
    if (threadKey === undefined || toVersion <= fromVersion) return Object.freeze([]);
    return Object.freeze(entriesOf(this.#read(threadId, threadKey, { fromVersion, toVersion })));
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

  #read(threadId: ThreadId, threadKey: number, { fromVersion, toVersion }: VersionRange): StoredRange {
    const bodies = this.#log.bodies(threadKey, fromVersion, toVersion);
    const before = linkAt(fromVersion, this.#log.end(threadKey, fromVersion), threadId);
    const after = linkAt(toVersion, this.#log.end(threadKey, toVersion), threadId);
    return { fromVersion, toVersion, bodies, before, after };
  }
}
