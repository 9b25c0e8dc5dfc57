/** Where LangChain's middlewares begin to work: at the share of the window that their documentation sets, 0.8. */
export function langchainTrigger(budget: number): number {
  return Math.max(1, Math.floor(budget * 0.8));
}
