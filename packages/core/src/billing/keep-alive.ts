import { type Amount, amountOf, totalOf } from "./amount.ts";
import type { RecordedCall } from "./recorded-call.ts";

/**
 * What it would come to if a host sent the newest request again, with an answer of one token, before its prefix is gone. It is
 * advice: nobody here sends anything.
 */
export interface KeepAliveAdvice {
  /** How often, in seconds: a little before the prefix is gone. */
  readonly everySeconds: number;
  /** Pauses up to this long are cheaper kept warm than written anew, in seconds. */
  readonly breakEvenSeconds: number;
  /** Pauses of the thread that were longer than the prefix stays, and no longer than that. */
  readonly pauses: number;
  /** What keeping those warm would have spared. */
  readonly spared: Amount;
}

/** A request is sent again after this share of the time that its prefix stays. */
const SHARE = 0.9;

/** What keep-alives would have spared; null where writing costs no more than reading, or the prices are not known. */
export function keepAliveAdvice(calls: readonly RecordedCall[]): KeepAliveAdvice | null {
  const price = calls.at(-1)?.price;
  if (price === undefined || price.write <= price.read || price.read === 0) return null;
  const everySeconds = Math.floor(price.ttlSeconds * SHARE);
  const most = Math.floor((price.write - price.read) / price.read);
  const breakEvenSeconds = most * everySeconds + price.ttlSeconds;
  const spared = calls.flatMap(({ idleSeconds, row }, index) => {
    const tokens = calls[index - 1]?.record.tokens ?? 0;
    if (idleSeconds === null || idleSeconds < price.ttlSeconds || idleSeconds > breakEvenSeconds) return [];
    if (tokens < price.minimumPrefixTokens) return [];
    const sent = Math.ceil((idleSeconds - price.ttlSeconds + 1) / everySeconds);
    return [amountOf(tokens * (price.write - price.read - sent * price.read), row, tokens)];
  });
  const worth = spared.filter(({ bill }) => bill > 0);
  return { everySeconds, breakEvenSeconds, pauses: worth.length, spared: totalOf(worth) };
}
