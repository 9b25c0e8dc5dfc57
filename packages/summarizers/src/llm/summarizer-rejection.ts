import { ThreadfoldError } from "@threadfold/core";

/**
 * Why a model's answer was not taken. `refusal`, `tool-call` (L27), `blank` (S18), `cut-off`, `not-json`, `wrong-schema`
 * and `inflated` (S32) speak of the answer; `ungrounded` says that nothing in it stands in the span; `too-large`,
 * `time-limit` and `model-failed` say why there is none. A check that fails gives its own name.
 */
export type RejectionReason =
  | "refusal"
  | "tool-call"
  | "blank"
  | "cut-off"
  | "not-json"
  | "wrong-schema"
  | "inflated"
  | "ungrounded"
  | "too-large"
  | "time-limit"
  | "model-failed";

/** A rejection as an error: `SUMMARIZER_FAILED` with the reason in its details. */
export function rejection(reason: RejectionReason | (string & {}), problem: string, cause?: unknown): ThreadfoldError {
  return new ThreadfoldError("SUMMARIZER_FAILED", `${reason}: ${problem}`, {
    details: { reason },
    ...(cause !== undefined && { cause }),
  });
}

/** The reason of a rejection; null when the error is none. */
export function rejectionReason(error: unknown): string | null {
  if (!ThreadfoldError.isInstance(error) || error.code !== "SUMMARIZER_FAILED") return null;
  const { reason } = error.details;
  return typeof reason === "string" ? reason : null;
}
