import type { AgentThread, CompactionPlan } from "@threadfold/core";
import type { NativeDifference } from "./native-difference.ts";
import { sentMessages } from "./sent-messages.ts";

/**
 * How a compaction at the provider differs from the summaries of a plan: it takes the whole prompt and writes its own.
 *
 * @param rest the plan that is rendered.
 * @param threshold tokens above which the provider compacts.
 */
export function summarizedByProvider(
  thread: AgentThread,
  plan: CompactionPlan,
  rest: CompactionPlan,
  { threshold, toldOfPins }: { readonly threshold: number; readonly toldOfPins: boolean },
): readonly NativeDifference[] {
  const asked = plan.summarizations.flatMap(({ span }) => span.messageIds);
  const wanted = new Set(asked);
  const kept = sentMessages(thread, rest).filter(({ id }) => !wanted.has(id));
  const pins = thread.livePins.map(({ id }) => id);
  const isDue = plan.originalTokens > threshold;
  return [
    { kind: "summary-by-provider", messageIds: asked },
    ...(kept.length > 0 ? [{ kind: "summarized-too", messageIds: kept.map(({ id }) => id) } as const] : []),
    ...(pins.length > 0 ? [{ kind: "pins-at-risk", told: toldOfPins, pinIds: pins } as const] : []),
    ...(isDue ? [] : [{ kind: "not-due", tokens: plan.originalTokens, threshold } as const]),
  ];
}
