import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { ContextCompactionConfig } from "./compaction-config.ts";

/** What a request may cost and what it costs before any message is in it. All figures are tokens. */
export interface TokenBudget {
  /** The hard cap on a counted request. */
  readonly maxInputTokens: number;
  /** Share of the cap at which folding starts, in (0, 1]. */
  readonly softThreshold: number;
  readonly systemPromptTokens: number;
  readonly toolSchemaTokens: number;
  /** What the provider wraps around a request. */
  readonly formattingOverheadTokens: number;
  /** Kept free for the answer when cap and answer share one window; 0 when the cap is on input alone. */
  readonly outputReserveTokens: number;
  readonly safetyBufferTokens: number;
  /** Kept free for rehydrated content. Outside the pressure that triggers folding. */
  readonly rehydrationReserveTokens: number;
}

/** The defaults: 100 000 tokens, folded at 85 %. */
export const DEFAULT_TOKEN_BUDGET: TokenBudget = Object.freeze({
  maxInputTokens: 100_000,
  softThreshold: 0.85,
  systemPromptTokens: 0,
  toolSchemaTokens: 0,
  formattingOverheadTokens: 0,
  outputReserveTokens: 0,
  safetyBufferTokens: 500,
  rehydrationReserveTokens: 2_000,
});

/**
 * A budget with the given figures and defaults for the rest.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when a figure is negative or not finite, the cap is 0, the threshold is
 * outside (0, 1], or the output reserve leaves no input (S11).
 */
export function tokenBudget(figures: Partial<TokenBudget> = {}): TokenBudget {
  const budget = { ...DEFAULT_TOKEN_BUDGET, ...figures };
  for (const [name, value] of Object.entries(budget)) {
    if (!Number.isFinite(value) || value < 0) throw refuse(name, value, "a number of at least 0");
  }
  if (budget.maxInputTokens === 0) throw refuse("maxInputTokens", 0, "more than 0");
  if (budget.softThreshold <= 0 || budget.softThreshold > 1) {
    throw refuse("softThreshold", budget.softThreshold, "more than 0 and at most 1");
  }
  if (budget.outputReserveTokens >= budget.maxInputTokens) {
    throw refuse(
      "outputReserveTokens",
      budget.outputReserveTokens,
      `less than maxInputTokens (${budget.maxInputTokens})`,
    );
  }
  return Object.freeze(budget);
}

function refuse(name: string, value: number, accepted: string): ThreadfoldError {
  return new ThreadfoldError("INVALID_CONFIG", `${name} is ${value}; it must be ${accepted}.`, {
    details: { name, value },
  });
}

/** Tokens that every request spends before its first message. */
export function overheadTokens(budget: TokenBudget): number {
  return budget.systemPromptTokens + budget.toolSchemaTokens + budget.formattingOverheadTokens;
}

/** Messages may hold this many tokens at the most: the cap less overhead and output reserve. May be negative. */
export function messageCapacity(budget: TokenBudget): number {
  return roomTokens(budget) - overheadTokens(budget);
}

/**
 * Tokens available for messages below the soft threshold: `floor(max × threshold)` less overhead, safety buffer and
 * rehydration reserve. May be negative.
 */
export function availableForMessages(budget: TokenBudget): number {
  const soft = Math.floor(budget.maxInputTokens * budget.softThreshold);
  return soft - overheadTokens(budget) - budget.safetyBufferTokens - budget.rehydrationReserveTokens;
}

/** Tokens left for messages when `messageTokens` are in use, as Goat computes it. May be negative. */
export function availableTokens(budget: TokenBudget, messageTokens: number): number {
  return messageCapacity(budget) - messageTokens;
}

/** Share of the message capacity in use, as Goat computes it. Infinity when there is no capacity at all. */
export function utilization(budget: TokenBudget, messageTokens: number): number {
  const capacity = messageCapacity(budget);
  return capacity > 0 ? messageTokens / capacity : Number.POSITIVE_INFINITY;
}

/** What the AI SDK layer derives its threshold from, in tokens. */
export interface ThresholdFigures {
  readonly modelContextLimit: number;
  readonly systemReserve: number;
  readonly outputReserve: number;
  readonly safetyBuffer: number;
  readonly thresholdPercent: number;
}

/**
 * The AI SDK layer's trigger: `floor((limit − system − output − safety) × percent)`; 93 600 tokens for its defaults.
 */
export function compactionThreshold(figures: ThresholdFigures): number {
  const { modelContextLimit, systemReserve, outputReserve, safetyBuffer, thresholdPercent } = figures;
  return Math.floor((modelContextLimit - systemReserve - outputReserve - safetyBuffer) * thresholdPercent);
}

/** The room that a request has and the marks in it, in tokens. Shares are shares of the room, not of the cap. */
export interface RequestRoom {
  /** The most that a counted request may take; see {@link roomTokens}. */
  readonly tokens: number;
  /** Folding starts above it (`softThresholdPercent`). */
  readonly softLimit: number;
  /** A fold goes down to it (`targetPercent`); 0 sets no target. */
  readonly target: number;
  /** A soft fold that frees less is not worth a new prefix (`minReclaimPercent`). */
  readonly leastReclaim: number;
}

/** Tokens that a counted request may take at the most: the cap less what is kept free for the answer. */
export const roomTokens = ({
  maxInputTokens,
  outputReserveTokens,
}: Pick<ContextCompactionConfig, "maxInputTokens" | "outputReserveTokens">): number =>
  maxInputTokens - outputReserveTokens;

/** The room of a configuration's requests. Whatever compares a request with its limit reads it from here. */
export function requestRoom(config: ContextCompactionConfig): RequestRoom {
  const tokens = roomTokens(config);
  return {
    tokens,
    softLimit: Math.floor(tokens * config.softThresholdPercent),
    target: Math.floor(tokens * config.targetPercent),
    leastReclaim: Math.floor(tokens * config.minReclaimPercent),
  };
}
