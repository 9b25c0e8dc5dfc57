import { type ThreadId, tellListener } from "@threadfold/core";
import type { PostgresConnection } from "./postgres-connection.ts";

/** What is heard of plans: one was committed, or the connection was lost for a while and some may have been missed. */
export type PlanNotice =
  | { readonly type: "plan-committed"; readonly threadId: ThreadId; readonly version: number }
  | { readonly type: "notices-missed" };

/** Receives notices. What it throws is ignored. */
export type PlanNoticeListener = (notice: PlanNotice) => void;

const THREAD_OF_KEY = "SELECT thread_id FROM @.threads WHERE thread_key = $1 AND tenant = $2";

/**
 * Tells of plans that anybody commits to this tenant's threads, from now on until the returned function is called. A
 * notice is a hint to look, not a record: after `notices-missed` look at every thread that matters.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE`.
 */
export function listenToPlans(
  connection: PostgresConnection,
  listener: PlanNoticeListener,
): Promise<() => Promise<void>> {
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
