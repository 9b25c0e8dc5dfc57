import type { AgentThread, ChatMessage, CompactionPlan, SummaryRole } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { EMPTY_FRAME, RequestRenderer, threadState } from "@threadfold/turn";

/**
 * Returns the messages that a plan shows of a thread, in neutral form: the exporters of `@threadfold/importers` write
 * them into another tool's session file. Nothing is recorded.
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
