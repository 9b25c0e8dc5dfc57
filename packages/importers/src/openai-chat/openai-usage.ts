import type { Usage } from "@threadfold/core";
import { countOf, objectOf, withoutUndefined } from "../reading/foreign-value.ts";

/**
 * Usage as OpenAI reports it, in the words of the Chat API (`prompt_tokens`) or of Responses (`input_tokens`). Both
 * include what was read from the cache, and in the reports of proxies that speak for Anthropic what was written to it.
 * A report of nothing but zeros counts as none.
 */
export function openaiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const input = countOf(usage.prompt_tokens) ?? countOf(usage.input_tokens);
  const output = countOf(usage.completion_tokens) ?? countOf(usage.output_tokens);
  const [inputTokens, outputTokens] = [input ?? 0, output ?? 0];
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const promptDetails = objectOf(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);
  const outputDetails = objectOf(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);
  const cacheReadTokens = countOf(promptDetails?.cached_tokens) ?? countOf(usage.cache_read_input_tokens);
  const cacheWriteTokens = usage.prompt_tokens === undefined ? undefined : countOf(usage.cache_creation_input_tokens);
  const reasoningTokens = countOf(outputDetails?.reasoning_tokens) ?? countOf(usage.reasoning_tokens);
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens });
}
