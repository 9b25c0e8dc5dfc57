import { type CompactionPlan, digestOf, type MessageId, planRecords } from "@threadfold/core";

/** The ordinal of the first message that one plan shows otherwise than the other; null when both show the same. */
export function firstEdit(
  before: CompactionPlan,
  after: CompactionPlan,
  ordinalOf: (id: MessageId) => number | undefined,
): number | null {
  const shown = recordsByMessage(before);
  const shownNow = recordsByMessage(after);
  let first: number | null = null;
  for (const id of new Set([...shown.keys(), ...shownNow.keys()])) {
    const ordinal = ordinalOf(id);
    if (ordinal === undefined || (first !== null && ordinal >= first)) continue;
    if (shown.get(id) !== shownNow.get(id)) first = ordinal;
  }
  return first;
}

/** For each folded message what its record says, as a digest: records are copied when a plan is built on another. */
function recordsByMessage(plan: CompactionPlan): ReadonlyMap<MessageId, string> {
  return new Map(
    planRecords(plan).flatMap((record) => {
      const digest = digestOf(record);
      return record.span.messageIds.map((id): [MessageId, string] => [id, digest]);
    }),
  );
}
