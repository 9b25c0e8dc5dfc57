import { TokenLimiterProcessor } from "@mastra/core/processors";
import type { ModelMessage } from "ai";
import { modelMessageShape } from "./model-message-shape.ts";
import { peerPolicy } from "./peer-policy.ts";

/** The hook that Mastra calls before its model, with the provider's prompt, which has the shape of `ModelMessage`. */
type PromptHook = (call: { prompt: readonly ModelMessage[] }) => Promise<{ prompt: ModelMessage[] } | undefined>;

/** Mastra's `TokenLimiterProcessor` with its defaults: keeps the newest messages that fit and skips larger ones. */
export const mastraTokenLimiter = peerPolicy<ModelMessage>("mastra TokenLimiter", modelMessageShape, ({ budget }) => {
  const limiter = new TokenLimiterProcessor({ limit: budget });
  const limit = limiter.processLLMRequest.bind(limiter) as unknown as PromptHook;
  const log: ModelMessage[] = [];
  return async (added) => {
    log.push(...added);
    return (await limit({ prompt: log }))?.prompt ?? [...log];
  };
});
