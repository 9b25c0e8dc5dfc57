import {
  type CompactionPlan,
  canonicalJson,
  freezeDeep,
  isSealed,
  type MessageId,
  parsePlan,
  planRecords,
  ThreadfoldError,
  type ThreadId,
} from "@threadfold/core";

/**
 * Checks a plan before anything is looked up: schema, id, thread and version. Gives the plan, frozen.
 *
 * @throws ThreadfoldError `INVALID_PLAN`.
 */
export function admitPlan(threadId: ThreadId, candidate: CompactionPlan, expectedVersion: number): CompactionPlan {
  const plan = isSealed(candidate) ? candidate : freezeDeep(parsePlan(canonicalJson(candidate)));
  if (plan.threadId !== threadId) throw refusal(threadId, plan, "it is a plan of another thread");
  if (!Number.isSafeInteger(expectedVersion) || expectedVersion < 0 || plan.version !== expectedVersion + 1) {
    throw refusal(threadId, plan, `it has version ${plan.version} and would follow version ${String(expectedVersion)}`);
  }
  return plan;
}

/**
 * Checks that the thread had everything that a plan names.
 *
 * @param versionOf the version at which a message came into the thread, if it did.
 * @throws ThreadfoldError `INVALID_PLAN`.
 */
export function requireKnownMessages(
  plan: CompactionPlan,
  currentVersion: number,
  versionOf: (id: MessageId) => number | undefined,
): void {
  if (plan.threadVersion > currentVersion) {
    throw refusal(plan.threadId, plan, `it covers ${plan.threadVersion} entries and the thread has ${currentVersion}`);
  }
  const unknown = firstUnknownMessage(plan, versionOf);
  if (unknown === undefined) return;
  throw refusal(plan.threadId, plan, `the thread has no message ${unknown} at version ${plan.threadVersion}`);
}

/** The first message that a plan names and the thread did not have at the plan's thread version. */
export function firstUnknownMessage(
  plan: CompactionPlan,
  versionOf: (id: MessageId) => number | undefined,
): MessageId | undefined {
  for (const record of planRecords(plan)) {
    for (const id of record.span.messageIds) {
      const version = versionOf(id);
      if (version === undefined || version > plan.threadVersion) return id;
    }
  }
  return undefined;
}

function refusal(threadId: ThreadId, plan: CompactionPlan, reason: string): ThreadfoldError {
  return new ThreadfoldError(
    "INVALID_PLAN",
    `Plan ${plan.planId} cannot be committed to thread ${threadId}: ${reason}.`,
    {
      hint: "Load the thread and its current plan, and fold again.",
      details: { threadId, planId: plan.planId, version: plan.version },
    },
  );
}
