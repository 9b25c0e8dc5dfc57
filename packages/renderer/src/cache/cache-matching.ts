import type { PromptCachePrice } from "@threadfold/core";

/** How a provider finds a prompt in its cache. */
export type CacheMatching =
  /** Prefixes end where the request says so, and are looked for a number of blocks back from there. */
  | { readonly kind: "explicit"; readonly most: number; readonly lookBackBlocks: number }
  /** Any prefix of an earlier request is found, in steps of so many tokens. */
  | { readonly kind: "implicit"; readonly stepTokens: number };

const ANTHROPIC: CacheMatching = { kind: "explicit", most: 4, lookBackBlocks: 20 };
const OPENAI: CacheMatching = { kind: "implicit", stepTokens: 128 };

/** Matching by the id of a price row (`wire.md`, prompt-cache prices). */
const MATCHING: Readonly<Record<string, CacheMatching>> = Object.freeze({
  anthropic: ANTHROPIC,
  "anthropic-1h": ANTHROPIC,
  openai: OPENAI,
  "openai-4o": OPENAI,
  "openai-4.1": OPENAI,
  "openai-5.6": OPENAI,
  deepseek: { kind: "implicit", stepTokens: 64 },
});

/** How the provider of a price row matches prefixes; by whole tokens where nothing is known. */
export const cacheMatching = ({ id }: PromptCachePrice): CacheMatching =>
  MATCHING[id] ?? { kind: "implicit", stepTokens: 1 };
