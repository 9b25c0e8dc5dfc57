import { type CompletionResult, ThreadfoldError } from "@threadfold/core";

/**
 * Why a model's answer was not taken. `refusal`, `tool-call` (L27), `blank` (S18), `cut-off`, `not-json`,
 * `wrong-schema` and `inflated` (S32) speak of the answer; `ungrounded` says that nothing in it stands in the span;
 * `too-large`, `time-limit` and `model-failed` say why there is none. A check that fails has its own name as the
 * reason.
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

/** The reason of a rejection; null for any other error. */
export function rejectionReason(error: unknown): string | null {
  if (!ThreadfoldError.isInstance(error) || error.code !== "SUMMARIZER_FAILED") return null;
  const { reason } = error.details;
  return typeof reason === "string" ? reason : null;
}

/** Why an answer cannot be used. */
export interface UnusableAnswer {
  readonly reason: RejectionReason;
  readonly problem: string;
}

/** What is wrong with an answer whatever form it was to have; null when it can be read. `maxTokens` is what it was allowed. */
export function unusableAnswer(
  { text, finish, toolCalls }: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
): UnusableAnswer | null {
  if (finish === "refusal") return { reason: "refusal", problem: "the model refused to answer" };
  if (finish === "tool-call" || toolCalls > 0)
    return { reason: "tool-call", problem: "the answer calls a tool; none is to be called here" };
  if (text.trim() === "") return { reason: "blank", problem: "the answer is empty" };
  // A token is never longer than a few characters on average: no need to count what is plainly too long.
  if (text.length > maxTokens * 32 || countTokens(text) > maxTokens * 2)
    return { reason: "inflated", problem: `the answer is longer than twice the ${maxTokens} tokens that were allowed` };
  return null;
}
