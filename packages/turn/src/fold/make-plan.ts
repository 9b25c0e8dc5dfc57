import { EventLoopTurns, groupLedgerInSteps } from "@threadfold/core";
import { type FiredDecision, foldConfig } from "../decide/decide.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import type { FoldResult } from "../verify/fold-result.ts";
import { foldThread } from "./fold-thread.ts";

/**
 * Makes the plan of a turn and verifies it; nothing is committed.
 *
 * @param floorOnly true to leave the preset's ladder out.
 */
export async function makePlan(
  turn: Turn,
  decision: FiredDecision,
  { instructions, signal, force = false }: CompactOptions,
  floorOnly = false,
): Promise<FoldResult> {
  const { state, plan, overheadTokens, tenantId, renderer, summarizer, artifacts, clock, redact, determinismProbe } =
    turn;
  // The first fold of a thread groups all of it: in steps, so that what the state makes of it then costs what is new.
  await new EventLoopTurns().finish(groupLedgerInSteps(state.ledger));
  const hard = decision.level === "hard";
  const base = { threadId: turn.threadId, foldId: turn.foldId, budgetLimit: turn.config.maxInputTokens };
  return foldThread(
    {
      ...state,
      plan,
      config: foldConfig(turn, decision, force),
      overheadTokens,
      hard,
      floorOnly,
      keepsOnFailure: turn.onSummaryFailure === "keep" && !floorOnly,
      tools: renderer.tools,
      sparesRehydrated: turn.spareRehydrated && !hard,
      tenantId,
      ...(instructions !== undefined && { instructions }),
      ...(signal !== undefined && { signal }),
    },
    {
      ladder: turn.preset.ladder,
      summarizer,
      artifacts,
      verifier: renderer,
      clock,
      ...(redact !== undefined && { redact }),
      ...(determinismProbe !== undefined && { determinismProbe }),
      onProposal: ({ strategy, estimatedTokensFreed, reason }, span) =>
        turn.emit({ ...base, type: "compaction_proposal_generated", strategy, span, estimatedTokensFreed, reason }),
      onStorageProblem: (problem) => turn.emit({ ...base, type: "artifact_store_failed", ...problem }),
    },
  );
}
