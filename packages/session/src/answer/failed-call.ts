import { recognizeOverflow } from "@threadfold/renderer";
import type { OverflowFigures } from "@threadfold/strategies";

/** What a call of the model failed for, as far as the context is concerned. */
export interface FailedCall {
  /** `overflow` when the provider refused the request as too long for the model. */
  readonly kind: "overflow" | "other";
  /**
   * True when preparing the request again can help: the next `prepare` folds for it, once (L19). False for every other
   * error, which the host's own rules for retries are for.
   */
  readonly retry: boolean;
}

/** The figures of an overflow in an error of any SDK or in its text; null when it failed for another reason. */
export function overflowIn(error: unknown): OverflowFigures | null {
  const report = recognizeOverflow(error);
  if (!report.overflow) return null;
  const { usedTokens, limitTokens } = report;
  return {
    ...(usedTokens !== undefined && { inputTokens: usedTokens }),
    ...(limitTokens !== undefined && { limitTokens }),
  };
}
