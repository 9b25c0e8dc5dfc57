import type { Usage } from "@threadfold/core";
import { countOf, objectOf } from "../reading/foreign-value.ts";

/**
 * Usage as pi writes it: `input` leaves out what was read from or written to the cache. A report of nothing but zeros,
 * which pi writes for aborted calls, counts as none.
 */
export function piUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const cacheReadTokens = countOf(usage.cacheRead) ?? 0;
  const cacheWriteTokens = countOf(usage.cacheWrite) ?? 0;
  const inputTokens = (countOf(usage.input) ?? 0) + cacheReadTokens + cacheWriteTokens;
  const outputTokens = countOf(usage.output) ?? 0;
  return inputTokens === 0 && outputTokens === 0
    ? undefined
    : { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
