import { type ContextCompactionConfig, roomTokens } from "@threadfold/core";

/** A fold goes no further below its target than to this share of it: what is kept has to hold more than a summary. */
const LEAST_OF_TARGET = 0.5;

/**
 * The configuration with a lower target where the thread grows so fast that the next fold would come before
 * `minCallsPerFold` calls. What a fold keeps is written to the prompt cache once and read in each call after it, so the
 * sooner the next fold comes, the dearer is each token that is kept (docs/decisions/0011).
 *
 * @param growthPerCall tokens that the thread grew by in an average call.
 */
export function configForEpoch(config: ContextCompactionConfig, growthPerCall: number): ContextCompactionConfig {
  const { softThresholdPercent, targetPercent, minCallsPerFold } = config;
  const wanted = softThresholdPercent - (minCallsPerFold * growthPerCall) / roomTokens(config);
  if (wanted >= targetPercent) return config;
  return { ...config, targetPercent: Math.max(targetPercent * LEAST_OF_TARGET, wanted) };
}
