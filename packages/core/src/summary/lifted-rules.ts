import type { Pin } from "../thread/pin.ts";
import type { StructuredSummary } from "./structured-summary.ts";
import type { SummaryChange } from "./summary-change.ts";

/**
 * The changes of a fold without rules that do not hold any more, whoever wrote them: none is added, and one that the
 * summary before had is resolved, with what took it back as the reason. A rule counts as lifted when it says, white space
 * aside, what a lifted pin says.
 */
export function withoutLiftedRules(
  changes: readonly SummaryChange[],
  previous: StructuredSummary | null,
  lifted: readonly Pin[],
): readonly SummaryChange[] {
  if (lifted.length === 0) return changes;
  const texts = new Set(lifted.map(({ text }) => flat(text)));
  const isLifted = (text: string): boolean => texts.has(flat(text));
  const kept = changes.filter(
    (change) => !("item" in change && change.section === "constraints" && isLifted(change.item.text)),
  );
  const touched = new Set(kept.flatMap((change) => ("itemId" in change ? [change.itemId] : [])));
  const gone = (previous?.constraints ?? []).filter(({ id, text }) => isLifted(text) && !touched.has(id));
  return [
    ...kept,
    ...gone.map(
      ({ id }): SummaryChange => ({ op: "resolve", section: "constraints", itemId: id, reason: "taken back" }),
    ),
  ];
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();
