import {
  type CompactionPlan,
  canonicalJson,
  emptySummary,
  groupRecords,
  type PlanRecord,
  planRecords,
  sealPlan,
  spanStart,
} from "@threadfold/core";
import type { Sealer } from "./sealer.ts";

/** A plan of which a store sees spans, actions, artifact ids and figures, and nothing of what its summaries say. */
export function sealedPlan(sealer: Sealer, plan: CompactionPlan): CompactionPlan {
  const records = planRecords(plan).map((record) => {
    const reason = sealer.seal("plan", placeOf(plan, record), canonicalJson(record));
    return withoutContent(record, reason);
  });
  return sealPlan({ ...plan, ...groupRecords(records) });
}

/** The plan that was sealed, with the id that it had. @throws ThreadfoldError `UNSEAL_FAILED`. */
export async function openedPlan(sealer: Sealer, plan: CompactionPlan): Promise<CompactionPlan> {
  const records: PlanRecord[] = [];
  for (const record of planRecords(plan))
    records.push(JSON.parse(await sealer.open("plan", placeOf(plan, record), record.reason)) as PlanRecord);
  return sealPlan({ ...plan, ...groupRecords(records) });
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
