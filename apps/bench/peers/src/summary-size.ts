/** Share of the budget that a summary may take: the floor's (`floorPolicy`), so that all have equal room. */
const SHARE = 0.05;

/** Returns the tokens that the scripted model may write for one summary. */
export function summarySize(budgetTokens: number): number {
  return Math.floor(budgetTokens * SHARE);
}
