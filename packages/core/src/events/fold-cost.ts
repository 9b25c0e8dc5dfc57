/** What a fold cost. Tokens of the summarizer are those that it reported. */
export interface FoldCost {
  /** How often a summarizer was asked, attempts that were not taken included. */
  readonly summarizerCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /**
   * What the commit costs in the prompt cache and saves in each call after it, in input-token-equivalents; null when it was
   * not weighed, because nothing was folded or the provider's prices are not known.
   */
  readonly weighing: {
    readonly cost: number;
    readonly savingPerCall: number;
    readonly breakEvenCalls: number;
  } | null;
}
