import { type CompactionAction, type CompactionPlan, type PlanRecord, planRecords } from "@threadfold/core";
import type { RenderManifest } from "@threadfold/renderer";

/** The records of a plan that do the same for the same kind of reason. */
export interface ActionGroup {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly records: number;
  readonly messages: number;
  /** Tokens that the messages took before folding. */
  readonly tokensBefore: number;
  /** Tokens of what stands for them now. */
  readonly tokensAfter: number;
  /** The reason of the record that holds the most tokens. */
  readonly reason: string;
}

const ORDER: readonly ActionGroup["action"][] = ["externalize", "clear", "summarize", "drop"];

/** A plan's records by action and strategy, with what they free and one reason that stands for each group. */
export function actionGroups(plan: CompactionPlan, manifest: RenderManifest): readonly ActionGroup[] {
  const groups = new Map<string, PlanRecord[]>();
  for (const record of planRecords(plan)) {
    const key = groupKey(record);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [record]);
    else known.push(record);
  }
  const after = tokensAfter(manifest);
  return [...groups.entries()]
    .map(([key, records]) => groupOf(records, after.get(key) ?? 0))
    .sort((a, b) => ORDER.indexOf(a.action) - ORDER.indexOf(b.action) || b.tokensBefore - a.tokensBefore);
}

const groupKey = ({ action, strategy }: { readonly action: string; readonly strategy: string }): string =>
  `${action} ${strategy}`;

function tokensAfter(manifest: RenderManifest): ReadonlyMap<string, number> {
  const after = new Map<string, number>();
  for (const { record, tokens } of manifest.messages) {
    if (record !== undefined) after.set(groupKey(record), (after.get(groupKey(record)) ?? 0) + tokens);
  }
  return after;
}

function groupOf(records: readonly PlanRecord[], tokens: number): ActionGroup {
  const largest = records.reduce((most, record) => (record.originalTokens > most.originalTokens ? record : most));
  return {
    action: largest.action,
    strategy: largest.strategy,
    records: records.length,
    messages: records.reduce((sum, record) => sum + record.span.messageIds.length, 0),
    tokensBefore: records.reduce((sum, record) => sum + record.originalTokens, 0),
    tokensAfter: tokens,
    reason: largest.reason,
  };
}
