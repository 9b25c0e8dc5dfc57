import { type CompactionPlan, digestOf, type MessageId, type PlanRecord, planRecords } from "@threadfold/core";

/** The ordinal of the first message that one plan shows otherwise than the other; null when both show the same. */
export function firstEdit(
  before: CompactionPlan,
  after: CompactionPlan,
  ordinalOf: (id: MessageId) => number | undefined,
): number | null {
  const shown = recordsByMessage(before);
  const shownNow = recordsByMessage(after);
  const same = recordComparison();
  let first: number | null = null;
  for (const id of new Set([...shown.keys(), ...shownNow.keys()])) {
    const ordinal = ordinalOf(id);
    if (ordinal === undefined || (first !== null && ordinal >= first)) continue;
    if (!same(shown.get(id), shownNow.get(id))) first = ordinal;
  }
  return first;
}

const recordsByMessage = (plan: CompactionPlan): ReadonlyMap<MessageId, PlanRecord> =>
  new Map(planRecords(plan).flatMap((record) => record.span.messageIds.map((id) => [id, record] as const)));

/** Compares by digest, because records are copied when a plan is built on another. Each is digested once, and only beside another. */
function recordComparison(): (one: PlanRecord | undefined, other: PlanRecord | undefined) => boolean {
  const digests = new Map<PlanRecord, string>();
  const digest = (record: PlanRecord): string => {
    const known = digests.get(record) ?? digestOf(record);
    digests.set(record, known);
    return known;
  };
  return (one, other) => one === other || (one !== undefined && other !== undefined && digest(one) === digest(other));
}
