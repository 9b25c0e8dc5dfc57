import {
  type CompactionPlan,
  type PlanRecord,
  planRecords,
  scaledTokens,
  spanLength,
  spanStart,
  type TokenEstimate,
} from "@threadfold/core";
import type { RequestRenderer } from "@threadfold/turn";

/**
 * Returns the provider tokens that each record of a plan frees: those of its messages minus those of what replaces
 * them.
 */
export function freedTokens(
  renderer: RequestRenderer,
  plan: CompactionPlan,
  estimate: TokenEstimate,
): ReadonlyMap<PlanRecord, number> {
  const shown = new Map<string, number>();
  for (const { record, tokens } of renderer.render(plan).rendering.manifest.messages) {
    if (record === undefined) continue;
    const key = `${record.action} ${record.spanStart}`;
    shown.set(key, (shown.get(key) ?? 0) + scaledTokens(estimate, tokens));
  }
  return new Map(
    planRecords(plan).map((record) => {
      const left = shown.get(`${record.action} ${spanStart(record.span)}`) ?? 0;
      return [record, Math.max(0, record.originalTokens - left)];
    }),
  );
}

/** What one strategy does in a plan: messages folded and tokens freed. */
export interface StrategyWork {
  readonly messages: number;
  readonly tokensFreed: number;
}

/** Returns what each strategy does in a plan, by the strategy's name. */
export function strategyWork(
  renderer: RequestRenderer,
  plan: CompactionPlan,
  estimate: TokenEstimate,
): Readonly<Record<string, StrategyWork>> {
  const work: Record<string, StrategyWork> = {};
  for (const [{ strategy, span }, freed] of freedTokens(renderer, plan, estimate)) {
    const { messages, tokensFreed } = work[strategy] ?? { messages: 0, tokensFreed: 0 };
    work[strategy] = { messages: messages + spanLength(span), tokensFreed: tokensFreed + freed };
  }
  return work;
}
