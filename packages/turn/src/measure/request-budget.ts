import {
  type ContextCompactionConfig,
  type ProviderAwareTokenizer,
  requestTokens,
  scaledTokens,
  systemText,
  type TokenBudget,
  type TokenLedger,
  tokenBudget,
} from "@threadfold/core";
import type { ProviderCount } from "./provider-count.ts";
import type { RequestFrame } from "./request-frame.ts";

/**
 * Returns the budget of a request: the configured cap and reserves, and what frame and system messages take. Hidden
 * tokens that the provider counts are included in those of the system text.
 */
export function requestBudget(
  config: ContextCompactionConfig,
  frame: RequestFrame,
  ledger: TokenLedger,
  { estimate }: ProviderCount,
): TokenBudget {
  const { system, tools } = frameTokens(frame, ledger.tokenizer);
  return tokenBudget(config, {
    systemPromptTokens: requestTokens(estimate, system + ledger.systemTokens),
    toolSchemaTokens: scaledTokens(estimate, tools),
  });
}

interface FrameTokens {
  readonly tokenizer: ProviderAwareTokenizer;
  readonly system: number;
  readonly tools: number;
}

const known = new WeakMap<RequestFrame, FrameTokens>();

/** A frame is counted once per counter, not at every call. */
function frameTokens(frame: RequestFrame, tokenizer: ProviderAwareTokenizer): FrameTokens {
  const before = known.get(frame);
  if (before?.tokenizer === tokenizer) return before;
  const system = frame.system.reduce((sum, entry) => sum + tokenizer.countTokens(systemText(entry)), 0);
  const counted = { tokenizer, system, tools: tokenizer.countToolSchemas(frame.tools) };
  known.set(frame, counted);
  return counted;
}
