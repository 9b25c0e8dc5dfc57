import type { Usage } from "@threadfold/core";
import { countOf, type ForeignObject, withoutUndefined } from "../reading/foreign-value.ts";

/**
 * Usage as Codex writes it: `input_tokens` includes what was read from the cache, unlike Anthropic's. A report of
 * nothing but zeros counts as none.
 */
export function codexUsage(usage: ForeignObject): Usage | undefined {
  const inputTokens = countOf(usage.input_tokens) ?? 0;
  const outputTokens = countOf(usage.output_tokens) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  return withoutUndefined<Usage>({
    inputTokens,
    outputTokens,
    cacheReadTokens: countOf(usage.cached_input_tokens),
    cacheWriteTokens: countOf(usage.cache_write_input_tokens),
    reasoningTokens: countOf(usage.reasoning_output_tokens),
  } as Usage);
}
