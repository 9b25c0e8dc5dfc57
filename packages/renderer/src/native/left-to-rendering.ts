import {
  type ClearRecord,
  type ClearTarget,
  type CompactionPlan,
  type MessageId,
  type PlanRecord,
  planRecords,
  sealPlan,
} from "@threadfold/core";
import type { LeftReason, NativeDifference } from "./native-difference.ts";

/** What of each message the provider clears in our place. */
export type TakenTargets = ReadonlyMap<MessageId, readonly ClearTarget[]>;

/** The plan without what was handed over. The same plan when nothing was. */
export function restOfPlan(plan: CompactionPlan, taken: TakenTargets, takesSummaries: boolean): CompactionPlan {
  const summarizations = takesSummaries ? [] : plan.summarizations;
  if (taken.size === 0 && summarizations.length === plan.summarizations.length) return plan;
  return sealPlan({
    ...plan,
    summarizations,
    clearings: plan.clearings.flatMap((record) => remainingClears(record, taken)),
  });
}

/** One record for each set of targets that is left of it. */
function remainingClears(record: ClearRecord, taken: TakenTargets): readonly ClearRecord[] {
  const groups = Map.groupBy(record.span.messageIds, (id) => {
    const gone = taken.get(id) ?? [];
    return record.targets.filter((target) => !gone.includes(target)).join();
  });
  return [...groups].flatMap(([names, messageIds]): readonly ClearRecord[] => {
    const targets = record.targets.filter((target) => names.split(",").includes(target));
    if (targets.length === 0) return [];
    return [{ ...record, targets, span: { ...record.span, messageIds } }];
  });
}

/** The records of the rest as differences. `reasonOf` says why a record stays. */
export function leftToRendering(
  rest: CompactionPlan,
  reasonOf: (record: PlanRecord) => LeftReason,
): readonly NativeDifference[] {
  const groups = Map.groupBy(planRecords(rest), (record) => `${record.action} ${reasonOf(record)}`);
  return [...groups.values()].map((records) => {
    const first = records[0] as PlanRecord;
    return {
      kind: "left-to-rendering",
      action: first.action,
      reason: reasonOf(first),
      messageIds: records.flatMap(({ span }) => span.messageIds),
    };
  });
}
