import type { FoldHistory } from "./fold-history.ts";

/** What decides whether a fold that is due is tried. */
export interface FoldMoment {
  readonly level: "soft" | "hard";
  /** True when a person or the host asked for it. */
  readonly forced: boolean;
  /** Model calls so far. */
  readonly step: number;
  readonly cacheIsCold: boolean;
  readonly breakerFailures: number;
}

/** Whether to try, or why not. */
export type FoldPermission =
  | { readonly type: "go" }
  | { readonly type: "breaker-open" | "too-early"; readonly reason: string };

const GO: FoldPermission = Object.freeze({ type: "go" });

/**
 * The breaker and the wait. After several folds in a row that came to nothing no soft fold is tried for a while, because
 * the next one would do the same work for the same end (L29); then one is, and the rest doubles when that comes to nothing
 * too: what has grown since may well be folded. A fold that was postponed is not looked at again before it can pay, or
 * before the cache goes cold. Hard pressure and a manual fold go through both.
 */
export function mayFold(history: FoldHistory, moment: FoldMoment): FoldPermission {
  if (moment.forced || moment.level === "hard") return GO;
  const calls = history.notBefore - moment.step;
  if (history.failures >= moment.breakerFailures && calls > 0) {
    const reason =
      `the last ${history.failures} folds in a row freed too little, so none is tried for ${calls} calls, unless the ` +
      "request exceeds its room or somebody asks for one; raise maxInputTokens, or make system text, tools or pins smaller";
    return { type: "breaker-open", reason };
  }
  if (calls > 0 && !moment.cacheIsCold) {
    return { type: "too-early", reason: `a fold does not pay yet; it is looked at again in ${calls} calls` };
  }
  return GO;
}
