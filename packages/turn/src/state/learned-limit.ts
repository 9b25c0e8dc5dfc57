/** The limit learned for a model, in the provider's tokens, and how long it is believed. */
export interface LearnedLimit {
  /** Infinite while nothing was refused, and while the limit is being tested. */
  readonly tokens: number;
  /** Number of answers for which it is believed. */
  readonly trust: number;
  /** Number of answers since the newest refusal. */
  readonly answers: number;
}

/** Number of answers for which the first limit is believed. */
export const FIRST_TRUST = 64;

/** No learned limit: nothing was refused yet. */
export const NO_LIMIT: LearnedLimit = Object.freeze({
  tokens: Number.POSITIVE_INFINITY,
  trust: FIRST_TRUST,
  answers: 0,
});

/** The limit after a refusal from which this limit was learned, in the provider's tokens. */
export const afterRefusal = ({ tokens, trust }: LearnedLimit, learned: number): LearnedLimit => ({
  tokens: Math.min(tokens, learned),
  trust,
  answers: 0,
});

/**
 * The limit after a request of this many provider tokens was answered. An answered request above the limit proves it
 * wrong: it was misread, or belongs to another deployment. Because folding keeps requests below it, nothing larger
 * might ever be sent, so the limit is also tested now and then, after twice as many answers each time.
 */
export function afterAcceptance(limit: LearnedLimit, sent: number): LearnedLimit {
  if (limit.tokens === Number.POSITIVE_INFINITY) return limit;
  if (sent > limit.tokens) return NO_LIMIT;
  const answers = limit.answers + 1;
  if (answers < limit.trust) return { ...limit, answers };
  return { ...NO_LIMIT, trust: 2 * limit.trust };
}

/** What a provider reported when it refused a request as too long, in its own tokens. */
export interface OverflowFigures {
  /** Tokens that the request had. */
  readonly inputTokens?: number;
  /** Maximum tokens that it may have. */
  readonly limitTokens?: number;
}

/**
 * Returns the stricter of the configured limit and the one learned from a refusal (S28), in the provider's tokens. If
 * the refusal names its limit and its count, the ratio of the two is applied to our estimate, so that even a request
 * that was estimated too low shrinks. Otherwise the limit is known only to be below what was sent.
 *
 * @param sent tokens of the refused request, as they are estimated after the refusal.
 */
export function limitAfterOverflow(configured: number, sent: number, report: OverflowFigures = {}): number {
  const { inputTokens = 0, limitTokens = 0 } = report;
  const named = inputTokens > 0 && limitTokens > 0 && limitTokens < inputTokens;
  const learned = named ? Math.floor((sent * limitTokens) / inputTokens) : sent - 1;
  return Math.max(1, Math.min(configured, learned));
}
