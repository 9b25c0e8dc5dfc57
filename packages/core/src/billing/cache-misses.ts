import type { PrefixChanger } from "../audit/request-cache-record.ts";
import type { PromptCachePrice } from "../providers/cache-prices.ts";
import type { CacheOutcome } from "../providers/prompt-cache.ts";
import { matchingOf, type RecordedCall, sharedTokens } from "./recorded-call.ts";

/** Why tokens were not read from the cache, or were only claimed to be. */
export type MissCause =
  | { readonly cause: "first-call" }
  | { readonly cause: "expired"; readonly idleSeconds: number; readonly ttlSeconds: number }
  | ({ readonly cause: "changed" } & ChangeOfPrefix)
  | { readonly cause: "below-minimum"; readonly minimumTokens: number }
  /** The prefix is in the cache, but no mark of the request is close enough after it. */
  | { readonly cause: "out-of-reach"; readonly lookBackBlocks: number }
  /** The provider can have the prefix, but says that it did not read it. */
  | { readonly cause: "not-claimed" }
  /** The provider says that it read tokens that it cannot have. */
  | { readonly cause: "claimed-more" };

/** What changed the prefix of a request; message and byte are null when the journal does not say where. */
export interface ChangeOfPrefix {
  readonly by: PrefixChanger;
  readonly message: number | null;
  readonly byte: number | null;
  readonly reason: string;
}

/** A cause and the tokens that it accounts for. */
export type CountedMiss = MissCause & { readonly tokens: number };

/** A call played through the provider's cache by its rules, and what the cache held before. */
export interface PlayedCall {
  readonly now: RecordedCall;
  readonly before: RecordedCall | null;
  readonly price: PromptCachePrice;
  readonly outcome: CacheOutcome;
  /** Tokens of the longest prefix that the previous call left in the cache. */
  readonly leftTokens: number;
  /** Tokens of the longest prefix of this call that was in the cache once but has expired. */
  readonly expiredTokens: number;
}

/** Returns why tokens had to be paid for again by the provider's rules; null when everything in the cache was read. */
export function missByRules(played: PlayedCall): CountedMiss | null {
  const { now, before, price, outcome, leftTokens } = played;
  const total = now.record.tokens;
  if (before === null) return { cause: "first-call", tokens: total - outcome.readTokens };
  if (total < price.minimumPrefixTokens) {
    const tokens = sharedTokens(now, before);
    return tokens === 0 ? null : { cause: "below-minimum", minimumTokens: price.minimumPrefixTokens, tokens };
  }
  // A request that a fold made shorter pays for itself again, not for everything that the previous one left behind.
  const tokens = Math.min(leftTokens, total) - outcome.readTokens;
  return tokens < stepOf(played) ? null : { ...lossCause(played, before), tokens };
}

/** Returns the provider's step in tokens: less than one step left unread is not a miss. */
function stepOf({ now: { record }, price }: PlayedCall): number {
  const matching = record.cache && matchingOf(record.cache, price);
  return matching?.kind === "implicit" ? matching.stepTokens : 1;
}

function lossCause(played: PlayedCall, before: RecordedCall): MissCause {
  const { now, price, outcome, leftTokens, expiredTokens } = played;
  const idleSeconds = now.idleSeconds ?? 0;
  const isOver = outcome.readTokens === 0 && idleSeconds >= (before.price ?? price).ttlSeconds;
  if (isOver || expiredTokens > outcome.readTokens)
    return { cause: "expired", idleSeconds, ttlSeconds: (before.price ?? price).ttlSeconds };
  const matching = now.record.cache && matchingOf(now.record.cache, price);
  if (sharedTokens(now, before) >= leftTokens && matching?.kind === "explicit")
    return { cause: "out-of-reach", lookBackBlocks: matching.lookBackBlocks };
  return { cause: "changed", ...changeOf(now, before) };
}

/** Returns what changed the prefix: as recorded, or after a restart as far as a comparison of both records shows. */
function changeOf({ record, model }: RecordedCall, before: RecordedCall): ChangeOfPrefix {
  const { change } = record.cache ?? {};
  if (change !== undefined) return change;
  const unknown = { message: null, byte: null };
  if (model !== before.model) return { ...unknown, by: "model", reason: "the model is a different one" };
  if (record.format !== before.record.format)
    return { ...unknown, by: "host", reason: "the format is a different one" };
  if (record.planVersion !== before.record.planVersion)
    return {
      ...unknown,
      by: "fold",
      reason: `plan ${record.planVersion} is in the place of plan ${before.record.planVersion}`,
    };
  return { ...unknown, by: "host", reason: "something changed while the session was closed" };
}

/** A provider's claim next to what its rules allow, in the provider's tokens. */
export interface ClaimCheck {
  readonly claimed: number;
  readonly possible: number;
  /** Tokens by which the count of a prefix may be off in either direction. */
  readonly margin: number;
  /** The most tokens believed to be cached by other threads, which begin with the same tools and system text. */
  readonly believed: number;
}

/** Returns a miss when a provider claims less than it can have, or more; null when its claim is plausible. */
export function missByClaim({ claimed, possible, margin, believed }: ClaimCheck): CountedMiss | null {
  if (claimed < possible - margin) return { cause: "not-claimed", tokens: possible - claimed };
  if (claimed > Math.max(possible, believed) + margin) return { cause: "claimed-more", tokens: claimed - possible };
  return null;
}
