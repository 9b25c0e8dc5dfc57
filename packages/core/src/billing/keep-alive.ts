import { type Amount, amountOf, totalOf } from "./amount.ts";
import type { RecordedCall } from "./recorded-call.ts";

/**
 * What a host would save by sending the newest request again, with an answer of one token, before its prefix expires.
 * It is only advice: Threadfold sends nothing.
 */
export interface KeepAliveAdvice {
  /** The interval between keep-alives, in seconds: a little shorter than the lifetime of the prefix. */
  readonly everySeconds: number;
  /** The longest pause, in seconds, for which keeping the prefix warm is cheaper than writing it again. */
  readonly breakEvenSeconds: number;
  /** The number of pauses that outlasted the prefix and in which keeping it warm would have saved something. */
  readonly pauses: number;
  /** What keeping the prefix warm during those pauses would have saved. */
  readonly spared: Amount;
}

/** A keep-alive is sent after this share of the prefix's lifetime. */
const SHARE = 0.9;

/** Computes what keep-alives would have saved; null if prices are unknown, reads are free or cost as much as writes. */
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
