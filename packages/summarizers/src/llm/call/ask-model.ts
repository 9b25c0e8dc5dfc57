import type { CompletionMessage, CompletionRequest, CompletionResult, Usage } from "@threadfold/core";
import type { Answer } from "../answer/answer-schema.ts";
import { readAnswer } from "../answer/read-answer.ts";
import { rejection } from "../summarizer-rejection.ts";
import { addUsage } from "./add-usage.ts";

/** How much of a bad answer the model is shown again, in UTF-16 code units. */
const SHOWN_AGAIN = 4_000;

/** What a model said when it was asked, and what that cost. */
export interface Asked {
  readonly answer: Answer;
  readonly usage: Usage | undefined;
}

/**
 * Asks a model and reads its answer. An answer that cannot be used is sent back once with what is wrong with it; a
 * refusal is not.
 *
 * @throws ThreadfoldError `SUMMARIZER_FAILED` with the reason, or what `call` throws.
 */
export async function askModel(
  question: Omit<CompletionRequest, "signal">,
  call: (request: Omit<CompletionRequest, "signal">) => Promise<CompletionResult>,
  countTokens: (text: string) => number,
): Promise<Asked> {
  const first = await call(question);
  const reading = readAnswer(first, question.maxOutputTokens, countTokens);
  if ("answer" in reading) return { answer: reading.answer, usage: first.usage };
  if (reading.reason === "refusal") throw rejection(reading.reason, reading.problem);
  const second = await call({ ...question, messages: [...question.messages, ...repair(first.text, reading.problem)] });
  const again = readAnswer(second, question.maxOutputTokens, countTokens);
  if (!("answer" in again)) throw rejection(again.reason, again.problem);
  return { answer: again.answer, usage: addUsage(first.usage, second.usage) };
}

function repair(text: string, problem: string): readonly CompletionMessage[] {
  const request: CompletionMessage = {
    role: "user",
    text: `That answer cannot be used: ${problem}. Answer again with the one JSON object that was described, and nothing else.`,
  };
  // Providers refuse empty messages, and two user messages in a row are one.
  if (text.trim() === "") return [{ role: "assistant", text: "(no answer)" }, request];
  return [{ role: "assistant", text: text.slice(0, SHOWN_AGAIN).toWellFormed() }, request];
}
