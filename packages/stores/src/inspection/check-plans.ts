import { type CompactionPlan, parsePlan, serializePlan, type ThreadId } from "@threadfold/core";
import { firstUnknownMessage } from "../rules/admit-plan.ts";
import { planInfo } from "../rules/plan-info.ts";
import type { CheckedLog } from "./check-entries.ts";
import type { Problem } from "./store-finding.ts";
import type { StoredPlan } from "./stored-rows.ts";

/** What is known of a thread's plans once they were checked. */
export interface CheckedPlans {
  readonly problem: Problem;
  /** The ids of the plans before the first bad one, from version 1 on. */
  readonly planIds: readonly string[];
}

/**
 * Checks that plans are whole, are the ones that their ids name, and cover only what the log has.
 *
 * @param logWith gives the log with at least so many entries, as far as it has them: a thread that is in use grows between
 * the reading of its log and of its plans.
 */
export async function checkPlans(
  threadId: ThreadId,
  rows: AsyncIterable<StoredPlan>,
  logWith: (entries: number) => Promise<CheckedLog>,
  isErased = false,
): Promise<CheckedPlans> {
  const planIds: string[] = [];
  for await (const row of rows) {
    const version = planIds.length + 1;
    const log = await logWith(row.threadVersion);
    const problem = row.version === version ? planProblem(threadId, row, log, isErased) : "it is missing";
    if (problem !== null) return { problem: { at: version, problem }, planIds };
    planIds.push(row.planId);
  }
  return { problem: null, planIds };
}

function planProblem(threadId: ThreadId, row: StoredPlan, log: CheckedLog, isErased: boolean): string | null {
  if (row.body === null && isErased) return null;
  const plan = row.body === null ? null : parse(row.body);
  if (plan === null)
    return row.body === null ? "its body is gone" : "its body is no plan, or not the one that its id names";
  if (plan.threadId !== threadId) return "it is a plan of another thread";
  const expected = planInfo(plan);
  const wrong = (Object.keys(expected) as (keyof typeof expected)[]).find((name) => row[name] !== expected[name]);
  if (wrong !== undefined) return `its header and its body disagree on ${wrong}`;
  return log.problem === null ? coverageProblem(plan, log) : null;
}

/** Of a damaged log nobody knows what it had, so a plan is held against an intact one only. */
function coverageProblem(plan: CompactionPlan, { links, arrivals }: CheckedLog): string | null {
  const entries = links.length - 1;
  if (plan.threadVersion > entries) return `it covers ${plan.threadVersion} entries and the log has ${entries}`;
  const unknown = firstUnknownMessage(plan, (id) => arrivals.get(id));
  return unknown === undefined ? null : "it names a message that the log did not have then";
}

function parse(body: string): CompactionPlan | null {
  try {
    const plan = parsePlan(body);
    return serializePlan(plan) === body ? plan : null;
  } catch {
    return null;
  }
}
