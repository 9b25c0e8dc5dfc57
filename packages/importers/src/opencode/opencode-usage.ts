import type { Usage } from "@threadfold/core";
import { countOf, objectOf, withoutUndefined } from "../reading/foreign-value.ts";

/**
 * Usage as OpenCode writes it: `input` leaves out what was read from or written to the cache, `output` leaves out the
 * reasoning in versions of 2026 and not before: there, `total` tells. A report of nothing but zeros counts as none.
 */
export function opencodeUsage(value: unknown): Usage | undefined {
  const tokens = objectOf(value);
  const cache = objectOf(tokens?.cache);
  const cacheReadTokens = countOf(cache?.read) ?? 0;
  const cacheWriteTokens = countOf(cache?.write) ?? 0;
  const reasoningTokens = countOf(tokens?.reasoning);
  const inputTokens = (countOf(tokens?.input) ?? 0) + cacheReadTokens + cacheWriteTokens;
  const total = countOf(tokens?.total);
  const outputTokens =
    total !== undefined && total >= inputTokens
      ? total - inputTokens
      : (countOf(tokens?.output) ?? 0) + (reasoningTokens ?? 0);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } as Usage);
}
