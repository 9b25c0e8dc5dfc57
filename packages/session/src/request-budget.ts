import { type ContextCompactionConfig, type TokenBudget, type TokenLedger, tokenBudget } from "@threadfold/core";
import type { RequestFrame } from "./request-frame.ts";

/** The budget of a request: the configured cap and reserves, and what frame and system messages take of it. */
export function requestBudget(config: ContextCompactionConfig, frame: RequestFrame, ledger: TokenLedger): TokenBudget {
  const { tokenizer } = ledger;
  return tokenBudget({
    maxInputTokens: config.maxInputTokens,
    softThreshold: config.softThresholdPercent,
    systemPromptTokens:
      frame.system.reduce((sum, text) => sum + tokenizer.countTokens(text), 0) + systemMessageTokens(ledger),
    toolSchemaTokens: tokenizer.countToolSchemas(frame.tools),
    outputReserveTokens: config.outputReserveTokens,
    safetyBufferTokens: config.safetyBufferTokens,
    rehydrationReserveTokens: config.rehydrationReserveTokens,
  });
}

function systemMessageTokens(ledger: TokenLedger): number {
  let tokens = 0;
  for (const header of ledger.headers) if (header.role === "system") tokens += header.tokens;
  return tokens;
}
