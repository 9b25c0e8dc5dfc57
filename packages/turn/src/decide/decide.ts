import { type CompactionOutcome, roomTokens, tokenBudget } from "@threadfold/core";
import type { TriggerDecision } from "@threadfold/strategies";
import { mayFold } from "../state/breaker.ts";
import { type CompactOptions, isAsked } from "../state/compact-options.ts";
import type { Turn } from "../state/turn-state.ts";
import { type CommitWeighing, configForEpoch } from "./costs.ts";
import { isCold, triggerDecision } from "./trigger.ts";
import { forecastFold, growthOf, loopWait, waitFor } from "./weigh-fold.ts";

/** A trigger's decision to fold. */
export type FiredDecision = Exclude<TriggerDecision, { readonly level: "none" }>;

/** The outcome of a turn that makes no plan. */
type Declined = Exclude<CompactionOutcome, { type: "committed" | "summarizer-failed-floor-used" }>;

/** Why no plan is made or committed. */
export interface DeclinedFold {
  readonly decision: TriggerDecision;
  /** Cost and savings of the fold; null when nothing was weighed or the provider's prices are unknown. */
  readonly weighing: CommitWeighing | null;
  readonly result: Declined;
  /** True if a fold was made or weighed, so that its outcome counts for the next decision. */
  readonly attempted: boolean;
  /** Number of calls for which the fold is postponed. */
  readonly waitCalls: number;
}

/** Whether a fold is due: if so, why; if not, the outcome. */
export type FoldDecision =
  | { readonly due: true; readonly decision: FiredDecision; readonly tokens: number }
  | { readonly due: false; readonly declined: DeclinedFold };

/**
 * Decides whether to fold, before anything is made: by trigger, breaker, and what a fold to the target would cost and
 * save.
 */
export function decide(turn: Turn, options: CompactOptions): FoldDecision {
  const tokens = turn.renderer.measure(turn.plan);
  if (takesProviderItem(turn, options)) return { due: true, decision: PROVIDER_COMPACTED, tokens };
  const unchanged = { before: tokens, after: tokens };
  const decision = triggerDecision(turn, tokens, options);
  const forced = options.force === true;
  const declined = (result: Declined): FoldDecision => ({
    due: false,
    declined: { decision, weighing: null, attempted: false, waitCalls: 0, result },
  });
  if (decision.level === "none")
    return declined({ type: "no-op", reason: idleReason(turn, tokens), tokens: unchanged });
  const pointless = forced ? null : pointlessReason(turn, decision, tokens);
  if (pointless !== null) return declined({ type: "no-op", reason: pointless, tokens: unchanged });
  const permission = mayFold(turn.history, {
    level: decision.level,
    forced,
    step: turn.state.thread.position.step,
    cacheIsCold: isCold(turn, tokens),
    breakerFailures: turn.config.breakerFailures,
  });
  if (permission.type !== "go") return declined({ type: "postponed", reason: permission.reason, tokens: unchanged });
  const wait = decision.level === "soft" && !forced ? loopWait(turn, tokens) : null;
  if (wait !== null) return declined({ type: "postponed", reason: wait, tokens: unchanged });
  const early = postponed(turn, decision, forecastFold(turn, tokens), tokens);
  return early === null ? { due: true, decision, tokens } : { due: false, declined: early };
}

const PROVIDER_COMPACTED: FiredDecision = Object.freeze({ level: "hard", reason: "the provider compacted" });

/**
 * Checks whether a plan with the provider's own compaction is due. A caller that explicitly asks for a fold gets ours.
 */
export const takesProviderItem = ({ providerItem }: Turn, options: CompactOptions): boolean =>
  providerItem !== undefined && !isAsked(options);

/** Returns the postponement of a soft fold that does not pay off yet; null when it does, or when there is no choice. */
export function postponed(
  turn: Turn,
  decision: TriggerDecision,
  weighing: CommitWeighing | null,
  tokens: number,
): DeclinedFold | null {
  const waitCalls = decision.level === "hard" ? 0 : waitFor(turn, weighing);
  if (weighing === null || waitCalls === 0) return null;
  const reason = `a fold does not pay yet: ${weighing.reason}`;
  const result = { type: "postponed", reason, tokens: { before: tokens, after: tokens } } as const;
  return { decision, weighing, attempted: true, waitCalls, result };
}

/** Returns why a fold would find nothing to do although a trigger fired; null when it may find something. */
function pointlessReason(turn: Turn, decision: FiredDecision, tokens: number): string | null {
  const { state, plan, usage } = turn;
  const { target } = tokenBudget(configForEpoch(foldConfig(turn, decision), growthOf(turn)));
  if (tokens <= target) return `${tokens} tokens are within the target of ${target}`;
  if (decision.level === "hard" || plan.version === 0) return null;
  const isMeasured = usage.measured?.planVersion === plan.version;
  const isUnchanged = plan.threadVersion === state.thread.version && tokens <= plan.compactedTokens && !isMeasured;
  return isUnchanged ? "nothing came since the last fold" : null;
}

function idleReason({ usage }: Turn, tokens: number): string {
  if (usage.overflow === "exhausted")
    return "the provider refused the request as too long again after a fold; it is not folded for that a second time";
  return `${tokens} tokens are below the trigger`;
}

/** Returns the configuration of a fold: the turn's, with the target of the trigger, or that of a forced fold. */
export function foldConfig(turn: Turn, { targetTokens }: FiredDecision, force = false): Turn["config"] {
  return towardsTarget(turn.config, targetTokens ?? (force ? askedTarget(turn) : undefined));
}

/** The target of a forced fold when the request is already within the target: the same share of its current size. */
function askedTarget({ config, renderer, plan }: Turn): number | undefined {
  const tokens = renderer.measure(plan);
  return tokens <= tokenBudget(config).target ? Math.floor(tokens * config.targetPercent) : undefined;
}

/** Lowers the configuration's target to the trigger's if that is lower, and then not further (S25). */
function towardsTarget(config: Turn["config"], targetTokens: number | undefined): Turn["config"] {
  if (targetTokens === undefined || targetTokens >= tokenBudget(config).target) return config;
  return { ...config, targetPercent: targetTokens / roomTokens(config), minCallsPerFold: 0 };
}
