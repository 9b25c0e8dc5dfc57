import { enablePatches, type Patch, produceWithPatches } from "immer";
import { spanStart } from "../groups/span-reference.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { type CompactionPlan, planRecords, requireIds } from "./compaction-plan.ts";
import type { PlanRecord } from "./plan-record.ts";

/** What changed from one plan to the next. */
export interface PlanDiff {
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly added: readonly PlanRecord[];
  readonly removed: readonly PlanRecord[];
  /** Immer patches from the first plan's records to the second's, both keyed by action and first message. */
  readonly patches: readonly Patch[];
  readonly inversePatches: readonly Patch[];
}

type KeyedRecords = Record<string, PlanRecord>;

/**
 * Compares two plans record by record. A record that differs in any field is removed and added.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` for a plan whose ids were left in the store.
 */
export function planDiff(from: CompactionPlan, to: CompactionPlan): PlanDiff {
  requireIds(from);
  requireIds(to);
  enablePatches();
  const before = keyRecords(from);
  const after = keyRecords(to);
  const changed = (a: KeyedRecords, b: KeyedRecords) => Object.keys(a).filter((key) => !sameRecord(a[key], b[key]));
  const [, patches, inversePatches] = produceWithPatches(before, (draft: KeyedRecords) => {
    for (const key of Object.keys(before)) if (!(key in after)) delete draft[key];
    for (const key of changed(after, before)) draft[key] = after[key] as PlanRecord;
  });
  return {
    fromVersion: from.version,
    toVersion: to.version,
    added: changed(after, before).map((key) => after[key] as PlanRecord),
    removed: changed(before, after).map((key) => before[key] as PlanRecord),
    patches,
    inversePatches,
  };
}

function keyRecords(plan: CompactionPlan): KeyedRecords {
  return Object.fromEntries(planRecords(plan).map((record) => [`${record.action} ${spanStart(record.span)}`, record]));
}

function sameRecord(a: PlanRecord | undefined, b: PlanRecord | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}
