import type { CapabilityTable } from "./model-capabilities.ts";

/** Claude models whose signatures hold for the block alone; the server drops the thinking of older turns itself. */
const LOOP_BOUND = { reasoning: "last-turn" } as const;
/** Claude models that may still be asked to go on with a text of their own. */
const PREFILLED = { prefill: true } as const;
const TEXT_REASONING = { reasoning: "none", reasoningText: true } as const;

/**
 * What models can take (`wire.md`, rows Reasoning, Last message and Images/docs). A model without a row of its own is
 * taken for the newest of its family, whose rules are the strictest. Which Claude model is the first whose thinking is
 * bound to the prefix, and which open models want their reasoning back, is not confirmed by a vendor's page: add a row to
 * say otherwise.
 */
export const MODEL_CAPABILITIES: CapabilityTable = Object.freeze({
  "claude-": { provider: "anthropic", cacheBreakpoints: true },
  "claude-3": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-1": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-5": PREFILLED,
  "claude-sonnet-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-5": { ...LOOP_BOUND, ...PREFILLED },
  "claude-haiku-4-5": { ...LOOP_BOUND, ...PREFILLED },
  "gpt-": { provider: "openai", reasoning: "none" },
  "gpt-5.6": { cacheBreakpoints: true },
  o1: { provider: "openai", reasoning: "none" },
  o3: { provider: "openai", reasoning: "none" },
  o4: { provider: "openai", reasoning: "none" },
  "gemini-": { provider: "google", reasoning: "none", multimodalResults: false },
  "gemini-3": { multimodalResults: true },
  "deepseek-": { provider: "deepseek", prefill: true, reasoning: "none" },
  "deepseek-v3.2": TEXT_REASONING,
  "deepseek-v4": TEXT_REASONING,
  "kimi-k2": { provider: "moonshotai", ...TEXT_REASONING },
  "glm-": { provider: "zai", ...TEXT_REASONING },
  "minimax-m": { provider: "minimax", ...TEXT_REASONING },
});
