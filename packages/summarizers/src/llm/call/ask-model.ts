import type { CompletionMessage, CompletionRequest, CompletionResult, Usage } from "@threadfold/core";
import { type Answer, readAnswer, readProse } from "../answer/read-answer.ts";
import { rejection, type UnusableAnswer } from "../answer/rejection.ts";
import type { PromptVariant } from "../prompts/prompts.ts";

/** The most of a bad answer that the model is shown again, in UTF-16 code units. */
const SHOWN_AGAIN = 4_000;

/** A model's answer: notes, or a text in its own words. */
export type ModelAnswer = { readonly notes: Answer } | { readonly prose: string };

/** A model's answer and the usage of all calls that it took. */
export interface Asked {
  readonly answer: ModelAnswer;
  readonly usage: Usage | undefined;
}

type Call = (request: Omit<CompletionRequest, "signal">) => Promise<CompletionResult>;

const REPAIRS: Readonly<Record<PromptVariant["form"], string>> = {
  json: "with the one JSON object that was described, and nothing else.",
  prose: "with the summary as plain text, and nothing else.",
};

/**
 * Asks a model and reads its answer in the form that the prompt asks for. An unusable answer is sent back once together
 * with the problem, except for a refusal. If notes were asked for and the second answer is prose that can serve as a
 * summary, it is taken as one.
 *
 * @throws ThreadfoldError `SUMMARIZER_FAILED` with the reason, or whatever `call` throws.
 */
export async function askModel(
  question: Omit<CompletionRequest, "signal">,
  { form, answerTag }: Pick<PromptVariant, "form" | "answerTag">,
  call: Call,
  countTokens: (text: string) => number,
): Promise<Asked> {
  const { maxOutputTokens } = question;
  const read = (result: CompletionResult) =>
    form === "json"
      ? readAnswer(result, maxOutputTokens, countTokens)
      : readProse(result, maxOutputTokens, countTokens, answerTag);
  const first = await call(question);
  const reading = read(first);
  if (!("reason" in reading)) return { answer: reading, usage: first.usage };
  if (reading.reason === "refusal") throw rejection(reading.reason, reading.problem);
  const repaired = [...question.messages, ...repair(first.text, reading.problem, REPAIRS[form])];
  const second = await call({ ...question, messages: repaired });
  const again = read(second);
  return { answer: settled(again), usage: addUsage(first.usage, second.usage) };
}

function settled(reading: ModelAnswer | (UnusableAnswer & { readonly prose?: string })): ModelAnswer {
  if (!("reason" in reading)) return reading;
  if (reading.prose !== undefined) return { prose: reading.prose };
  throw rejection(reading.reason, reading.problem);
}

function repair(text: string, problem: string, wanted: string): readonly CompletionMessage[] {
  const request: CompletionMessage = {
    role: "user",
    text: `That answer cannot be used: ${problem}. Answer again ${wanted}`,
  };
  // Providers refuse empty messages, and two user messages in a row would be merged into one.
  if (text.trim() === "") return [{ role: "assistant", text: "(no answer)" }, request];
  return [{ role: "assistant", text: text.slice(0, SHOWN_AGAIN).toWellFormed() }, request];
}

/** Returns the usage of two calls together; undefined when neither reported any. */
export function addUsage(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const sum = (key: Exclude<keyof Usage, "compaction">): Partial<Usage> =>
    first[key] === undefined && second[key] === undefined ? {} : { [key]: (first[key] ?? 0) + (second[key] ?? 0) };
  return {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    ...sum("cacheReadTokens"),
    ...sum("cacheWriteTokens"),
    ...sum("reasoningTokens"),
  };
}
