import { requestRoom, roomTokens } from "@threadfold/core";
import { type FoldResult, foldThread, type TriggerDecision } from "@threadfold/strategies";
import type { CompactOptions } from "./compact-options.ts";
import type { FoldScene } from "./fold-scene.ts";

/** A trigger's decision to fold. */
export type FiredDecision = Exclude<TriggerDecision, { readonly level: "none" }>;

/**
 * Makes a plan for the scene and verifies it; nothing is committed.
 *
 * @param floorOnly true to leave the preset's ladder out.
 */
export async function runFold(
  scene: FoldScene,
  decision: FiredDecision,
  { instructions, signal, force = false }: CompactOptions,
  floorOnly = false,
): Promise<FoldResult> {
  const { state, plan, overheadTokens, tenantId, renderer, summarizer, artifacts, clock, redact, determinismProbe } =
    scene;
  const hard = decision.level === "hard";
  return foldThread(
    {
      ...state,
      plan,
      config: foldConfig(scene, decision, force),
      overheadTokens,
      hard,
      floorOnly,
      tenantId,
      ...(instructions !== undefined && { instructions }),
      ...(signal !== undefined && { signal }),
    },
    {
      ladder: ladderOf(scene, hard),
      summarizer,
      artifacts,
      verifier: renderer,
      clock,
      ...(redact !== undefined && { redact }),
      ...(determinismProbe !== undefined && { determinismProbe }),
      onProposal: ({ strategy, estimatedTokensFreed, reason }, span) =>
        scene.emit({
          threadId: scene.threadId,
          foldId: scene.foldId,
          budgetLimit: scene.config.maxInputTokens,
          type: "compaction_proposal_generated",
          strategy,
          span,
          estimatedTokensFreed,
          reason,
        }),
    },
  );
}

/** The configuration that a fold is made with: the scene's, with the target of the trigger or of whoever asks. */
export function foldConfig(scene: FoldScene, { targetTokens }: FiredDecision, force = false): FoldScene["config"] {
  return towardsTarget(scene.config, targetTokens ?? (force ? askedTarget(scene) : undefined));
}

/** Where a fold goes that somebody asks for while the request is within the target: as far below what it is now. */
function askedTarget({ config, renderer, plan }: FoldScene): number | undefined {
  const tokens = renderer.measure(plan);
  return tokens <= requestRoom(config).target ? Math.floor(tokens * config.targetPercent) : undefined;
}

/** The target of the configuration, or the trigger's when that is lower, and then no deeper (S25). */
function towardsTarget(config: FoldScene["config"], targetTokens: number | undefined): FoldScene["config"] {
  if (targetTokens === undefined || targetTokens >= requestRoom(config).target) return config;
  return { ...config, targetPercent: targetTokens / roomTokens(config), minCallsPerFold: 0 };
}

/** After a rehydration in this turn, what was just brought back is not taken away again, unless the request overflows. */
function ladderOf({ preset, spareRehydrated }: FoldScene, hard: boolean): FoldScene["preset"]["ladder"] {
  if (hard || !spareRehydrated) return preset.ladder;
  return preset.ladder.filter(({ name }) => name !== "externalize" && name !== "drop");
}
