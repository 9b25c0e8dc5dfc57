import type { CompletionResult } from "@threadfold/core";
import type { RejectionReason } from "../summarizer-rejection.ts";
import { ANSWER_KEYS, type Answer, answerSchema } from "./answer-schema.ts";
import { jsonObjects } from "./json-objects.ts";

/** An answer that can be used, or why it cannot. */
export type AnswerReading =
  | { readonly answer: Answer }
  | { readonly reason: RejectionReason; readonly problem: string };

/** Reads a model's answer. `maxTokens` is what it was allowed; far more than that is a flood and no summary. */
export function readAnswer(
  { text, finish, toolCalls }: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
): AnswerReading {
  if (finish === "refusal") return { reason: "refusal", problem: "the model refused to answer" };
  if (finish === "tool-call" || toolCalls > 0)
    return { reason: "tool-call", problem: "the answer calls a tool; none is to be called here" };
  if (text.trim() === "") return { reason: "blank", problem: "the answer is empty" };
  // A token is never longer than a few characters on average: no need to count what is plainly too long.
  if (text.length > maxTokens * 32 || countTokens(text) > maxTokens * 2)
    return { reason: "inflated", problem: `the answer is longer than twice the ${maxTokens} tokens that were allowed` };
  const objects = jsonObjects(text);
  if (objects.length === 0) {
    return finish === "length"
      ? { reason: "cut-off", problem: `the answer was cut off; it must be shorter than ${maxTokens} tokens` }
      : { reason: "not-json", problem: "the answer holds no JSON object" };
  }
  return fitting(objects);
}

function fitting(objects: readonly object[]): AnswerReading {
  let problem = "";
  for (const value of objects) {
    if (!ANSWER_KEYS.some((key) => Object.hasOwn(value, key))) continue;
    const parsed = answerSchema.safeParse(value);
    if (parsed.success) return isEmpty(parsed.data) ? EMPTY : { answer: parsed.data };
    const issue = parsed.error.issues[0];
    problem ||= `${issue?.path.join(".") || "the answer"}: ${issue?.message ?? "is not as described"}`;
  }
  return { reason: "wrong-schema", problem: problem || `the object has none of ${ANSWER_KEYS.join(", ")}` };
}

const EMPTY: AnswerReading = Object.freeze<AnswerReading>({
  reason: "blank",
  problem: "the answer says nothing of the conversation",
});

const isEmpty = ({ add, resolve, supersede, currentTask, currentPlan }: Answer): boolean =>
  Object.values(add).every((items) => items.length === 0) &&
  resolve.length === 0 &&
  supersede.length === 0 &&
  (currentTask ?? "") === "" &&
  (currentPlan ?? []).length === 0;
