import { digestOf, minimumCachedTokens, type PromptCachePrice } from "@threadfold/core";
import type { Rendering } from "../input/render-input.ts";

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

interface CacheLookup<Matching> {
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
  { cache, minimum, matching }: CacheLookup<Extract<CacheMatching, { kind: "explicit" }>>,
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
  { cache, minimum, matching }: CacheLookup<Extract<CacheMatching, { kind: "implicit" }>>,
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

/** A piece of a request: what a prefix that ends behind it is known by, and how much it adds. */
export interface PrefixUnit {
  /** Digest of the whole request up to and including this piece. */
  readonly digest: string;
  readonly tokens: number;
  /** How many blocks it has on the wire. */
  readonly blocks: number;
}

/** A request as a prompt cache sees it. */
export interface CachedRequest {
  /** When it is sent, in milliseconds. */
  readonly at: number;
  /** Tools and system text first, then message by message. */
  readonly units: readonly PrefixUnit[];
  /** Indexes of the units that end a cached prefix, ascending; only asked for where breakpoints are explicit. */
  readonly breakpoints: readonly number[];
}

/**
 * A rendering as a prompt cache sees it. Tools and system text are unit 0, so message `n` is unit `n + 1`.
 *
 * @param places indexes of messages behind which a breakpoint stands; `frame` adds one behind tools and system text.
 */
export function cachedRequest(
  { request, manifest, breakdown }: Pick<Rendering, "request" | "manifest" | "breakdown">,
  at: number,
  places: { readonly frame: boolean; readonly messages: readonly number[] } = { frame: false, messages: [] },
): CachedRequest {
  const { system, tools } = request;
  const messages = manifest.messages.reduce((sum, { tokens }) => sum + tokens, 0);
  const total = Object.values(breakdown).reduce((sum, share) => sum + share, 0);
  const frame: PrefixUnit = {
    digest: digestOf({ format: manifest.format, system, tools }),
    tokens: total - messages,
    blocks: system.length + tools.length,
  };
  const units = manifest.messages.map(({ tokens, parts }, index) => ({
    digest: manifest.prefixDigests[index] as string,
    tokens,
    blocks: parts,
  }));
  const breakpoints = [...(places.frame ? [0] : []), ...places.messages.map((index) => index + 1)];
  return { at, units: [frame, ...units], breakpoints };
}

/** How a provider finds a prompt in its cache. */
export type CacheMatching =
  /** Prefixes end where the request says so, and are looked for a number of blocks back from there. */
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

/** How the provider of a price row matches prefixes; by whole tokens where nothing is known. */
export const cacheMatching = ({ id }: PromptCachePrice): CacheMatching =>
  MATCHING[id] ?? { kind: "implicit", stepTokens: 1 };
