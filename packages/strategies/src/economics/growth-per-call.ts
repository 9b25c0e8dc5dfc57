/** Tokens that a thread grew by in an average model call. */
export const growthPerCall = (totalTokens: number, calls: number): number => totalTokens / Math.max(1, calls);
