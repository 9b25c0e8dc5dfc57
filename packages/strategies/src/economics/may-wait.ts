import type { FoldHistory } from "./fold-history.ts";
import type { CommitWeighing } from "./weigh-commit.ts";

/** Postponing is safe while so many calls of average growth still fit below the cap. */
const CALLS_OF_HEADROOM = 2;

/** What bounds a postponement. */
export interface WaitScene {
  readonly history: FoldHistory;
  /** Model calls so far. */
  readonly step: number;
  readonly maxPostponedCalls: number;
  /** Tokens that the thread grew by in an average call. */
  readonly growthPerCall: number;
  /** Tokens of the request by our count or the provider's, whichever is higher. */
  readonly usedTokens: number;
  /** Tokens that the request may have. */
  readonly limit: number;
}

/**
 * For how many calls a soft fold that does not pay may be put off; 0 when it may not. Each call makes a session likelier
 * to go on, so the wait is until as many calls are expected as it takes to pay; it never reaches beyond
 * `maxPostponedCalls` from the first postponement under a plan, nor so far that the cap would force the fold (P3).
 */
export function callsToWait(weighing: CommitWeighing, scene: WaitScene): number {
  if (weighing.pays) return 0;
  const { history, step, maxPostponedCalls, growthPerCall, usedTokens, limit } = scene;
  const allowed = (history.postponedSince ?? step) + maxPostponedCalls - step;
  const growth = Math.max(1, growthPerCall);
  const headroom = Math.floor((limit - usedTokens) / growth) - CALLS_OF_HEADROOM;
  const wanted = Math.ceil(weighing.breakEvenCalls - weighing.expectedCalls);
  return Math.max(0, Math.min(Math.max(1, wanted), allowed, headroom));
}
