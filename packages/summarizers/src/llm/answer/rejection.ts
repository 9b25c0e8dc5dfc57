import { type CompletionResult, ThreadfoldError } from "@threadfold/core";

/**
 * Why a model's answer was rejected. `refusal`, `tool-call` (L27), `blank` (S18), `cut-off`, `not-json`, `wrong-schema`
 * and `inflated` (S32) describe the answer; `ungrounded` means that nothing in it is supported by the span;
 * `too-large`, `time-limit` and `model-failed` mean that there is no answer. A failed check uses its own name as the
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

/** Returns a rejection as an error: `SUMMARIZER_FAILED` with the reason in its details. */
export function rejection(reason: RejectionReason | (string & {}), problem: string, cause?: unknown): ThreadfoldError {
  return new ThreadfoldError("SUMMARIZER_FAILED", `${reason}: ${problem}`, {
    details: { reason },
    ...(cause !== undefined && { cause }),
  });
}

/** Returns the reason of a rejection; null for any other error. */
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

/** Returns what is wrong with an answer, whatever its form; null when it can be read. `maxTokens` is its limit. */
export function unusableAnswer(
  { text, finish, toolCalls }: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
): UnusableAnswer | null {
  if (finish === "refusal") return { reason: "refusal", problem: "the model refused to answer" };
  if (finish === "tool-call" || toolCalls > 0)
    return { reason: "tool-call", problem: "the answer calls a tool; none is to be called here" };
  if (text.trim() === "") return { reason: "blank", problem: "the answer is empty" };
  // Tokens average only a few characters, so a text that is plainly too long need not be counted.
  if (text.length > maxTokens * 32 || countTokens(text) > maxTokens * 2)
    return { reason: "inflated", problem: `the answer is longer than twice the ${maxTokens} tokens that were allowed` };
  return null;
}
