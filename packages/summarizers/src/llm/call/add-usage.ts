import type { Usage } from "@threadfold/core";

/** What two calls used together; undefined when neither said. */
export function addUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const sum = (key: keyof Usage): Partial<Usage> =>
    first[key] === undefined && second[key] === undefined ? {} : { [key]: (first[key] ?? 0) + (second[key] ?? 0) };
  return {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    ...sum("cacheReadTokens"),
    ...sum("cacheWriteTokens"),
    ...sum("reasoningTokens"),
  };
}
