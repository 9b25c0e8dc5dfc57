import type { CompletionResult } from "@threadfold/core";
import { ANSWER_KEYS, type Answer, answerSchema } from "./answer-schema.ts";
import { jsonObjects } from "./json-objects.ts";
import { proseInstead } from "./read-prose.ts";
import { type UnusableAnswer, unusableAnswer } from "./unusable-answer.ts";

/** Notes that can be used, or why there are none; then also the text, where somebody could read it as a summary. */
export type AnswerReading = { readonly notes: Answer } | (UnusableAnswer & { readonly prose?: string });

/** Reads an answer that should be notes. `maxTokens` is what it was allowed; far more than that is a flood and no summary. */
export function readAnswer(
  result: CompletionResult,
  maxTokens: number,
  countTokens: (text: string) => number,
): AnswerReading {
  const unusable = unusableAnswer(result, maxTokens, countTokens);
  if (unusable !== null) return unusable;
  const { text, finish } = result;
  const objects = jsonObjects(text);
  if (objects.length > 0) return fitting(objects);
  if (finish === "length")
    return { reason: "cut-off", problem: `the answer was cut off; it must be shorter than ${maxTokens} tokens` };
  const prose = proseInstead(text);
  return { reason: "not-json", problem: "the answer holds no JSON object", ...(prose !== null && { prose }) };
}

function fitting(objects: readonly object[]): AnswerReading {
  let problem = "";
  for (const value of objects) {
    if (!ANSWER_KEYS.some((key) => Object.hasOwn(value, key))) continue;
    const parsed = answerSchema.safeParse(value);
    if (parsed.success) return isEmpty(parsed.data) ? EMPTY : { notes: parsed.data };
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
