import type { ContextCompactionConfig } from "./compaction-config.ts";

/** Tokens that a request spends before its first message. */
export interface RequestOverhead {
  readonly systemPromptTokens: number;
  readonly toolSchemaTokens: number;
}

/**
 * The size that a request may have, and the thresholds at which folding starts and stops. All figures are tokens. Every
 * comparison of a request with a limit uses these figures.
 */
export interface TokenBudget extends RequestOverhead {
  /** The configured cap. */
  readonly maxInputTokens: number;
  /** Kept free for the answer. */
  readonly outputReserveTokens: number;
  /** Kept free because a count is an estimate. */
  readonly safetyBufferTokens: number;
  /** Kept free by folding for content that is brought back. */
  readonly rehydrationReserveTokens: number;
  /** The most artifacts that are brought back automatically in one turn. */
  readonly maxRehydrationArtifacts: number;
  /** The cap less the output reserve: shares such as `softThresholdPercent` are shares of it. */
  readonly roomTokens: number;
  /** The most that a request may take, including content that was brought back: the room less the safety buffer. */
  readonly limitTokens: number;
  /** The most that a request may take without such content: the limit less the rehydration reserve. */
  readonly planLimitTokens: number;
  /** Folding starts above this: the soft threshold, or `planLimitTokens` if that is lower. */
  readonly softLimit: number;
  /** The size that a fold aims for; 0 sets no target. */
  readonly target: number;
  /** The least that a soft fold must free to be worth a new prefix. */
  readonly leastReclaim: number;
}

/** The options that a budget is computed from. */
export type BudgetFigures = Pick<
  ContextCompactionConfig,
  | "maxInputTokens"
  | "outputReserveTokens"
  | "safetyBufferTokens"
  | "rehydrationReserveTokens"
  | "rehydrationMaxArtifactsPerTurn"
  | "softThresholdPercent"
  | "targetPercent"
  | "minReclaimPercent"
>;

/** Default reserves in tokens, each with the share of the cap that it may not exceed. */
const BY_DEFAULT = { safety: { tokens: 500, share: 1 / 200 }, rehydration: { tokens: 2_000, share: 1 / 50 } } as const;

const byDefault = ({ tokens, share }: { readonly tokens: number; readonly share: number }, cap: number): number =>
  Math.min(tokens, Math.floor(cap * share));

const NO_OVERHEAD: RequestOverhead = Object.freeze({ systemPromptTokens: 0, toolSchemaTokens: 0 });

/** Returns the token budget of a configuration that `compactionConfig` has checked. */
export function tokenBudget(config: BudgetFigures, overhead: RequestOverhead = NO_OVERHEAD): TokenBudget {
  const { maxInputTokens, outputReserveTokens, rehydrationMaxArtifactsPerTurn } = config;
  const safetyBufferTokens = config.safetyBufferTokens ?? byDefault(BY_DEFAULT.safety, maxInputTokens);
  const rehydrationReserveTokens = config.rehydrationReserveTokens ?? byDefault(BY_DEFAULT.rehydration, maxInputTokens);
  const roomTokens = maxInputTokens - outputReserveTokens;
  // A model that accepts less than was configured may leave less than the reserves: the limit is 1 at least.
  const limitTokens = Math.max(1, roomTokens - safetyBufferTokens);
  const planLimitTokens = Math.max(1, limitTokens - rehydrationReserveTokens);
  const softLimit = Math.min(Math.floor(roomTokens * config.softThresholdPercent), planLimitTokens);
  return Object.freeze({
    systemPromptTokens: overhead.systemPromptTokens,
    toolSchemaTokens: overhead.toolSchemaTokens,
    maxInputTokens,
    outputReserveTokens,
    safetyBufferTokens,
    rehydrationReserveTokens,
    maxRehydrationArtifacts: rehydrationMaxArtifactsPerTurn,
    roomTokens,
    limitTokens,
    planLimitTokens,
    softLimit,
    target: Math.min(Math.floor(roomTokens * config.targetPercent), softLimit),
    leastReclaim: Math.floor(roomTokens * config.minReclaimPercent),
  });
}

/** Returns the room in tokens: the cap less the output reserve, which all shares refer to. */
export const roomTokens = ({
  maxInputTokens,
  outputReserveTokens,
}: Pick<ContextCompactionConfig, "maxInputTokens" | "outputReserveTokens">): number =>
  maxInputTokens - outputReserveTokens;

/** Returns the tokens that every request spends before its first message. */
export const overheadTokens = ({ systemPromptTokens, toolSchemaTokens }: RequestOverhead): number =>
  systemPromptTokens + toolSchemaTokens;

/** Returns the tokens that messages may take before a fold is due. May be negative. */
export const availableForMessages = (budget: TokenBudget): number => budget.softLimit - overheadTokens(budget);

/** Returns the share in use of the tokens that the limit leaves for messages. Infinity when it leaves none. */
export function utilization(budget: TokenBudget, messageTokens: number): number {
  const capacity = budget.limitTokens - overheadTokens(budget);
  return capacity > 0 ? messageTokens / capacity : Number.POSITIVE_INFINITY;
}
