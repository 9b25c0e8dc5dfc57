import type { CompletionResult } from "@threadfold/core";
import type { RejectionReason } from "../summarizer-rejection.ts";

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
