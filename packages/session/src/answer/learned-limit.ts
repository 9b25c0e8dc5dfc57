/** The most tokens that a model was found to take, by our counter, and how long that is believed. */
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

/** The limit after a refusal that teaches so many tokens. */
export const afterRefusal = ({ tokens, trust }: LearnedLimit, learned: number): LearnedLimit => ({
  tokens: Math.min(tokens, learned),
  trust,
  answers: 0,
});

/**
 * The limit after a request of so many tokens was answered. One that was larger proves it wrong: it was misread, or is that
 * of another deployment. Since folding keeps requests below it, nothing larger may ever be sent, so that it is also put to
 * the test, after twice as many answers each time.
 */
export function afterAcceptance(limit: LearnedLimit, sent: number): LearnedLimit {
  if (limit.tokens === Number.POSITIVE_INFINITY) return limit;
  if (sent > limit.tokens) return NO_LIMIT;
  const answers = limit.answers + 1;
  if (answers < limit.trust) return { ...limit, answers };
  return { ...NO_LIMIT, trust: 2 * limit.trust };
}
