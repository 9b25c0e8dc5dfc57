import {
  type ContextCompactionConfig,
  minimumCachedTokens,
  modelName,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
} from "@threadfold/core";

/**
 * The prices that commits are weighed by: the configured row, else the model's, else that of the request format, else none.
 * The shortest prefix that is cached is the model's.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an id that no row has.
 */
export function cachePriceOf(
  { promptCachePrice: configured }: ContextCompactionConfig,
  format: string,
  model?: string,
): PromptCachePrice | undefined {
  const name = model === undefined ? "" : modelName(model);
  const price =
    configured === undefined
      ? (promptCachePriceOfModel(name) ?? promptCachePriceOfFormat(format))
      : typeof configured === "string"
        ? promptCachePrice(configured)
        : configured;
  return price && { ...price, minimumPrefixTokens: minimumCachedTokens(price, name) };
}
