import type { AgentThread, ChatMessage, CompactionPlan, SummaryRole } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { EMPTY_FRAME, RequestRenderer, threadState } from "@threadfold/turn";

/**
 * The messages that a plan shows of a thread, before any provider's shape: what the exporters of `@threadfold/importers`
 * write into a session file of another tool. Nothing is recorded.
 */
export function planWindow(
  thread: AgentThread,
  plan: CompactionPlan,
  summaryRole: SummaryRole = "user",
): readonly ChatMessage[] {
  const state = threadState(thread, heuristicTokenizer(), () => "anchoring");
  const turn = { state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole };
  return new RequestRenderer(turn).render(plan).rendering.request.messages;
}
