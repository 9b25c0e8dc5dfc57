import { minimumCachedTokens, type PromptCachePrice } from "./cache-prices.ts";

/** What one request read, wrote and cost. The three token counts add up to its tokens. */
export interface CacheOutcome {
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly uncachedTokens: number;
  /** Price of the input, in uncached tokens. */
  readonly bill: number;
}

/** The prices and rules that apply to simulated requests. */
export interface CacheSimulation {
  readonly price: PromptCachePrice;
  /** How prefixes are found; as the price row's provider does by default. */
  readonly matching?: CacheMatching;
  /** Name of the model, which may have its own minimum for cached prefixes. */
  readonly model?: string;
}

/** Plays requests, in order of time, through a provider's prompt cache, and returns the outcome of each. */
export function simulatePrefixCache(
  requests: readonly CachedRequest[],
  simulation: CacheSimulation,
): readonly CacheOutcome[] {
  const cache = new PromptCache();
  return requests.map((request) => cache.take(request, simulation));
}

/**
 * A model of a provider's prompt cache. A prefix expires when it is not used for its lifetime, and prefixes below the
 * model's minimum are never cached.
 */
export class PromptCache {
  readonly #kept = new Map<string, KeptPrefix>();

  /** Processes a request, no earlier than those before it, and returns what the provider reads and writes for it. */
  take(request: CachedRequest, { price, matching = cacheMatching(price), model }: CacheSimulation): CacheOutcome {
    const ends = runningTokens(request.units);
    const minimum = minimumCachedTokens(price, model);
    const life = price.ttlSeconds * 1_000;
    const { read, write } =
      matching.kind === "explicit"
        ? this.#explicitUse(request, ends, { minimum, matching, life })
        : this.#implicitUse(request, ends, { minimum, matching, life });
    return cacheOutcome({ read, write, total: ends.at(-1) ?? 0 }, price);
  }

  /** Returns whether a prefix can be read, has expired or was never written. Checking does not refresh it. */
  state(digest: string, at: number): "held" | "expired" | "unknown" {
    const kept = this.#kept.get(digest);
    if (kept === undefined) return "unknown";
    return kept.until > at ? "held" : "expired";
  }

  /** Adds or refreshes a prefix, such as one that a request wrote as part of a longer prefix. */
  keep(digest: string, at: number, lifeMs: number): void {
    if (!this.#use(digest, at)) this.#kept.set(digest, { until: at + lifeMs, life: lifeMs });
  }

  /** Returns whether a prefix is in the cache, and refreshes it if so. */
  #use(digest: string, at: number): boolean {
    const kept = this.#kept.get(digest);
    if (kept === undefined || kept.until <= at) return false;
    this.#kept.set(digest, { ...kept, until: at + kept.life });
    return true;
  }

  #explicitUse(
    { at, units, breakpoints }: CachedRequest,
    ends: readonly number[],
    { minimum, matching, life }: CacheLookup<Extract<CacheMatching, { kind: "explicit" }>>,
  ): CacheUse {
    const places = breakpoints.slice(-matching.most).filter((place) => (ends[place] ?? 0) >= minimum);
    const lookBack = (place: number): number => {
      let between = 0;
      for (let index = place; index >= 0 && between <= matching.lookBackBlocks; index--) {
        const { digest, blocks } = units[index] as PrefixUnit;
        if (this.#use(digest, at)) return index;
        between += blocks;
      }
      return -1;
    };
    const found = places.reduce((longest, place) => Math.max(longest, lookBack(place)), -1);
    for (const place of places) this.keep((units[place] as PrefixUnit).digest, at, life);
    const last = places.at(-1) ?? -1;
    const read = found < 0 ? 0 : (ends[found] as number);
    return { read, write: Math.max(read, last < 0 ? 0 : (ends[last] as number)) };
  }

  #implicitUse(
    { at, units }: CachedRequest,
    ends: readonly number[],
    { minimum, matching, life }: CacheLookup<Extract<CacheMatching, { kind: "implicit" }>>,
  ): CacheUse {
    const total = ends.at(-1) ?? 0;
    if (total < minimum) return { read: 0, write: 0 };
    const known = units.findLastIndex(({ digest }) => this.#use(digest, at));
    for (const { digest } of units) this.keep(digest, at, life);
    const length = known < 0 ? 0 : (ends[known] as number);
    const read = length < minimum ? 0 : length - (length % matching.stepTokens);
    return { read, write: total };
  }
}

interface KeptPrefix {
  /** When it expires, in milliseconds. */
  readonly until: number;
  /** How long it stays after its last use, in milliseconds. */
  readonly life: number;
}

/** Tokens from the beginning of the request: how many are read, and how many are in the cache afterwards. */
interface CacheUse {
  readonly read: number;
  readonly write: number;
}

interface CacheLookup<Matching> {
  readonly minimum: number;
  readonly matching: Matching;
  /** Lifetime of the prefixes that are written, in milliseconds. */
  readonly life: number;
}

function cacheOutcome({ read, write, total }: CacheUse & { readonly total: number }, price: PromptCachePrice) {
  const tokens = { readTokens: read, writtenTokens: write - read, uncachedTokens: total - write };
  return { ...tokens, bill: inputBill(tokens, price) };
}

/** Returns the price of a request's input, in uncached tokens. */
export const inputBill = (
  { readTokens, writtenTokens, uncachedTokens }: Omit<CacheOutcome, "bill">,
  { read, write }: Pick<PromptCachePrice, "read" | "write">,
): number => readTokens * read + writtenTokens * write + uncachedTokens;

/** Returns for each unit the tokens of the request up to and including it. */
function runningTokens(units: readonly PrefixUnit[]): readonly number[] {
  let sum = 0;
  return units.map(({ tokens }) => (sum += tokens));
}

/** A piece of a request: the digest of the prefix that ends with it, and how much it adds. */
export interface PrefixUnit {
  /** Digest of the whole request up to and including this piece. */
  readonly digest: string;
  readonly tokens: number;
  /** The number of content blocks on the wire. */
  readonly blocks: number;
}

/** A request as a prompt cache sees it. */
export interface CachedRequest {
  /** When it is sent, in milliseconds. */
  readonly at: number;
  /** Tools and system text first, then message by message. */
  readonly units: readonly PrefixUnit[];
  /** Indexes of the units that end a cached prefix, ascending; used only when breakpoints are explicit. */
  readonly breakpoints: readonly number[];
}

/** How a provider finds a prompt in its cache. */
export type CacheMatching =
  /** Prefixes end at up to `most` breakpoints, and are searched for up to `lookBackBlocks` blocks back from each. */
  | { readonly kind: "explicit"; readonly most: number; readonly lookBackBlocks: number }
  /** Any prefix of an earlier request is found, in steps of this many tokens. */
  | { readonly kind: "implicit"; readonly stepTokens: number };

const ANTHROPIC: CacheMatching = { kind: "explicit", most: 4, lookBackBlocks: 20 };
const OPENAI: CacheMatching = { kind: "implicit", stepTokens: 128 };

/** Matching by the id of a price row. */
const MATCHING: Readonly<Record<string, CacheMatching>> = Object.freeze({
  anthropic: ANTHROPIC,
  "anthropic-1h": ANTHROPIC,
  openai: OPENAI,
  "openai-4o": OPENAI,
  "openai-4.1": OPENAI,
  "openai-5.6": OPENAI,
  deepseek: { kind: "implicit", stepTokens: 64 },
});

/** Returns how the provider of a price row matches prefixes; token by token when that is not known. */
export const cacheMatching = ({ id }: PromptCachePrice): CacheMatching =>
  MATCHING[id] ?? { kind: "implicit", stepTokens: 1 };
