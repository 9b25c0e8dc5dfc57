import type { Usage } from "@threadfold/core";
import type { ModelResponse, UsageReport } from "@threadfold/session";

/** What a message says that its call used, as a session takes it; nothing when the provider reported nothing. */
export function reportOf(usage: Usage | undefined): Pick<ModelResponse, "usage"> {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const report: NonNullable<ModelResponse["usage"]> = {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
  } satisfies UsageReport;
  return { usage: report };
}
