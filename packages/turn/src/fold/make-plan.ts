import {
  type CompactionPlan,
  EventLoopTurns,
  groupLedgerInSteps,
  type MessageId,
  sealPlan,
  tokenBudget,
} from "@threadfold/core";
import { type FiredDecision, foldConfig } from "../decide/decide.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import { breaksMore } from "../verify/candidates.ts";
import type { FoldReady, FoldResult } from "../verify/fold-result.ts";
import { foldThread } from "./fold-thread.ts";
import { hiddenTools } from "./hidden-tools.ts";

/**
 * Makes the plan of a turn and verifies it; nothing is committed.
 *
 * @param floorOnly true to skip the preset's ladder.
 */
export async function makePlan(
  turn: Turn,
  decision: FiredDecision,
  { instructions, signal, force = false }: CompactOptions,
  floorOnly = false,
): Promise<FoldResult> {
  const { state, plan, overheadTokens, tenantId, renderer, summarizer, artifacts, clock, redact, determinismProbe } =
    turn;
  const { summaryTimeLimitMs } = turn;
  // The first fold of a thread groups all of it: done in steps here, so that `state.grouped` then has little left to
  // do.
  await new EventLoopTurns().finish(groupLedgerInSteps(state.ledger));
  const hard = decision.level === "hard";
  const base = { threadId: turn.threadId, foldId: turn.foldId, budgetLimit: turn.config.maxInputTokens };
  return foldThread(
    {
      thread: state.thread,
      ledger: state.ledger,
      grouped: state.grouped,
      plan,
      config: foldConfig(turn, decision, force),
      overheadTokens,
      hard,
      floorOnly,
      keepsOnFailure: turn.onSummaryFailure === "keep" && !floorOnly,
      tools: renderer.tools,
      sparesRehydrated: turn.spareRehydrated && !hard,
      tenantId,
      ...(summaryTimeLimitMs !== undefined && { summaryTimeLimitMs }),
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

/**
 * Makes the plan that accompanies a provider's own compaction: it names the compaction item for that provider, and
 * contains our own fold of the same messages for every other. The fold is made if the conversation without the item is
 * above the target; otherwise the records stay as they are. Nothing is committed.
 */
export async function planWithItem(
  turn: Turn,
  item: MessageId,
  decision: FiredDecision,
  options: CompactOptions,
): Promise<FoldResult> {
  const plan = withoutItem(turn.plan);
  const folded = await makePlan({ ...turn, plan }, decision, options);
  if (folded.type === "aborted") return folded;
  const beside = folded.type === "ready" ? folded.plan : asItIs(turn, plan);
  const { renderer, config, state } = turn;
  const { thread } = state;
  const { revealedTools: _, ...records } = beside;
  const found = hiddenTools(beside, { thread, plan, tools: renderer.tools, item });
  const named = sealPlan({ ...records, ...found, providerItem: item });
  const verification = renderer.verify(named);
  const { tokens, missingPins, violations } = verification;
  const isSound = missingPins.length === 0 && !breaksMore(verification, () => renderer.verify(turn.plan));
  const before = renderer.measure(turn.plan);
  if (!isSound || tokens > tokenBudget(config).limitTokens)
    return folded.type === "ready"
      ? folded
      : { type: "refused", violations, missingPins, tokens: { before, after: before } };
  const ready = folded.type === "ready" ? folded : NOTHING_FOLDED;
  return { ...ready, plan: sealPlan({ ...named, compactedTokens: tokens }), tokens: { before, after: tokens } };
}

const NOTHING_FOLDED: Omit<FoldReady, "plan" | "tokens"> = Object.freeze({
  type: "ready",
  attempt: "provider",
  floor: false,
  summarizerProblem: null,
  instructions: null,
  changes: [],
  attempts: [],
});

function withoutItem(plan: CompactionPlan): CompactionPlan {
  const { providerItem, ...rest } = plan;
  return providerItem === undefined ? plan : sealPlan(rest);
}

/** Returns the next plan: it has the records of the given one, and covers the thread as it is now. */
function asItIs({ state, clock, overheadTokens }: Turn, plan: CompactionPlan): CompactionPlan {
  return sealPlan({
    ...plan,
    threadVersion: state.thread.version,
    version: plan.version + 1,
    createdAt: new Date(clock.now()).toISOString(),
    originalTokens: state.ledger.totalTokens + overheadTokens,
  });
}
