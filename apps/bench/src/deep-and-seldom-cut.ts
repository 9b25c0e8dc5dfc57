/** What a policy demands of a provider's prompt cache. */
export interface PrefixNeed {
  /** Number of requests that do not begin with the one before. */
  readonly breaks: number;
  /** Tokens of all requests after the part that each shares with the one before. */
  readonly tokensOutsideStablePrefix: number;
}

/**
 * Returns the minimum that cutting demands when it is deep and rare: messages are only added until the request reaches
 * the threshold, and then cut from the front down to the target, so that everything left is new to the cache.
 *
 * @param added tokens of each step, in order.
 */
export function deepAndSeldomCut(added: readonly number[], threshold: number, target: number): PrefixNeed {
  let size = 0;
  let breaks = 0;
  let outside = 0;
  for (const tokens of added) {
    size += tokens;
    if (size < threshold) {
      outside += tokens;
      continue;
    }
    breaks++;
    size = target;
    outside += size;
  }
  return { breaks, tokensOutsideStablePrefix: outside };
}
