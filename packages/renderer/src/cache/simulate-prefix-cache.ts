import { minimumCachedTokens, type PromptCachePrice } from "@threadfold/core";
import { type CacheMatching, cacheMatching } from "./cache-matching.ts";
import type { CachedRequest, PrefixUnit } from "./cached-request.ts";

/** What one request cost. The three counts add up to its tokens. */
export interface CacheOutcome {
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly uncachedTokens: number;
  /** Price of the input, in uncached tokens. */
  readonly bill: number;
}

/** What a simulation is about. */
export interface CacheSimulation {
  readonly price: PromptCachePrice;
  /** How prefixes are found; that of the price row's provider by default. */
  readonly matching?: CacheMatching;
  /** Name of the model, whose shortest cached prefix may be another one. */
  readonly model?: string;
}

/**
 * Plays requests through a provider's prompt cache, in order of time, and says for each what it read, wrote and paid for
 * in full. A prefix is gone when it was not used for the provider's time, and is never cached below the model's minimum.
 */
export function simulatePrefixCache(
  requests: readonly CachedRequest[],
  { price, matching = cacheMatching(price), model }: CacheSimulation,
): readonly CacheOutcome[] {
  const cache = new PrefixCache(price.ttlSeconds * 1_000);
  const minimum = minimumCachedTokens(price, model);
  return requests.map((request) => {
    const ends = runningTokens(request.units);
    const { read, write } =
      matching.kind === "explicit"
        ? explicitUse(request, ends, { cache, minimum, matching })
        : implicitUse(request, ends, { cache, minimum, matching });
    const total = ends.at(-1) ?? 0;
    const written = write - read;
    const uncached = total - write;
    return {
      readTokens: read,
      writtenTokens: written,
      uncachedTokens: uncached,
      bill: read * price.read + written * price.write + uncached,
    };
  });
}

/** Both in tokens from the beginning of the request: what is read, and what is in the cache afterwards. */
interface CacheUse {
  readonly read: number;
  readonly write: number;
}

interface CacheScene<Matching> {
  readonly cache: PrefixCache;
  readonly minimum: number;
  readonly matching: Matching;
}

/** At each unit, the tokens of the request up to and including it. */
function runningTokens(units: readonly PrefixUnit[]): readonly number[] {
  let sum = 0;
  return units.map(({ tokens }) => (sum += tokens));
}

function explicitUse(
  { at, units, breakpoints }: CachedRequest,
  ends: readonly number[],
  { cache, minimum, matching }: CacheScene<Extract<CacheMatching, { kind: "explicit" }>>,
): CacheUse {
  const places = breakpoints.slice(-matching.most).filter((place) => (ends[place] ?? 0) >= minimum);
  let found = -1;
  for (const place of places) found = Math.max(found, lookBack(place, matching.lookBackBlocks));
  for (const place of places) cache.keep((units[place] as PrefixUnit).digest, at);
  const last = places.at(-1) ?? -1;
  const read = found < 0 ? 0 : (ends[found] as number);
  return { read, write: Math.max(read, last < 0 ? 0 : (ends[last] as number)) };

  function lookBack(place: number, blocks: number): number {
    let between = 0;
    for (let index = place; index >= 0 && between <= blocks; index--) {
      const { digest, blocks: own } = units[index] as PrefixUnit;
      if (cache.use(digest, at)) return index;
      between += own;
    }
    return -1;
  }
}

function implicitUse(
  { at, units }: CachedRequest,
  ends: readonly number[],
  { cache, minimum, matching }: CacheScene<Extract<CacheMatching, { kind: "implicit" }>>,
): CacheUse {
  const total = ends.at(-1) ?? 0;
  if (total < minimum) return { read: 0, write: 0 };
  const known = units.findLastIndex(({ digest }) => cache.use(digest, at));
  for (const { digest } of units) cache.keep(digest, at);
  const length = known < 0 ? 0 : (ends[known] as number);
  const read = length < minimum ? 0 : length - (length % matching.stepTokens);
  return { read, write: total };
}

/** The prefixes that a provider has, by digest, and until when. */
class PrefixCache {
  readonly #until = new Map<string, number>();
  readonly #life: number;

  constructor(lifeMs: number) {
    this.#life = lifeMs;
  }

  /** Says whether a prefix is there, and has it stay. */
  use(digest: string, at: number): boolean {
    if ((this.#until.get(digest) ?? Number.NEGATIVE_INFINITY) <= at) return false;
    this.keep(digest, at);
    return true;
  }

  keep(digest: string, at: number): void {
    this.#until.set(digest, at + this.#life);
  }
}
