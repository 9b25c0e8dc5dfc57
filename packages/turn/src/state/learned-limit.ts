/** The most tokens of its own that a model was found to take, and how long that is believed. */
export interface LearnedLimit {
  /** Infinite while nothing was refused, and while the limit is put to the test. */
  readonly tokens: number;
  /** Answers for which it is believed. */
  readonly trust: number;
  /** Answers since the newest refusal. */
  readonly answers: number;
}

/** Answers for which the first limit is believed. */
export const FIRST_TRUST = 64;

export const NO_LIMIT: LearnedLimit = Object.freeze({
  tokens: Number.POSITIVE_INFINITY,
  trust: FIRST_TRUST,
  answers: 0,
});

/** The limit after a refusal that teaches this many tokens of the provider. */
export const afterRefusal = ({ tokens, trust }: LearnedLimit, learned: number): LearnedLimit => ({
  tokens: Math.min(tokens, learned),
  trust,
  answers: 0,
});

/**
 * The limit after a request of this many tokens of the provider was answered. One that was larger proves it wrong: it was misread, or
 * is that of another deployment. Since folding keeps requests below it, nothing larger may ever be sent, so that it is
 * also put to the test, after twice as many answers each time.
 */
export function afterAcceptance(limit: LearnedLimit, sent: number): LearnedLimit {
  if (limit.tokens === Number.POSITIVE_INFINITY) return limit;
  if (sent > limit.tokens) return NO_LIMIT;
  const answers = limit.answers + 1;
  if (answers < limit.trust) return { ...limit, answers };
  return { ...NO_LIMIT, trust: 2 * limit.trust };
}

/** What a provider said when it refused a request as too long, in its own tokens. */
export interface OverflowFigures {
  /** Tokens that the request had. */
  readonly inputTokens?: number;
  /** Tokens that it may have. */
  readonly limitTokens?: number;
}

/**
 * The stricter of the configured room and what the model was found to take (S28), in the provider's tokens. A refusal that
 * names its limit teaches that, as a share of what it counted: a request that is estimated at less than the provider says has
 * to shrink all the same. One that names none teaches that the limit is below what was sent.
 *
 * @param sent tokens of the refused request, as they are estimated after the refusal.
 */
export function limitAfterOverflow(configured: number, sent: number, report: OverflowFigures = {}): number {
  const { inputTokens = 0, limitTokens = 0 } = report;
  const named = inputTokens > 0 && limitTokens > 0 && limitTokens < inputTokens;
  const learned = named ? Math.floor((sent * limitTokens) / inputTokens) : sent - 1;
  return Math.max(1, Math.min(configured, learned));
}
