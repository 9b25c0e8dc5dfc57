/** What the answers of `search_thread` took, in tokens of the session's counter. They are in the log like any other result once the host appends them. */
export interface RecallTotals {
  readonly answers: number;
  readonly tokens: number;
  /** The largest of them. */
  readonly mostTokens: number;
}

export const NO_ANSWERS: RecallTotals = Object.freeze({ answers: 0, tokens: 0, mostTokens: 0 });

/** The totals with one more answer. */
export const withAnswer = ({ answers, tokens, mostTokens }: RecallTotals, answer: number): RecallTotals =>
  Object.freeze({ answers: answers + 1, tokens: tokens + answer, mostTokens: Math.max(mostTokens, answer) });
