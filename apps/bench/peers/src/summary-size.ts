/** What a summary may take of the budget: as much as the floor's (`floorPolicy`), so that all have the same room for it. */
const SHARE = 0.05;

/** Tokens that the scripted model may write for one summary. */
export function summarySize(budgetTokens: number): number {
  return Math.floor(budgetTokens * SHARE);
}
