import type { ContextCompactionConfig } from "./compaction-config.ts";

/** What a request spends before its first message, in tokens. */
export interface RequestOverhead {
  readonly systemPromptTokens: number;
  readonly toolSchemaTokens: number;
}

/**
 * What a request may take, and the marks in it at which folding begins and ends. All figures are tokens. Whatever
 * compares a request with a limit reads it from here.
 */
export interface TokenBudget extends RequestOverhead {
  /** The cap. */
  readonly maxInputTokens: number;
  /** Kept free for the answer. */
  readonly outputReserveTokens: number;
  /** Kept free because a count is an estimate. */
  readonly safetyBufferTokens: number;
  /** Kept free by folding for content that is brought back. */
  readonly rehydrationReserveTokens: number;
  /** How many artifacts come back on their own in one turn at the most. */
  readonly maxRehydrationArtifacts: number;
  /** The cap less the answer: shares such as `softThresholdPercent` are shares of it. */
  readonly roomTokens: number;
  /** The most that a request may take, content that was brought back included: the room less the safety buffer. */
  readonly limitTokens: number;
  /** What a request may take without such content: the limit less the rehydration reserve. */
  readonly planLimitTokens: number;
  /** Folding starts above it: the soft threshold, or the plan's limit where that is lower. */
  readonly softLimit: number;
  /** A fold goes down to it; 0 sets no target. */
  readonly target: number;
  /** A soft fold that frees less is not worth a new prefix. */
  readonly leastReclaim: number;
}

/** What a budget is made from. */
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

/** Reserves that nobody set, in tokens, and the share of a small cap that they are then at the most. */
const BY_DEFAULT = { safety: { tokens: 500, share: 1 / 200 }, rehydration: { tokens: 2_000, share: 1 / 50 } } as const;

const byDefault = ({ tokens, share }: { readonly tokens: number; readonly share: number }, cap: number): number =>
  Math.min(tokens, Math.floor(cap * share));

const NO_OVERHEAD: RequestOverhead = Object.freeze({ systemPromptTokens: 0, toolSchemaTokens: 0 });

/** The budget of a configuration's requests. The configuration has been checked by `compactionConfig`. */
export function tokenBudget(config: BudgetFigures, overhead: RequestOverhead = NO_OVERHEAD): TokenBudget {
  const { maxInputTokens, outputReserveTokens, rehydrationMaxArtifactsPerTurn } = config;
  const safetyBufferTokens = config.safetyBufferTokens ?? byDefault(BY_DEFAULT.safety, maxInputTokens);
  const rehydrationReserveTokens = config.rehydrationReserveTokens ?? byDefault(BY_DEFAULT.rehydration, maxInputTokens);
  const roomTokens = maxInputTokens - outputReserveTokens;
  // A model that takes less than was configured leaves less than the reserves, and still something.
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

/** The cap less what is kept free for the answer: what shares are shares of. */
export const roomTokens = ({
  maxInputTokens,
  outputReserveTokens,
}: Pick<ContextCompactionConfig, "maxInputTokens" | "outputReserveTokens">): number =>
  maxInputTokens - outputReserveTokens;

/** Tokens that every request spends before its first message. */
export const overheadTokens = ({ systemPromptTokens, toolSchemaTokens }: RequestOverhead): number =>
  systemPromptTokens + toolSchemaTokens;

/** Tokens that messages may take before a fold is due. May be negative. */
export const availableForMessages = (budget: TokenBudget): number => budget.softLimit - overheadTokens(budget);

/** Share of what the limit leaves for messages that is in use. Infinity when it leaves nothing at all. */
export function utilization(budget: TokenBudget, messageTokens: number): number {
  const capacity = budget.limitTokens - overheadTokens(budget);
  return capacity > 0 ? messageTokens / capacity : Number.POSITIVE_INFINITY;
}
