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
  /** It is there, and no mark of the request stands near enough behind it. */
  | { readonly cause: "out-of-reach"; readonly lookBackBlocks: number }
  /** The provider can have it, and says that it did not read it. */
  | { readonly cause: "not-claimed" }
  /** The provider says that it read what it cannot have. */
  | { readonly cause: "claimed-more" };

/** Who changed the beginning of a request; message and byte are null where the journal does not say where. */
export interface ChangeOfPrefix {
  readonly by: PrefixChanger;
  readonly message: number | null;
  readonly byte: number | null;
  readonly reason: string;
}

/** Tokens that a cause is to blame for, as the session counts them. */
export type CountedMiss = MissCause & { readonly tokens: number };

/** A call as it came out of the provider's cache by its rules, and what stood there before. */
export interface PlayedCall {
  readonly now: RecordedCall;
  readonly before: RecordedCall | null;
  readonly price: PromptCachePrice;
  readonly outcome: CacheOutcome;
  /** Tokens of the longest prefix that the call before left in the cache. */
  readonly leftTokens: number;
  /** Tokens of the longest beginning of this call that was in the cache once and is not any more. */
  readonly expiredTokens: number;
}

/** What the rules of the provider say why tokens had to be paid for again; null where all that was left there was read. */
export function missByRules(played: PlayedCall): CountedMiss | null {
  const { now, before, price, outcome, leftTokens } = played;
  const total = now.record.tokens;
  if (before === null) return { cause: "first-call", tokens: total - outcome.readTokens };
  if (total < price.minimumPrefixTokens) {
    const tokens = sharedTokens(now, before);
    return tokens === 0 ? null : { cause: "below-minimum", minimumTokens: price.minimumPrefixTokens, tokens };
  }
  // A request that a fold made short pays for itself again, and not for all that the one before left behind.
  const tokens = Math.min(leftTokens, total) - outcome.readTokens;
  return tokens < stepOf(played) ? null : { ...lossCause(played, before), tokens };
}

/** Providers that count in steps leave less than one unread without a miss. */
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

/** Who changed the beginning: the record says so; after a restart what both records have says as much as it can. */
function changeOf({ record, model }: RecordedCall, before: RecordedCall): ChangeOfPrefix {
  const { change } = record.cache ?? {};
  if (change !== undefined) return change;
  const unknown = { message: null, byte: null };
  if (model !== before.model) return { ...unknown, by: "model", reason: "the model is another one" };
  if (record.format !== before.record.format) return { ...unknown, by: "host", reason: "the format is another one" };
  if (record.planVersion !== before.record.planVersion)
    return {
      ...unknown,
      by: "fold",
      reason: `plan ${record.planVersion} stands in the place of ${before.record.planVersion}`,
    };
  return { ...unknown, by: "host", reason: "something changed while the session was closed" };
}

/** Tokens of a claim against what the rules allow, in the provider's tokens. */
export interface ClaimCheck {
  readonly claimed: number;
  readonly possible: number;
  /** Tokens by which a beginning of the request may be larger or smaller than it was counted. */
  readonly margin: number;
  /** The most that is believed without this thread having put it there: other threads begin with the same tools and system text. */
  readonly believed: number;
}

/** Whether a provider claims less than it can have, or more. */
export function missByClaim({ claimed, possible, margin, believed }: ClaimCheck): CountedMiss | null {
  if (claimed < possible - margin) return { cause: "not-claimed", tokens: possible - claimed };
  if (claimed > Math.max(possible, believed) + margin) return { cause: "claimed-more", tokens: claimed - possible };
  return null;
}
