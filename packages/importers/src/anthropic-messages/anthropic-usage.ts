import type { Usage } from "@threadfold/core";
import { countOf, objectOf, withoutUndefined } from "../reading/foreign-value.ts";

/**
 * Usage as the Anthropic API reports it. There, `input_tokens` leaves out what was read from or written to the cache;
 * in {@link Usage} it is included. A report of nothing but zeros, as of an aborted call, counts as none.
 */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const input = countOf(usage?.input_tokens);
  const output = countOf(usage?.output_tokens);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const cacheReadTokens = countOf(usage.cache_read_input_tokens);
  const cacheWriteTokens = countOf(usage.cache_creation_input_tokens);
  const inputTokens = (input ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const outputTokens = output ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const reasoningTokens = countOf(usage.reasoning_tokens);
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}
