import {
  type CompactionPlan,
  expandPlan,
  isAbridgedPlan,
  type MessageRun,
  type PlacedMessage,
  parsePlan,
  serializePlan,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";

/** A plan as it is kept. */
export interface PlanRow {
  readonly version: number;
  /** Canonical JSON of the plan, or its abridged form. */
  readonly body: string;
}

/** A plan with all its ids, whichever form it was kept in. */
export function wholePlan(body: string, messagesOf: (run: MessageRun) => readonly PlacedMessage[]): CompactionPlan {
  return isAbridgedPlan(body) ? expandPlan(body, messagesOf) : parsePlan(body);
}

/** A plan from its row. @throws ThreadfoldError `STORE_CORRUPT` when it is not the plan that it stands for. */
export function planOf(
  { body, version }: PlanRow,
  threadId: ThreadId,
  read: (body: string) => CompactionPlan,
): CompactionPlan {
  const where = `Plan ${version} of thread ${threadId}`;
  let plan: CompactionPlan;
  try {
    plan = read(body);
  } catch (cause) {
    throw new ThreadfoldError("STORE_CORRUPT", `${where} cannot be read.`, { cause, details: { threadId, version } });
  }
  if (plan.version === version && plan.threadId === threadId) return plan;
  throw new ThreadfoldError("STORE_CORRUPT", `${where} is kept as another plan.`, { details: { threadId, version } });
}

/** A plan's row with every id in its body, for a check. What cannot be put together is left as it is kept. */
export function spelledOut<Row extends { readonly body: string | null }>(
  row: Row,
  messagesOf: (run: MessageRun) => readonly PlacedMessage[],
): Row {
  if (row.body === null || !isAbridgedPlan(row.body)) return row;
  try {
    return { ...row, body: serializePlan(expandPlan(row.body, messagesOf)) };
  } catch {
    return row;
  }
}
