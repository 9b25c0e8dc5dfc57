import type { ContextCompactionConfig } from "@threadfold/core";

/** The part of the configuration that rehydration reads (seed 002, `RehydrationConfig`). Token figures are tokens of the counter. */
export type RehydrationConfig = Pick<
  ContextCompactionConfig,
  | "maxInputTokens"
  | "rehydrationEnabled"
  | "rehydrationMaxArtifactsPerTurn"
  | "rehydrationMaxTokensPerArtifact"
  | "rehydrationTotalBudgetTokens"
  | "rehydrationCooldownTurns"
  | "autoRehydrateSensitivities"
>;
