import type { CapabilityTable, ModelCapabilities } from "./model-capabilities.ts";

/** Claude models whose signatures hold for the block alone; the server drops the thinking of older turns itself. */
const LOOP_BOUND = { reasoning: "last-turn" } as const;
/** Claude models whose signatures hold for the block alone, and that read the thinking of every turn. */
const UNBOUND = { reasoning: "none" } as const;
/** Claude models that may still be asked to go on with a text of their own. */
const PREFILLED = { prefill: true } as const;
const TEXT_REASONING = { reasoning: "none", reasoningText: true } as const;

/** Rows for one model and its dated names, where a further number behind the name is a newer model. */
const only = (name: string, row: Partial<ModelCapabilities>): CapabilityTable => ({
  [name]: row,
  [`${name}-`]: { reasoning: "prefix-bound" },
  [`${name}-20`]: row,
  [`${name}-v`]: row,
});

/**
 * What models can take (`wire.md`, rows Reasoning, Last message and Images/docs). A model without a row of its own is
 * taken for the newest of its family, whose rules are the strictest. Claude binds thinking to the prefix from Fable 5.1 and
 * Opus 5.5 on (Anthropic's pages on preserved thinking, November 2026). Which open models want their reasoning back is not
 * confirmed by a vendor's page: add a row to say otherwise.
 */
export const MODEL_CAPABILITIES: CapabilityTable = Object.freeze({
  "claude-": { provider: "anthropic", cacheBreakpoints: true },
  "claude-3": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4": UNBOUND,
  "claude-opus-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-1": { ...LOOP_BOUND, ...PREFILLED },
  "claude-opus-4-5": PREFILLED,
  "claude-sonnet-4": UNBOUND,
  "claude-sonnet-4-0": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-2": { ...LOOP_BOUND, ...PREFILLED },
  "claude-sonnet-4-5": { ...LOOP_BOUND, ...PREFILLED },
  "claude-haiku-4-5": { ...LOOP_BOUND, ...PREFILLED },
  ...only("claude-opus-5", UNBOUND),
  ...only("claude-sonnet-5", UNBOUND),
  ...only("claude-fable-5", UNBOUND),
  ...only("claude-mythos-5", UNBOUND),
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
