import {
  minimumCachedTokens,
  modelName,
  type PromptCachePrice,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
  type Usage,
} from "@threadfold/core";
import type { CallRow, FrameRow, MissCause } from "../rows/call-row.ts";

/** What one call costs, as its row says it. */
export type CallCost = Pick<
  CallRow,
  "cached" | "written" | "fresh" | "inputTokens" | "outputTokens" | "reported" | "cost" | "cause" | "missed"
>;

/** What a call's cost depends on. */
export interface PricedCall {
  readonly tokens: number;
  /** Tokens that it begins with as the call before does. */
  readonly sharedTokens: number;
  /** Tokens of the call before; null for the first. */
  readonly tokensBefore: number | null;
  /** Milliseconds since the call before. */
  readonly idleMs: number;
  /** Null where the provider's prices are not known. */
  readonly price: PromptCachePrice | null;
  /** What the provider reported; undefined where it reported nothing. */
  readonly usage: Usage | undefined;
}

/** The prices that a request goes out under; null when nobody knows them. */
export function framePrice({ format, model }: Pick<FrameRow, "format" | "model">): PromptCachePrice | null {
  const name = model === null ? "" : modelName(model);
  const price = promptCachePriceOfModel(name) ?? promptCachePriceOfFormat(format);
  return price === undefined ? null : { ...price, minimumPrefixTokens: minimumCachedTokens(price, name) };
}

/**
 * What a call's input costs: what the provider says it read and wrote, and where it says nothing, what it can have had by
 * its published rules.
 */
export function callCost(call: PricedCall): CallCost {
  const { tokens, price, usage } = call;
  const possible = possibleTokens(call);
  const inputTokens = usage?.inputTokens ?? tokens;
  const scale = tokens === 0 ? 1 : inputTokens / tokens;
  const cached = usage === undefined ? possible : (usage.cacheReadTokens ?? 0);
  const writes = price !== null && tokens >= price.minimumPrefixTokens ? inputTokens - cached : 0;
  const written = usage === undefined ? writes : (usage.cacheWriteTokens ?? 0);
  const fresh = inputTokens - cached - written;
  const cost = price === null ? inputTokens : cached * price.read + written * price.write + fresh;
  // What a fold took off the request is paid for by nobody.
  const missed = Math.max(0, Math.min((call.tokensBefore ?? tokens) * scale, inputTokens) - cached);
  const claims = { cached, possible: possible * scale };
  return {
    ...{ cached, written, fresh, inputTokens, cost },
    outputTokens: usage?.outputTokens ?? null,
    reported: usage !== undefined,
    ...missOf(call, Math.round(missed), claims),
  };
}

/** Tokens of the longest beginning that the provider can have. */
function possibleTokens({ sharedTokens, price, idleMs, tokensBefore }: PricedCall): number {
  if (price === null || tokensBefore === null) return 0;
  if (idleMs > price.ttlSeconds * 1_000) return 0;
  return sharedTokens < price.minimumPrefixTokens ? 0 : sharedTokens;
}

/** Below this share of what is possible, a claim is not explained by how tokens are counted. */
const CLAIMED_SHARE = 0.9;

function missOf(
  { price, tokensBefore, idleMs, sharedTokens }: PricedCall,
  missed: number,
  { cached, possible }: { readonly cached: number; readonly possible: number },
): { readonly cause: MissCause; readonly missed: number } {
  if (tokensBefore === null) return { cause: "first-call", missed };
  if (price === null || missed === 0) return { cause: "none", missed: 0 };
  if (idleMs > price.ttlSeconds * 1_000) return { cause: "expired", missed };
  if (cached < possible * CLAIMED_SHARE) return { cause: "not-claimed", missed };
  if (cached * CLAIMED_SHARE > possible && possible > 0) return { cause: "claimed-more", missed };
  if (sharedTokens < tokensBefore) return { cause: "changed", missed };
  return sharedTokens < price.minimumPrefixTokens ? { cause: "below-minimum", missed } : { cause: "none", missed: 0 };
}

/** What a token costs more that is written than one that is read. */
export const extraPrice = (price: PromptCachePrice | null): number => (price === null ? 0 : price.write - price.read);
