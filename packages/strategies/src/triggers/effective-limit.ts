/** What a provider said when it refused a request as too long, in its own tokens. */
export interface OverflowFigures {
  /** Tokens that the request had. */
  readonly inputTokens?: number;
  /** Tokens that it may have. */
  readonly limitTokens?: number;
}

/**
 * The stricter of the configured room and what the model was found to take (S28). Tokens are those of our counter. A
 * refusal that names figures teaches the ratio between the provider's counter and ours; one that names none teaches that
 * the limit is below what was sent.
 *
 * @param sent tokens of the refused request by our counter.
 */
export function limitAfterOverflow(configured: number, sent: number, report: OverflowFigures = {}): number {
  const { inputTokens = 0, limitTokens = 0 } = report;
  const named = inputTokens > 0 && limitTokens > 0 && limitTokens < inputTokens;
  const learned = named ? Math.floor((sent * limitTokens) / inputTokens) : sent - 1;
  return Math.max(1, Math.min(configured, learned));
}
