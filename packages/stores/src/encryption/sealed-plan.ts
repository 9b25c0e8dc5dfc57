import {
  type CompactionPlan,
  emptySummary,
  groupRecords,
  type PlanRecord,
  type PlanRecords,
  planRecords,
  sealPlan,
  spanStart,
} from "@threadfold/core";
import { unsealFailed } from "./sealed-envelope.ts";
import { type PlanHead, readRecord, writeRecord } from "./sealed-record.ts";
import type { Sealer } from "./sealer.ts";

/**
 * A plan of which a store sees spans, actions, artifact ids and figures, and nothing of what its summaries say.
 *
 * @param threadDigest the thread's digest at the plan's thread version; it is sealed with the first record.
 */
export function sealedPlan(sealer: Sealer, plan: CompactionPlan, threadDigest?: string): CompactionPlan {
  const head = threadDigest === undefined ? undefined : { planId: plan.planId, threadDigest };
  const records = planRecords(plan).map((record, index) => {
    const text = writeRecord(record, index === 0 ? head : undefined);
    return withoutContent(record, sealer.seal("plan", placeOf(plan, record), text));
  });
  return sealPlan({ ...plan, ...groupRecords(records) });
}

/** The plan that was sealed, with the id that it had. @throws ThreadfoldError `UNSEAL_FAILED`. */
export async function openedPlan(sealer: Sealer, plan: CompactionPlan): Promise<CompactionPlan> {
  const { records, head } = await openRecords(sealer, plan);
  const opened = sealPlan({ ...plan, ...records });
  if (head !== undefined && head.planId !== opened.planId) throw unsealFailed();
  return opened;
}

/**
 * The same for a plan that a thread goes on from, whose long spans may have been left in the store; its id is what the
 * head says then. Null for a plan that was sealed without a head: its thread has to be loaded.
 *
 * @throws ThreadfoldError `UNSEAL_FAILED`.
 */
export async function openedOutline(
  sealer: Sealer,
  plan: CompactionPlan,
): Promise<{ readonly plan: CompactionPlan; readonly threadDigest: string } | null> {
  const { records, head } = await openRecords(sealer, plan);
  if (head === undefined) return null;
  const { planId, threadDigest } = head;
  for (const list of Object.values(records)) Object.freeze(list);
  return { plan: Object.freeze({ ...plan, ...records, planId }), threadDigest };
}

async function openRecords(
  sealer: Sealer,
  plan: CompactionPlan,
): Promise<{ readonly records: PlanRecords; readonly head: PlanHead | undefined }> {
  const opened: PlanRecord[] = [];
  let head: PlanHead | undefined;
  for (const sealed of planRecords(plan)) {
    const found = readRecord(await sealer.open("plan", placeOf(plan, sealed), sealed.reason), sealed.span);
    opened.push(found.record);
    head ??= found.head;
  }
  return { records: groupRecords(opened), head };
}

const placeOf = ({ version }: CompactionPlan, { action, span }: PlanRecord): string =>
  `${version} ${action} ${spanStart(span)}`;

function withoutContent(record: PlanRecord, reason: string): PlanRecord {
  const span = record.span;
  switch (record.action) {
    case "externalize":
      return { ...record, reason, summary: emptySummary(span), rehydrateHint: "" };
    case "summarize":
      return { ...record, reason, summary: emptySummary(span), resolved: [] };
    case "clear":
      return { ...record, reason, preservedFields: {} };
    case "drop":
      return { ...record, reason, keywords: [] };
  }
}
