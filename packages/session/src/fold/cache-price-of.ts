import {
  type ContextCompactionConfig,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceOfFormat,
} from "@threadfold/core";

/**
 * The prices that commits are weighed by: the configured row, else the row of the request format, else none.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an id that no row has.
 */
export function cachePriceOf(config: ContextCompactionConfig, format: string): PromptCachePrice | undefined {
  const { promptCachePrice: configured } = config;
  if (configured === undefined) return promptCachePriceOfFormat(format);
  return typeof configured === "string" ? promptCachePrice(configured) : configured;
}
