import {
  type CompactionAction,
  type CompactionPlan,
  type ContextCompactionEvent,
  type PlanRecord,
  planRecords,
} from "@threadfold/core";
import type { FoldScene } from "../fold/fold-scene.ts";

const EVENT_OF = {
  externalize: "compaction_externalized",
  summarize: "compaction_summarized",
  clear: "compaction_cleared",
  drop: "compaction_dropped",
} as const satisfies Readonly<Record<Exclude<CompactionAction, "include">, ContextCompactionEvent["type"]>>;

/** One event for each record that a committed plan added, with the tokens that it took out of the prompt (seed 002). */
export function recordEvents(scene: FoldScene, plan: CompactionPlan): readonly ContextCompactionEvent[] {
  const shown = shownTokens(scene, plan);
  return planRecords(plan)
    .filter(({ sincePlanVersion }) => sincePlanVersion === plan.version)
    .map((record) => ({
      threadId: scene.threadId,
      budgetLimit: scene.config.maxInputTokens,
      foldId: scene.foldId,
      type: EVENT_OF[record.action],
      planVersion: plan.version,
      strategy: record.strategy,
      span: record.span,
      tokensFreed: Math.max(0, record.originalTokens - (shown.get(keyOf(record)) ?? 0)),
    }));
}

const keyOf = ({ action, span }: PlanRecord): string => `${action} ${span.messageIds[0]}`;

/** What the prompt still spends on each record. */
function shownTokens({ renderer }: FoldScene, plan: CompactionPlan): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>();
  for (const message of renderer.render(plan).rendering.manifest.messages) {
    if (message.record === undefined) continue;
    const key = `${message.record.action} ${message.record.spanStart}`;
    tokens.set(key, (tokens.get(key) ?? 0) + message.tokens);
  }
  return tokens;
}
