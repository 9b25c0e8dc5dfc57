/** Returns the tokens at which LangChain's middlewares start to work: 0.8 of the window, as in their documentation. */
export function langchainTrigger(budget: number): number {
  return Math.max(1, Math.floor(budget * 0.8));
}
